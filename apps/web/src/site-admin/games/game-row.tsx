import { ActionIcon, Switch } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconExternalLink, IconPencil } from '@tabler/icons-react'
import type { GameInfo } from '@vexil/contract/games'
import { Link } from 'react-router'
import { usePhase } from '../../api/use-phase.ts'
import { paths } from '../../shell/paths.ts'
import { changeGame, type ReadyChallenge, useConfirmShow, useShowGame } from '../../shell/show-game.tsx'
import { HoistPair } from '../../ui/base/hoist.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { PhaseWord } from '../../ui/game/phase-word.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import c from '../list.module.css'
import { PickCell, type Picks } from '../picks.tsx'
import { useGamesChanged } from '../site-admin.queries.ts'
import { GameMenu } from './game-menu.tsx'
import g from './games.module.css'

interface Props {
  readonly game: GameInfo
  readonly picks: Picks<GameInfo>
}

/** The title links to the form, on narrow windows to the review, which works there; the icon to the public page. The switch reverts when the server refuses. */
export function GameRow({ game, picks }: Props) {
  const { t } = useTranslation()
  const changed = useGamesChanged()
  const phase = usePhase(game)
  const narrow = useMediaQuery('(max-width: 1079px)', false, { getInitialValueInEffect: false })
  const { id, title } = game
  const showGame = useShowGame()
  const hide = useAction({
    id: `hide-${id}`,
    call: ({ hidden, enable }: { readonly hidden: boolean; readonly enable: readonly ReadyChallenge[] }) =>
      hidden ? changeGame(id, { hidden: true }) : showGame(id, enable),
    done: (now) => t(now.hidden ? 'admin.games.isHidden' : 'admin.games.isShown', { title: now.title }),
    failed: t('admin.notSaved'),
    onDone: () => changed(),
  })
  const confirmShow = useConfirmShow()
  const set = async (hidden: boolean) => {
    const enable = hidden ? [] : await confirmShow(game)
    if (enable) await hide.start({ hidden, enable })
  }
  return (
    <tr data-picked={picks.has(game) || undefined}>
      <PickCell item={game} name={title} picks={picks} />
      <td className={g.hidden}>
        <span className={g.hide}>
          <span className={g.narrow} aria-hidden>
            {t('admin.games.hidden')}
          </span>
          <Switch
            aria-label={t('admin.games.hide', { title })}
            checked={hide.busy ? !game.hidden : game.hidden}
            onChange={(event) => void set(event.currentTarget.checked)}
          />
        </span>
      </td>
      <td className={g.game}>
        <span className={c.named}>
          <HoistPair title={title} id={id} poster={game.poster} size={20} />
          <Link to={paths.admin.game(id, narrow ? 'Review' : 'Info')} className={`${g.title} cut`} title={title}>
            {title}
          </Link>
        </span>
      </td>
      <td className={g.status}>
        <PhaseWord phase={phase} />
      </td>
      <td className={`${g.times} small`}>
        <When at={game.start} className={g.moment} /> <span className="faint">→</span> <When at={game.end} className={g.moment} />
      </td>
      <td className={`${g.summary} small dim`}>
        <span className={`${g.line} cut`} title={game.summary}>
          {game.summary}
        </span>
      </td>
      <td className={g.actions}>
        <span className={c.actions}>
          <Tooltip label={t('admin.publicPage')}>
            <ActionIcon component={Link} to={paths.game(id)} aria-label={t('admin.games.public', { title })}>
              <IconExternalLink size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('ui.edit')}>
            <ActionIcon
              component={Link}
              className={g.edit}
              to={paths.admin.game(id)}
              aria-label={t('admin.games.edit', { title })}
            >
              <IconPencil size={18} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          <GameMenu game={game} />
        </span>
      </td>
      {narrow && (
        <td className={`${g.links} small`}>
          <span className={g.narrow}>
            <Link className="link" to={paths.admin.game(id, 'Review')}>
              {t('admin.gameTabs.Review')}
            </Link>
            <Link className="link" to={paths.admin.game(id, 'Notices')}>
              {t('admin.gameTabs.Notices')}
            </Link>
            <Link className="link" to={paths.monitor(id)}>
              {t('frame.monitor')}
            </Link>
          </span>
        </td>
      )}
    </tr>
  )
}
