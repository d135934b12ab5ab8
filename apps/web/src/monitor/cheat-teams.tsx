import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { setParticipation } from '@vexil/contract/games'
import type { CheatInfo } from '@vexil/contract/submissions'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { useId, useState } from 'react'
import { call } from '../api/client.ts'
import { patchList } from '../api/live-data.ts'
import { keys } from '../api/query-keys.ts'
import { reaches, useSession } from '../shell/session.ts'
import { numbered } from '../ui/base/feed-list.ts'
import { Opener } from '../ui/base/opener.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { StatusActions, StatusWord } from '../ui/game/participation-status.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { useFormats } from '../ui/time/time.ts'
import { TimeTip, When } from '../ui/time/when.tsx'
import { type CheatTeam, cheatTeams, type PartRef, withStatus } from './cheats.ts'
import { submissionKey } from './feed.ts'
import c from './monitor.module.css'
import { cheatsQuery } from './monitor.queries.ts'

/** Only administrators can change a status. */
export function CheatTeams({ game, cheats }: { readonly game: number; readonly cheats: readonly CheatInfo[] }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const admin = reaches(useSession().role, 'Admin')
  const set = useAction({
    id: 'participation',
    call: async ({ part, to }: { part: PartRef; to: ParticipationStatus }) =>
      call(setParticipation, { params: { id: part.id, status: to } }),
    done: (_, { part, to }) => t('monitor.cheats.set', { team: part.team.name, status: t(`admin.status.${to}`) }),
    failed: t('monitor.cheats.notSet'),
    onDone: (_, { part, to }) => {
      patchList<CheatInfo>(queries, cheatsQuery(game).queryKey, (list) => withStatus(list, part.id, to))
      void queries.invalidateQueries({ queryKey: keys.game(game).participations })
    },
  })
  return (
    <ul className={c.list}>
      {cheatTeams(cheats).map((team) => (
        <Team
          key={team.part.id}
          team={team}
          busy={set.busy || set.wait > 0}
          onSet={admin ? (to) => void set.start({ part: team.part, to }) : undefined}
        />
      ))}
    </ul>
  )
}

interface TeamProps {
  readonly team: CheatTeam
  readonly busy: boolean
  readonly onSet: ((status: ParticipationStatus) => void) | undefined
}

function Team({ team: { part, entries, last }, busy, onSet }: TeamProps) {
  const { t } = useTranslation()
  const { time } = useFormats()
  const id = useId()
  const sub = [part.organization, t('monitor.cheats.last', { time: time(last, 'exact') })].filter(Boolean).join(' · ')
  const [opened, setOpened] = useState(false)
  return (
    <li className={c.team}>
      <div className={c.teamHead}>
        <Opener
          team={part.team}
          sub={<TimeTip at={last}>{sub}</TimeTip>}
          opened={opened}
          controls={id}
          onToggle={() => setOpened(!opened)}
        />
        <span className="small num faint">{t('monitor.cheats.entries', { count: entries.length })}</span>
        <StatusWord status={part.status} />
        {onSet && <StatusActions status={part.status} team={part.team.name} busy={busy} onSet={onSet} />}
      </div>
      <div id={id} hidden={!opened}>
        {opened && <Entries entries={entries} />}
      </div>
    </li>
  )
}

function Entries({ entries }: Pick<CheatTeam, 'entries'>) {
  const { t } = useTranslation()
  return (
    <ul className={c.entries}>
      {numbered(entries, ({ cheat }) => submissionKey(cheat.submission)).map(({ key, entry: { sent, other, cheat } }) => (
        <li key={key} className={c.entry}>
          {sent ? (
            <IconArrowRight className={c.sent} size={18} stroke={1.8} />
          ) : (
            <IconArrowLeft className={c.given} size={18} stroke={1.8} />
          )}
          <span className={sent ? c.sent : c.given}>{t(sent ? 'monitor.cheats.sent' : 'monitor.cheats.given')}</span>
          <span className="cut">
            {other.team.name} · {cheat.submission.user}
          </span>
          <span className={c.words}>
            {cheat.submission.challenge} <span className="mono">{cheat.submission.answer}</span>
          </span>
          <When at={cheat.submission.time} style="exact" className={c.time} />
        </li>
      ))}
    </ul>
  )
}
