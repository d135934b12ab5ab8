import { Button } from '@mantine/core'
import { type DemoRole, demoRoles, demoSignIn } from '@vexil/contract/demo'
import type { Role } from '@vexil/core/vocabulary'
import { forgetAnswers } from '../api/answer-cache.ts'
import { call } from '../api/client.ts'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './demo-bar.module.css'
import { Mark } from './mark.tsx'
import { paths } from './paths.ts'
import { notifyOtherTabs, useSession } from './session.ts'

const roleOf: Partial<Record<Role, DemoRole>> = { User: 'player', Monitor: 'monitor', Admin: 'organiser' }

/** Above every page of `npm run demo`: an explanation, and a button for each account. */
export default function DemoBar() {
  const { t } = useTranslation()
  const { role } = useSession()
  const action = useAction<DemoRole>({
    id: 'demo',
    failed: t('shell.demo.failed'),
    call: (wanted) => call(demoSignIn, { body: { role: wanted } }),
    onDone: (_, wanted) => {
      forgetAnswers()
      notifyOtherTabs()
      // A new page keeps nothing of the previous account.
      location.assign(wanted === 'organiser' ? paths.admin.games : paths.home)
    },
  })
  return (
    <aside className={c.bar} aria-label={t('shell.demo.title')}>
      <span className={c.name}>
        <Mark size={18} />
        {t('shell.demo.title')}
      </span>
      <span className={c.text}>{t('shell.demo.quick')}</span>
      <span className={c.buttons}>
        {t('shell.demo.signIn')}
        {demoRoles.map((one) => (
          <Button
            key={one}
            size="compact-sm"
            variant={role && roleOf[role] === one ? 'filled' : 'default'}
            aria-pressed={role !== undefined && roleOf[role] === one}
            disabled={action.busy}
            onClick={() => void action.start(one)}
          >
            {t(`shell.demo.${one}`)}
          </Button>
        ))}
      </span>
    </aside>
  )
}
