import { Button, useComputedColorScheme } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { captcha } from '@vexil/contract/site'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import type { Action } from '../ui/base/use-action.ts'
import { toast } from '../ui/overlays/toast.tsx'
import { t, useTranslation } from '../ui/text/texts.tsx'
import c from './captcha.module.css'

interface Turnstile {
  render: (element: HTMLElement, options: Record<string, unknown>) => string
  reset: (widget: string) => void
  remove: (widget: string) => void
}
interface Recaptcha {
  ready: (then: () => void) => void
  execute: (siteKey: string, options: { action: string }) => Promise<string>
}
declare global {
  interface Window {
    turnstile?: Turnstile
    grecaptcha?: Recaptcha
  }
}

const scripts = new Map<string, Promise<void>>()

/** Loads a vendor's script once, with the script nonce of the page. A failed one is loaded again. */
function loadScript(address: string): Promise<void> {
  const present = scripts.get(address)
  if (present) return present
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = address
    script.async = true
    script.nonce = document.getElementById('nonce')?.dataset.nonce ?? ''
    script.onload = () => resolve()
    script.onerror = () => {
      script.remove()
      scripts.delete(address)
      reject(new Error(address))
    }
    document.head.append(script)
  })
  scripts.set(address, loading)
  return loading
}

const addressOf = (provider: 'CloudflareTurnstile' | 'GoogleRecaptcha', siteKey: string) =>
  provider === 'CloudflareTurnstile'
    ? 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'
    : `https://www.recaptcha.net/recaptcha/api.js?render=${encodeURIComponent(siteKey)}`

function wait(): null {
  toast({ id: 'captcha', kind: 'wary', title: t('account.captchaWait'), text: t('ui.tryLater') })
  return null
}

const settings = queryOptions({
  queryKey: keys.captcha,
  queryFn: () => call(captcha),
  staleTime: Number.POSITIVE_INFINITY,
})

export interface Captcha {
  readonly box: ReactNode
  /**
   * Starts the call with a fresh token (undefined where none is needed), after the settings of the captcha have arrived.
   * Without a token yet, shows a toast and starts nothing.
   */
  readonly start: (form: Pick<Action<string | undefined>, 'start'>) => Promise<void>
}

export function useCaptcha(action: string): Captcha {
  const { language } = useTranslation()
  const scheme = useComputedColorScheme('dark')
  const client = useQueryClient()
  const { data } = useQuery(settings)
  const [attempt, setAttempt] = useState(0)
  const [failed, setFailed] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  const token = useRef<string>(undefined)
  const widget = useRef<string>(undefined)

  const provider = data && data.siteKey !== '' ? data.type : 'None'
  const siteKey = data?.siteKey ?? ''
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt loads the script again
  useEffect(() => {
    if (provider === 'None') return
    let current = true
    setFailed(false)
    loadScript(addressOf(provider, siteKey)).then(
      () => {
        if (!current || provider !== 'CloudflareTurnstile' || !place.current) return
        widget.current = window.turnstile?.render(place.current, {
          sitekey: siteKey,
          theme: scheme,
          size: 'flexible',
          language: language.replace('_', '-').toLowerCase(),
          action,
          callback: (fresh: string) => {
            token.current = fresh
          },
          'expired-callback': () => {
            token.current = undefined
          },
          'error-callback': () => setFailed(true),
        })
      },
      () => current && setFailed(true),
    )
    return () => {
      current = false
      if (widget.current) window.turnstile?.remove(widget.current)
      widget.current = undefined
      token.current = undefined
    }
  }, [provider, siteKey, scheme, action, attempt, language])

  const readToken = async () => {
    // A form can be submitted before the settings arrive. Without them the server decides.
    const known = data ?? (await client.fetchQuery(settings).catch(() => undefined))
    if (!known || known.siteKey === '' || known.type === 'None') return undefined
    if (known.type === 'CloudflareTurnstile') return token.current ?? wait()
    const library = window.grecaptcha
    if (!library) return wait()
    return new Promise<string | null>((resolve) => {
      library.ready(() => void library.execute(known.siteKey, { action }).then(resolve, () => resolve(wait())))
    })
  }
  const start: Captcha['start'] = async (form) => {
    const challenge = await readToken()
    if (challenge === null) return
    await form.start(challenge)
    token.current = undefined
    if (widget.current) window.turnstile?.reset(widget.current)
  }

  const box =
    provider === 'None' ? null : (
      <>
        {failed && <Failed onRetry={() => setAttempt(attempt + 1)} />}
        {/* Stays after a failure: a loaded script shows the next captcha before the page is drawn again. */}
        <div ref={place} hidden={failed} className={provider === 'CloudflareTurnstile' ? c.place : undefined} />
      </>
    )
  return { box, start }
}

function Failed({ onRetry }: { readonly onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={c.failed} role="alert">
      <span>{t('account.captchaFailed')}</span>
      <Button size="sm" variant="default" onClick={onRetry}>
        {t('ui.retry')}
      </Button>
    </div>
  )
}
