import {
  IconActivity,
  IconAlertTriangle,
  IconChartBar,
  IconFileSpreadsheet,
  IconFlag,
  IconListDetails,
  IconNetwork,
  IconUserExclamation,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { scoreboardSheet } from '@vexil/contract/scoreboard'
import type { ReactNode } from 'react'
import { GameFrame, type InGame } from '../shell/game-frame.tsx'
import { paths } from '../shell/paths.ts'
import { useTitle } from '../shell/site.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { SideLinks } from '../ui/base/links.tsx'
import { Empty } from '../ui/base/states.tsx'
import { useDownload } from '../ui/base/use-download.ts'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { When } from '../ui/time/when.tsx'
import { failingChecksQuery, silentQuery } from './monitor.queries.ts'
import c from './monitor-frame.module.css'

const tabs = [
  { name: 'Events', Icon: IconActivity },
  { name: 'Submissions', Icon: IconListDetails },
  { name: 'CheatInfo', Icon: IconUserExclamation },
  { name: 'traffic', Icon: IconNetwork },
] as const

const others = [
  { name: 'scoreboard', Icon: IconChartBar },
  { name: 'challenges', Icon: IconFlag },
] as const

type MonitorTab = (typeof tabs)[number]['name']

interface Props {
  readonly tab: MonitorTab
  readonly children: (inGame: InGame) => ReactNode
}

/** Tabs of the monitor. Before the start the server refuses the lists, but not captured traffic. */
export function MonitorFrame({ tab, children }: Props) {
  return <GameFrame tab="monitor">{(inGame) => <Parts {...{ tab, children, inGame }} />}</GameFrame>
}

function Parts({ tab, children, inGame }: Props & { readonly inGame: InGame }) {
  const { t } = useTranslation()
  const { game, phase, plays } = inGame
  useTitle(`${t(`monitor.tabs.${tab}`)} - ${game.title}`)
  return (
    <div className={c.main}>
      <div className={c.side}>
        <SideLinks
          label={t('monitor.parts')}
          entries={[
            ...tabs.map(({ name, Icon }) => ({
              to: paths.monitor(game.id, name),
              name: t(`monitor.tabs.${name}`),
              current: name === tab,
              Icon,
            })),
            ...others
              .filter(({ name }) => plays || name !== 'challenges')
              .map(({ name, Icon }) => ({
                to: paths[name](game.id),
                name: t(`frame.${name}`),
                current: false,
                Icon,
                narrow: true,
              })),
          ]}
        />
        <SheetButton game={game.id} started={phase !== 'before'} />
      </div>
      <div className={c.content}>
        <Silent game={game.id} />
        {phase === 'before' && tab !== 'traffic' ? (
          <Empty flag="M" title={t('monitor.notStarted')} text={t('monitor.notStartedText')} />
        ) : (
          children(inGame)
        )}
      </div>
    </div>
  )
}

/** Challenges whose instances do not answer or whose solver check fails; renders nothing without any. */
function Silent({ game }: { readonly game: number }) {
  const { t } = useTranslation()
  const { data = [] } = useQuery(silentQuery(game))
  const { data: failing = [] } = useQuery(failingChecksQuery(game))
  if (data.length + failing.length === 0) return null
  return (
    <ul className={c.silent} role="status">
      {data.map(({ challengeId, title, port, since }) => (
        <li key={challengeId}>
          <IconAlertTriangle size={16} stroke={1.8} aria-hidden />
          <span>
            {t('monitor.silent', { title, port: String(port) })} <When at={since} />
          </span>
        </li>
      ))}
      {failing.map(({ challengeId, title, since }) => (
        <li key={`check ${challengeId}`}>
          <IconAlertTriangle size={16} stroke={1.8} aria-hidden />
          <span>
            {t('monitor.checkFails', { title })} <When at={since} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function SheetButton({ game, started }: { readonly game: number; readonly started: boolean }) {
  const { t } = useTranslation()
  const sheet = useDownload(scoreboardSheet, { params: { id: game } })
  return (
    <ActionButton
      action={sheet}
      variant="default"
      className={c.sheet}
      leftSection={<IconFileSpreadsheet size={18} stroke={1.6} />}
      disabled={!started}
      onClick={() => void sheet.start()}
    >
      <span className={c.sheetName}>{t('monitor.boardSheet')}</span>
    </ActionButton>
  )
}
