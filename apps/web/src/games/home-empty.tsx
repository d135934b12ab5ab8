import { Button } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { Link } from 'react-router'
import { paths } from '../shell/paths.ts'
import { reaches, useSession } from '../shell/session.ts'
import { useSite, useSlogan } from '../shell/site.ts'
import { withRetry } from '../ui/base/chunk-recovery.ts'
import { Empty } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './home.module.css'

const FirstSteps = lazy(withRetry(() => import('./first-steps.tsx')))

export function HomeEmpty({ part }: { readonly part?: 'games' }) {
  const { t } = useTranslation()
  const { role } = useSession()
  const site = useSite()
  const slogan = useSlogan()
  const admin = reaches(role, 'Admin')
  return (
    <div style={{ paddingTop: part ? 24 : 96 }}>
      <Empty
        page
        flag="Q"
        title={part ? t('games.none') : t('games.welcome', { platform: site.platform })}
        text={
          <>
            {!part && (
              <>
                {slogan}
                <br />
              </>
            )}
            {t(admin ? 'games.noneAdmin' : 'games.noneText')}
          </>
        }
        action={
          admin && (
            <span className={c.acts}>
              <Button component={Link} to={paths.admin.newGame}>
                {t('games.create')}
              </Button>
              {!part && (
                <Button component={Link} to={paths.editPost('new')} variant="default">
                  {t('games.writePost')}
                </Button>
              )}
            </span>
          )
        }
      />
      {admin && (
        <Suspense>
          <FirstSteps />
        </Suspense>
      )}
    </div>
  )
}
