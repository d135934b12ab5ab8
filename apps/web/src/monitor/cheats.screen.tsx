import { Switch } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { pollWithout } from '../api/live.ts'
import { refetch } from '../api/live-data.ts'
import type { InGame } from '../shell/game-frame.tsx'
import { Empty, QueryView, Reconnecting } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { CheatTable } from './cheat-table.tsx'
import { CheatTeams } from './cheat-teams.tsx'
import c from './monitor.module.css'
import { cheatsQuery } from './monitor.queries.ts'
import { MonitorFrame } from './monitor-frame.tsx'
import { useMonitorLive } from './use-monitor-live.ts'

export default function CheatsScreen() {
  return <MonitorFrame tab="CheatInfo">{(inGame) => <Cheats {...inGame} />}</MonitorFrame>
}

/** The event feed announces new detections, on which the list is reloaded. */
function Cheats({ game, phase }: InGame) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [byTeam, setByTeam] = useLocalStorage({ key: 'cheats-by-team', defaultValue: true, getInitialValueInEffect: false })
  const query = cheatsQuery(game.id)
  const live = useMonitorLive(game.id, phase, {
    ReceivedGameEvent: ({ type }) => {
      if (type === 'CheatDetected') refetch(queries, query.queryKey)
    },
  })
  const list = useQuery({ ...query, refetchInterval: phase === 'running' && pollWithout(live) })
  return (
    <>
      <div className={c.tools}>
        <Switch
          label={t('monitor.cheats.byTeam')}
          checked={byTeam}
          onChange={(event) => setByTeam(event.currentTarget.checked)}
        />
        <span className={c.right}>{live === 'reconnecting' && <Reconnecting />}</span>
      </div>
      <QueryView query={list}>
        {(cheats) => {
          if (cheats.length === 0) {
            return <Empty flag="C" title={t('monitor.cheats.none')} text={t('monitor.cheats.noneText')} />
          }
          return byTeam ? <CheatTeams game={game.id} cheats={cheats} /> : <CheatTable cheats={cheats} />
        }}
      </QueryView>
    </>
  )
}
