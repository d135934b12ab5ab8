import { Button } from '@mantine/core'
import { Link, useNavigate } from 'react-router'
import { SignalFlag } from '../ui/game/signal-flag.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './not-found.module.css'
import { paths } from './paths.ts'
import { useTitle } from './site.ts'

/** For unknown addresses and screens that the role may not see; the address stays. */
export default function NotFoundScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  useTitle(t('shell.notFound'))
  return (
    <div className={c.screen}>
      <div className={c.flags} aria-hidden>
        <SignalFlag letter="N" size={56} />
        <SignalFlag letter="C" size={56} />
      </div>
      <h1>{t('shell.notFound')}</h1>
      <p>{t('shell.notFoundText')}</p>
      <div className={c.buttons}>
        <Button component={Link} to={paths.home}>
          {t('ui.home')}
        </Button>
        <Button variant="default" onClick={() => void navigate(-1)}>
          {t('ui.back')}
        </Button>
      </div>
    </div>
  )
}
