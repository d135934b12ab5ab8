import type { GameNotice } from '@vexil/contract/games'
import type { NoticeFilter, NoticeType } from '@vexil/core/vocabulary'

const kinds: Readonly<Record<NoticeFilter, readonly NoticeType[] | null>> = {
  all: null,
  challenge: ['NewChallenge', 'NewHint'],
  events: ['FirstBlood', 'SecondBlood', 'ThirdBlood'],
  game: ['Normal'],
}

/** Newest first. Own notices come only from their own call; the public one may be older. */
export function joinNotices(own: readonly GameNotice[], all: readonly GameNotice[]): GameNotice[] {
  return [...own, ...all.filter(({ type }) => type !== 'Normal')].sort(
    (a, b) => Date.parse(b.time) - Date.parse(a.time) || b.id - a.id,
  )
}

export const keepNotices = (notices: readonly GameNotice[], filter: NoticeFilter): GameNotice[] =>
  notices.filter(({ type }) => kinds[filter]?.includes(type) ?? true)
