import { SegmentedControl } from '@mantine/core'
import { IconBulb, IconFlagPlus, IconPin, IconSpeakerphone } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { DetailedGame, GameNotice } from '@vexil/contract/games'
import { useState } from 'react'
import { useServerNow } from '../api/clock.ts'
import { type LiveState, pollWithout } from '../api/live.ts'
import { Empty, QueryView, Reconnecting } from '../ui/base/states.tsx'
import { BloodMark } from '../ui/game/blood-mark.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { When } from '../ui/time/when.tsx'
import c from './notice-panel.module.css'
import { noticesQuery } from './play.queries.ts'
import type { Shown } from './shown.ts'

interface Props {
  readonly game: DetailedGame
  readonly cards: readonly Shown[]
  readonly live: LiveState
  readonly onOpen: (challenge: number) => void
  /** Without a heading, for a sheet that has one. */
  readonly bare?: boolean
}

const filters = {
  all: null,
  notice: ['Normal'],
  news: ['FirstBlood', 'SecondBlood', 'ThirdBlood'],
  challenge: ['NewChallenge', 'NewHint'],
} as const
type Filter = keyof typeof filters

const hour = 3_600_000

/** Newest first; normal notices of the last hour stay on top. */
function inOrder(notices: readonly GameNotice[], now: number): { notice: GameNotice; pinned: boolean }[] {
  return notices
    .map((notice) => ({ notice, pinned: notice.type === 'Normal' && now - Date.parse(notice.time) < hour }))
    .sort(
      (a, b) =>
        Number(b.pinned) - Number(a.pinned) || Date.parse(b.notice.time) - Date.parse(a.notice.time) || b.notice.id - a.notice.id,
    )
}

export function NoticePanel({ game, cards, live, onOpen, bare }: Props) {
  const { t } = useTranslation()
  const query = useQuery({ ...noticesQuery(game.id), refetchInterval: pollWithout(live) })
  const [filter, setFilter] = useState<Filter>('all')
  const now = useServerNow(60_000)
  return (
    <section className={c.panel} aria-label={bare ? undefined : t('frame.notices')}>
      {!bare && (
        <header className={c.head}>
          <h2>{t('frame.notices')}</h2>
          {live === 'reconnecting' ? <Reconnecting /> : live === 'live' && <span className={c.live}>{t('play.live')}</span>}
        </header>
      )}
      <SegmentedControl
        className={c.filters}
        size="xs"
        value={filter}
        onChange={(value) => setFilter(value as Filter)}
        data={(Object.keys(filters) as Filter[]).map((value) => ({ value, label: t(`play.notices.${value}`) }))}
        aria-label={t('play.noticeFilter')}
      />
      <QueryView query={query}>
        {(notices) => {
          const kinds = filters[filter] as readonly string[] | null
          const shown = inOrder(
            notices.filter(({ type }) => kinds === null || kinds.includes(type)),
            now,
          )
          if (shown.length === 0) return <Empty title={t(`play.noNotices.${filter}`)} />
          return (
            <ul className={c.list} aria-live="polite">
              {shown.map(({ notice, pinned }) => (
                <Entry
                  key={notice.id}
                  notice={notice}
                  pinned={pinned}
                  mine={isMine(notice, game)}
                  card={cardOf(notice, cards)}
                  onOpen={onOpen}
                />
              ))}
            </ul>
          )
        }}
      </QueryView>
    </section>
  )
}

const isMine = ({ type, values }: GameNotice, game: DetailedGame) => type.endsWith('Blood') && values[0] === game.teamName
const cardOf = ({ type, values }: GameNotice, cards: readonly Shown[]) =>
  type === 'Normal' ? undefined : cards.find(({ title }) => title === values.at(-1))

const places = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 } as const

interface EntryProps {
  readonly notice: GameNotice
  readonly pinned: boolean
  readonly mine: boolean
  readonly card: Shown | undefined
  readonly onOpen: (challenge: number) => void
}

function Entry({ notice: { type, values, time }, pinned, mine, card, onOpen }: EntryProps) {
  const place = places[type as keyof typeof places]
  const icon = place ? (
    <BloodMark place={place} size={18} />
  ) : type === 'NewHint' ? (
    <IconBulb size={18} stroke={1.6} />
  ) : type === 'NewChallenge' ? (
    <IconFlagPlus size={18} stroke={1.6} />
  ) : pinned ? (
    <IconPin size={18} stroke={1.6} />
  ) : (
    <IconSpeakerphone size={18} stroke={1.6} />
  )
  return (
    <li className={[c.entry, pinned && c.pinned, mine && c.mine].filter(Boolean).join(' ')}>
      <span className={c.icon}>{icon}</span>
      {card ? (
        <button type="button" className={c.words} onClick={() => onOpen(card.id)}>
          <Words type={type} values={values} />
        </button>
      ) : (
        <div className={c.words}>
          <Words type={type} values={values} />
        </div>
      )}
      <When at={time} style={pinned ? 'relative' : 'clock'} className={c.time} />
    </li>
  )
}

/** Names are text nodes, so that they are never parsed as markup. */
function Words({ type, values }: Pick<GameNotice, 'type' | 'values'>) {
  const { t } = useTranslation()
  if (type === 'Normal') return <Markdown source={values.at(-1) ?? ''} inline />
  const [first = '', second = ''] = values
  const names: Record<string, string> = type.endsWith('Blood') ? { '\u0001': first, '\u0002': second } : { '\u0002': first }
  const sentence = t(`play.sentences.${type}`, { team: '\u0001', challenge: '\u0002' })
  return sentence.split(/([\u0001\u0002])/).map((part) => (part in names ? <b key={part}>{names[part]}</b> : part))
}
