import { ActionIcon } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useIsFetching, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { keys } from '../api/query-keys.ts'
import type { InGame } from '../shell/game-frame.tsx'
import { withParts } from '../shell/paths.ts'
import { Empty, QueryView } from '../ui/base/states.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { MonitorFrame } from './monitor-frame.tsx'
import c from './traffic.module.css'
import { captureChallengesQuery, useTrafficChanged } from './traffic.queries.ts'
import { CaptureChallenges, CaptureTeams } from './traffic-choices.tsx'
import { CaptureFiles } from './traffic-files.tsx'

export default function TrafficScreen() {
  return <MonitorFrame tab="traffic">{(inGame) => <Traffic {...inGame} />}</MonitorFrame>
}

const idOf = (text: string | null) => (text !== null && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined)

/** Columns for challenge, team and file; each shows the choice of the one before. The choices are in the address. */
function Traffic({ game }: InGame) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const challenges = useQuery(captureChallengesQuery(game.id))
  const refresh = useTrafficChanged(game.id)
  const fetching = useIsFetching({ queryKey: keys.game(game.id).traffic() }) > 0
  const challenge = idOf(query.get('challenge'))
  const team = challenge === undefined ? undefined : idOf(query.get('team'))
  const choose = (parts: Readonly<Record<string, string | null>>) => setQuery(withParts(query, parts))
  return (
    <>
      <div className={c.tools}>
        <p className={c.note}>{t('monitor.traffic.about')}</p>
        <Tooltip label={t('monitor.traffic.refresh')}>
          <ActionIcon aria-label={t('monitor.traffic.refresh')} loading={fetching} onClick={() => void refresh()}>
            <IconRefresh size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </div>
      <QueryView query={challenges}>
        {(list) =>
          list.length === 0 ? (
            <Empty flag="T" title={t('monitor.traffic.none')} text={t('monitor.traffic.noneText')} />
          ) : (
            <div className={c.columns}>
              <CaptureChallenges
                challenges={list}
                chosen={challenge}
                onChoose={(id) => choose({ challenge: String(id), team: null })}
              />
              <CaptureTeams
                key={challenge}
                game={game.id}
                challenge={challenge}
                chosen={team}
                onChoose={(id) => choose({ team: String(id) })}
              />
              <CaptureFiles key={`${challenge}-${team}`} game={game.id} challenge={challenge} team={team} />
            </div>
          )
        }
      </QueryView>
    </>
  )
}
