import { Popover } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import type { DetailedGame } from '@vexil/contract/games'
import type { GameDetail } from '@vexil/contract/scoreboard'
import type { Phase } from '@vexil/core/phases'
import type { BoardRow } from '@vexil/core/scoreboard'
import { type ReactNode, useState } from 'react'
import { WriteupButton } from '../shell/writeup-button.tsx'
import { Avatar } from '../ui/base/avatar.tsx'
import { CopyButton } from '../ui/base/copy.tsx'
import { Stat } from '../ui/base/stat.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import c from './own-strip.module.css'

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly details: GameDetail
  readonly own: BoardRow | undefined
  /** Teams with a rank. */
  readonly teams: number
  readonly solved: number
  readonly total: number
}

function useNumbers({ details, own }: Pick<Props, 'details' | 'own'>) {
  const { rank } = details
  return {
    rank: own?.rank ?? rank.rank,
    division: own ? own.divisionRank : rank.organizationRank,
    points: own?.points ?? rank.score,
    team: { name: own?.team.name ?? rank.name, avatar: own?.team.avatar ?? rank.avatar, id: rank.id },
  }
}

export function OwnStrip(props: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { details, solved, total, game, phase, teams } = props
  const { rank, division, points, team } = useNumbers(props)
  return (
    <section className={c.strip} aria-label={t('play.own')}>
      <Popover width={320} position="bottom-start" trapFocus>
        <Popover.Target>
          <button type="button" className={c.who}>
            <Avatar src={team.avatar} name={team.name} id={team.id} size={28} />
            <span className={c.name}>{team.name}</span>
          </button>
        </Popover.Target>
        <Popover.Dropdown>
          <Token token={details.teamToken} />
        </Popover.Dropdown>
      </Popover>
      <WriteupButton game={game} phase={phase} size="sm" />
      {rank > 0 && (
        <Flash value={rank}>
          <Stat form="row" value={rank} label={t('play.ofTeams', { count: teams })} />
        </Flash>
      )}
      {division !== null && game.organization && (
        <span className={c.wide}>
          <Stat form="row" value={division} label={t('play.inDivision', { division: game.organization })} />
        </span>
      )}
      <Flash value={points}>
        <Stat form="row" value={number(points)} label={t('play.points')} />
      </Flash>
      <Stat form="row" value={solved} label={t('play.ofSolved', { count: total })} />
    </section>
  )
}

/** Highlights a changed value, but not the first one. */
function Flash({ value, children }: { readonly value: number; readonly children: ReactNode }) {
  const [first] = useState(value)
  return (
    <span key={value} className={value === first ? undefined : c.flash}>
      {children}
    </span>
  )
}

export function TeamFacts(props: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { game, phase, details, solved, total, teams } = props
  const { rank, division, points } = useNumbers(props)
  return (
    <div className={c.facts}>
      <div className={c.stats}>
        <Stat value={rank || '–'} label={t('play.ofTeams', { count: teams })} />
        {division !== null && game.organization && (
          <Stat value={division} label={t('play.inDivision', { division: game.organization })} />
        )}
        <Stat value={number(points)} label={t('play.points')} />
        <Stat value={solved} label={t('play.ofSolved', { count: total })} />
      </div>
      <span className={c.progress} aria-hidden>
        <i style={{ width: total > 0 ? `${(solved / total) * 100}%` : 0 }} />
      </span>
      <WriteupButton game={game} phase={phase} />
      <Token token={details.teamToken} />
    </div>
  )
}

function Token({ token }: { readonly token: string }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(false)
  return (
    <div className={c.token}>
      <p className={c.tokenName}>{t('play.token')}</p>
      <p className={c.tokenText}>{t('play.tokenText')}</p>
      <div className={c.tokenRow}>
        <code>{shown ? token : '•'.repeat(24)}</code>
        <button type="button" aria-label={t(shown ? 'play.hideToken' : 'play.showToken')} onClick={() => setShown(!shown)}>
          {shown ? <IconEyeOff size={16} stroke={1.6} /> : <IconEye size={16} stroke={1.6} />}
        </button>
        <CopyButton text={token} label={t('play.copyToken')} />
      </div>
    </div>
  )
}
