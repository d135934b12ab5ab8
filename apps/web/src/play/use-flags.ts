/** Answers on their way. They live with the screen, so an answer goes on when its dialog is closed (CD-18). */
import { useQueryClient } from '@tanstack/react-query'
import { trimFlag } from '@vexil/core/flags'
import { flagLimits } from '@vexil/core/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Refusal } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { toast } from '../ui/toast.tsx'
import { sendFlag } from './play.queries.ts'

export interface FlagState {
  readonly text: string
  readonly busy: boolean
  /** Seconds until another answer is taken. */
  readonly waitUntil: number
  readonly message: { readonly kind: 'bad' | 'wary'; readonly text: string; readonly submission?: number } | null
  /** The last wrong answer, for bringing it back. */
  readonly last: string | null
  /** Right by our own knowledge, before any board says so. */
  readonly right: boolean
}

const fresh: FlagState = { text: '', busy: false, waitUntil: 0, message: null, last: null, right: false }

export interface Flags {
  readonly of: (challenge: number) => FlagState
  readonly write: (challenge: number, text: string) => void
  readonly send: (challenge: number, scored: boolean) => Promise<void>
}

export function useFlags(gameId: number): Flags {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const [states, setStates] = useState<Readonly<Record<number, FlagState>>>({})
  const of = (challenge: number) => states[challenge] ?? fresh
  const change = (challenge: number, part: Partial<FlagState>) =>
    setStates((old) => ({ ...old, [challenge]: { ...(old[challenge] ?? fresh), ...part } }))

  async function send(challenge: number, scored: boolean): Promise<void> {
    const { text, busy } = of(challenge)
    if (busy) return
    const flag = trimFlag(text)
    const id = `flag-${challenge}`
    if (flag === '') {
      change(challenge, { message: { kind: 'bad', text: t('play.empty') } })
      toast({ id, kind: 'bad', title: t('play.empty') })
      return
    }
    if (text.length > flagLimits.flagMax) {
      change(challenge, { message: { kind: 'bad', text: t('play.tooLong', { max: flagLimits.flagMax }) } })
      return
    }
    change(challenge, { busy: true, message: null })
    toast({ id, kind: 'work', title: t('play.checking') })
    try {
      const { submission, result } = await sendFlag(gameId, challenge, flag)
      if (result === 'Accepted') {
        change(challenge, { busy: false, right: true, text: '', message: null, last: null })
        toast({ id, kind: 'good', title: t('play.right'), text: t(scored ? 'play.boardFollows' : 'play.notScored') })
        void queries.invalidateQueries({ queryKey: keys.game(gameId).play })
      } else if (result === 'WrongAnswer') {
        const hints = Object.values(t('play.hints', { returnObjects: true }))
        const hint = hints[Math.floor(Math.random() * hints.length)] ?? ''
        change(challenge, { busy: false, text: '', last: flag, message: { kind: 'bad', text: `${t('play.wrong')} ${hint}` } })
        toast({ id, kind: 'bad', title: t('play.wrong'), text: hint, closes: 8000 })
      } else {
        change(challenge, { busy: false, message: { kind: 'wary', text: t('play.unknown', { id: submission }), submission } })
        toast({ id, kind: 'wary', title: t('play.unknownTitle'), text: t('play.unknown', { id: submission }), closes: false })
      }
    } catch (error) {
      refused(challenge, id, error)
    }
  }

  function refused(challenge: number, id: string, error: unknown): void {
    const refusal = error instanceof Refusal ? error : new Refusal(0, undefined)
    const text = refusal.title || t('ui.unknownError')
    const waitUntil = refusal.retryAfter ? Date.now() + refusal.retryAfter * 1000 : 0
    change(challenge, { busy: false, waitUntil, message: { kind: refusal.http === 429 ? 'wary' : 'bad', text } })
    toast({
      id,
      kind: refusal.http === 429 ? 'wary' : 'bad',
      title: refusal.http === 429 ? t('ui.tryLater') : t('play.notSent'),
      text,
    })
    // The participation or the game may have changed under the player's hands.
    if (refusal.http === 400) void queries.invalidateQueries({ queryKey: keys.game(gameId).detail })
    if (refusal.http === 404) void queries.invalidateQueries({ queryKey: keys.game(gameId).play })
  }

  return { of, write: (challenge, text) => change(challenge, { text, message: null }), send }
}
