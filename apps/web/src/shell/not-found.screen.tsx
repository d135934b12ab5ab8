import { Button } from '@mantine/core'
import { Link, useNavigate } from 'react-router'
import { SignalFlag } from '../ui/game/signal-flag.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './not-found.module.css'
import { paths } from './paths.ts'
import { useTitle } from './site.ts'

interface Props {
  /** Address of the list of games, for a game that does not exist, often because it was deleted while the page was open. */
  readonly games?: string
}

/** For unknown addresses and screens that the role may not see; the address stays. */
export default function NotFoundScreen({ games }: Props) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const title = t(games ? 'shell.noGame' : 'shell.notFound')
  useTitle(title)
  return (
    <div className={c.screen}>
      <div className={c.flags} aria-hidden>
        <SignalFlag letter="N" size={56} />
        <SignalFlag letter="C" size={56} />
      </div>
      <h1>{title}</h1>
      <p>{t(games ? 'shell.noGameText' : 'shell.notFoundText')}</p>
      <div className={c.buttons}>
        {games && (
          <Button component={Link} to={games}>
            {t('shell.tabs.games')}
          </Button>
        )}
        <Button component={Link} to={paths.home} variant={games ? 'default' : 'filled'}>
          {t('ui.home')}
        </Button>
        <Button variant="default" onClick={() => void navigate(-1)}>
          {t('ui.back')}
        </Button>
      </div>
    </div>
  )
}
