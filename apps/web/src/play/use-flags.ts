/** Answers in flight belong to the screen and are judged after the dialog closes; typed text belongs to the tab. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { ProfileUserInfo } from '@vexil/contract/accounts'
import type { Try } from '@vexil/contract/submissions'
import { trimFlag } from '@vexil/core/flags'
import { flagLimits } from '@vexil/core/limits'
import { createElement, type ReactNode, useCallback, useState } from 'react'
import { Refusal } from '../api/client.ts'
import { serverNow } from '../api/clock.ts'
import { isOnline } from '../api/connection.ts'
import { keys } from '../api/query-keys.ts'
import { keepDraft, readDrafts } from '../api/tab-drafts.ts'
import { CopyButton } from '../ui/base/copy.tsx'
import { useErrorText } from '../ui/base/use-action.ts'
import { toast } from '../ui/overlays/toast.tsx'
import { listTexts, t, useTranslation } from '../ui/text/texts.tsx'
import { sendFlag } from './play.queries.ts'

export interface FlagState {
  readonly text: string
  readonly busy: boolean
  /** Device time from which another answer is accepted, ms. */
  readonly waitUntil: number
  readonly message: { readonly kind: 'bad' | 'wary'; readonly text: string; readonly submission?: number } | null
  readonly last: string | null
  /** Known to be right before the board has the solve. */
  readonly right: boolean
  /** The team has tried this answer; a second submit sends it. */
  readonly tried: Try | null
  /** Device time of a submit while the platform was unreachable; the answer is sent when confirmed. */
  readonly waitsSince: number | null
}

const fresh: FlagState = {
  text: '',
  busy: false,
  waitUntil: 0,
  message: null,
  last: null,
  right: false,
  tried: null,
  waitsSince: null,
}
type States = Readonly<Record<number, FlagState>>

export interface Flags {
  readonly of: (challenge: number) => FlagState
  readonly write: (challenge: number, text: string) => void
  readonly send: (challenge: number, scored: boolean) => Promise<void>
  /** While a challenge is attended, its form shows the result; otherwise a toast does. Returns a function that ends this. */
  readonly attend: (challenge: number) => () => void
}

const groupOf = (gameId: number) => `flag ${gameId} `

/** Text typed before a reload: the time of a waiting flag (or nothing), a space, the text. */
function readTyped(gameId: number): States {
  const typed = [...readDrafts(groupOf(gameId))].map(([challenge, draft]): [string, FlagState] => {
    const [since = '', ...text] = draft.split(' ')
    return [challenge, { ...fresh, text: text.join(' '), waitsSince: since === '' ? null : Number(since) }]
  })
  return Object.fromEntries(typed)
}

export function useFlags(gameId: number): Flags {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const errorText = useErrorText()
  const [states, setStates] = useState(() => readTyped(gameId))
  const [attended] = useState(() => new Set<number>())
  const of = useCallback((challenge: number) => states[challenge] ?? fresh, [states])
  const change = (challenge: number, part: Partial<FlagState>) =>
    setStates((old) => ({ ...old, [challenge]: { ...(old[challenge] ?? fresh), ...part } }))
  const keep = (challenge: number, text: string, waitsSince: number | null) =>
    keepDraft(`${groupOf(gameId)}${challenge}`, text === '' ? '' : `${waitsSince ?? ''} ${text}`)
  const showToast: typeof toast = (one) => {
    if (!attended.has(Number(one.id?.slice('flag-'.length)))) toast(one)
  }

  function write(challenge: number, text: string): void {
    keep(challenge, text, null)
    change(challenge, { text, message: null, tried: null, waitsSince: null })
  }

  async function send(challenge: number, scored: boolean): Promise<void> {
    const state = of(challenge)
    if (state.busy) return
    const flag = trimFlag(state.text)
    const refuse = (text: string) => change(challenge, { message: { kind: 'bad', text } })
    if (flag === '') return refuse(t('play.empty'))
    if (flag.length > flagLimits.flagMax) return refuse(t('play.tooLong', { max: flagLimits.flagMax }))
    if (!isOnline()) return holdBack(challenge, state.text)
    const tried = triesOf(queries, gameId, challenge).find(({ answer }) => answer === flag) ?? null
    if (tried && !state.tried) return change(challenge, { tried, message: null })
    change(challenge, { busy: true, message: null, tried: null, waitsSince: null })
    await judge(challenge, flag, state.text, scored)
  }

  function holdBack(challenge: number, text: string): void {
    const waitsSince = Date.now()
    keep(challenge, text, waitsSince)
    change(challenge, { busy: false, waitsSince, message: null, tried: null })
  }

  async function judge(challenge: number, flag: string, text: string, scored: boolean): Promise<void> {
    const id = `flag-${challenge}`
    try {
      const { submission, result } = await sendFlag(gameId, challenge, flag)
      keep(challenge, '', null)
      if (result !== 'unknown') addTry(queries, gameId, challenge, flag, result)
      const { part, message } = outcomeOf(submission, result, flag, scored)
      change(challenge, { busy: false, ...part })
      showToast({ id, ...message })
      if (result === 'Accepted') void queries.invalidateQueries({ queryKey: keys.game(gameId).play })
    } catch (error) {
      // It is unknown whether it arrived; a right answer may be sent twice.
      if (error instanceof Refusal && error.http === 0) holdBack(challenge, text)
      else refused(challenge, id, error)
    }
  }

  function refused(challenge: number, id: string, error: unknown): void {
    const refusal = error instanceof Refusal ? error : new Refusal(400, undefined)
    const kind = refusal.http === 429 ? 'wary' : 'bad'
    const text = errorText(error)
    const waitUntil = refusal.retryAfter ? Date.now() + refusal.retryAfter * 1000 : 0
    change(challenge, { busy: false, waitUntil, message: { kind, text } })
    showToast({ id, kind, title: refusal.http === 429 ? t('ui.tryLater') : t('play.notSent'), text })
    // The participation or the game may have changed.
    if (refusal.http === 400 || refusal.http === 403) void queries.invalidateQueries({ queryKey: keys.game(gameId).detail })
    if (refusal.http !== 429) void queries.invalidateQueries({ queryKey: keys.game(gameId).play })
  }

  const attend = useCallback(
    (challenge: number) => {
      attended.add(challenge)
      return () => void attended.delete(challenge)
    },
    [attended],
  )
  return { of, write, send, attend }
}

function outcomeOf(
  submission: number,
  result: Awaited<ReturnType<typeof sendFlag>>['result'],
  flag: string,
  scored: boolean,
): { part: Partial<FlagState>; message: Parameters<typeof toast>[0] } {
  if (result === 'Accepted')
    return {
      part: { right: true, text: '', last: null },
      message: { kind: 'good', title: t('play.right'), text: t(scored ? 'play.boardFollows' : 'play.notScored') },
    }
  if (result === 'WrongAnswer') {
    const hints = listTexts('play.hints')
    const hint = hints[Math.floor(Math.random() * hints.length)] ?? ''
    return {
      part: { last: flag, message: { kind: 'bad', text: `${t('play.wrong')} ${hint}` } },
      message: { kind: 'bad', title: t('play.wrong'), text: hint, closes: 8000 },
    }
  }
  const text = t('play.unknown', { id: String(submission) })
  return {
    part: { message: { kind: 'wary', text, submission } },
    message: { kind: 'wary', title: t('play.unknownTitle'), text: copyable(text, submission), closes: false },
  }
}

const copyable = (text: string, submission: number): ReactNode =>
  createElement('span', null, text, ' ', createElement(CopyButton, { text: String(submission) }))

const triesOf = (queries: QueryClient, game: number, challenge: number): readonly Try[] =>
  queries.getQueryData<Try[]>(keys.game(game).tries(challenge)) ?? []

/** Adds the own answer to the list at once; answers of team mates arrive later. */
function addTry(queries: QueryClient, game: number, challenge: number, answer: string, status: Try['status']): void {
  const key = keys.game(game).tries(challenge)
  const user = queries.getQueryData<ProfileUserInfo | null>(keys.profile)?.userName ?? null
  const own: Try = { answer, status, time: new Date(serverNow()).toISOString(), user }
  queries.setQueryData<Try[]>(key, (old = []) => [own, ...old.filter((one) => one.answer !== answer)])
  void queries.invalidateQueries({ queryKey: key })
}
