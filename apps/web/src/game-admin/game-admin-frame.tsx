import { ActionIcon, Button } from '@mantine/core'
import {
  IconArrowLeft,
  IconBell,
  IconExternalLink,
  IconFileText,
  IconFlag3,
  IconInfoSquare,
  IconUsersGroup,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { GameInfo } from '@vexil/contract/games'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { Refusal } from '../api/client.ts'
import { usePhase } from '../api/use-phase.ts'
import NotFoundScreen from '../shell/not-found.screen.tsx'
import { paths } from '../shell/paths.ts'
import { useTitle } from '../shell/site.ts'
import { SideLinks } from '../ui/base/links.tsx'
import { Failure, Waiting } from '../ui/base/states.tsx'
import { PhaseWord } from '../ui/game/phase-word.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import {
  challengesQuery,
  editGameQuery,
  editNoticesQuery,
  participationsQuery,
  useGameAdminLive,
  writeupsQuery,
} from './game-admin.queries.ts'
import c from './game-admin-frame.module.css'
import { ShowButton } from './information/show-button.tsx'
import { useReady } from './use-ready.ts'

type AdminTab = 'Info' | 'Notices' | 'challenges' | 'Review' | 'Writeups'

interface Props {
  readonly tab: AdminTab
  readonly item?: string
  readonly tools?: (game: GameInfo) => ReactNode
  readonly children: (game: GameInfo) => ReactNode
}

export function GameAdminFrame(props: Props) {
  const id = Number(useParams().id)
  const query = useQuery(editGameQuery(id))
  const isNotFound = query.error instanceof Refusal && query.error.http === 404
  useGameAdminLive(id, !isNotFound)
  if (isNotFound) return <NotFoundScreen games={paths.admin.games} />
  if (query.data) return <Opened {...props} game={query.data} />
  return query.error ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : <Waiting page />
}

function Opened({ tab, item, tools, children, game }: Props & { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const phase = usePhase(game)
  const name = t(`admin.gameTabs.${tab}`)
  useTitle(`${item ?? name} - ${game.title}`)
  const back = item === undefined ? paths.admin.games : paths.admin.game(game.id, 'challenges')
  const backName = item === undefined ? t('admin.toGames') : t('admin.toChallenges')
  return (
    <div className={c.frame}>
      <header className={c.head}>
        <Tooltip label={backName}>
          <ActionIcon component={Link} to={back} aria-label={backName}>
            <IconArrowLeft size={20} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <h1 className={c.title}>
          {item !== undefined && (
            <>
              <Link to={paths.admin.game(game.id)} className={`${c.parent} cut`}>
                {game.title}
              </Link>
              <span className={c.slash} aria-hidden>
                /
              </span>
            </>
          )}
          <span className="cut">{item ?? game.title}</span>
        </h1>
        <span className={c.phase}>
          <PhaseWord phase={phase} />
          {game.hidden && t('games.hidden')}
        </span>
        <div className={c.tools}>
          {item === undefined && (
            <>
              <Button
                component={Link}
                to={paths.game(game.id)}
                variant="subtle"
                leftSection={<IconExternalLink size={18} stroke={1.6} />}
              >
                {t('admin.publicPage')}
              </Button>
              <ShowButton game={game} />
            </>
          )}
          {tools?.(game)}
        </div>
      </header>
      <div className={c.main}>
        <Tabs game={game} tab={tab} />
        {children(game)}
      </div>
    </div>
  )
}

function Tabs({ game, tab }: { readonly game: GameInfo; readonly tab: AdminTab }) {
  const { t } = useTranslation()
  const notices = useQuery(editNoticesQuery(game.id)).data
  const challenges = useQuery(challengesQuery(game.id)).data
  const waiting = useQuery(participationsQuery(game.id)).data?.filter(({ status }) => status === 'Pending').length
  const open = useReady(game)?.filter(({ level }) => level !== 'green').length
  const writeups = useQuery({ ...writeupsQuery(game.id), enabled: game.writeupRequired || tab === 'Writeups' }).data
  const entries = [
    { name: 'Info', Icon: IconInfoSquare, count: open ? <OpenCount count={open} /> : undefined },
    { name: 'Notices', Icon: IconBell, count: notices?.length },
    { name: 'challenges', Icon: IconFlag3, count: challenges?.length },
    { name: 'Review', Icon: IconUsersGroup, count: waiting ? t('admin.waiting', { count: waiting }) : undefined },
    { name: 'Writeups', Icon: IconFileText, count: writeups?.length || undefined },
  ] as const
  return (
    <SideLinks
      label={t('admin.partsOf', { title: game.title })}
      entries={entries.map(({ name, Icon, count }) => ({
        to: paths.admin.game(game.id, name),
        name: t(`admin.gameTabs.${name}`),
        current: name === tab,
        Icon,
        count,
      }))}
    />
  )
}

/** A number in the narrow column, with its meaning for screen readers. */
function OpenCount({ count }: { readonly count: number }) {
  const { t } = useTranslation()
  return (
    <>
      <span aria-hidden>{count}</span>
      <span className="unseen">{t('admin.ready.open', { count })}</span>
    </>
  )
}

interface ColumnProps {
  /** Stays visible at the bottom, for the save bar. */
  readonly foot?: ReactNode
  readonly bare?: boolean
  readonly children: ReactNode
}

export function Column({ foot, bare, children }: ColumnProps) {
  return (
    <div className={c.column}>
      <div className={c.scroll} data-bare={bare || undefined}>
        {children}
      </div>
      {foot}
    </div>
  )
}
