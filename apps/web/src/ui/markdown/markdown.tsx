import { Skeleton } from '@mantine/core'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { loadWithoutReload } from '../base/chunk-recovery.ts'
import { copyText } from '../base/copy.tsx'
import { lazyPart } from '../base/lazy-part.tsx'
import { singleFlight } from '../base/single-flight.ts'
import { useTranslation } from '../text/texts.tsx'
import './markdown.css'

interface Props {
  readonly source: string
  /** For hints and notices: no blocks. */
  readonly inline?: boolean
  /** Off for footers. */
  readonly maths?: boolean
  readonly className?: string
}

interface Labels {
  readonly copy: string
  readonly copied: string
  readonly enlarge: string
}

const ImageView = lazyPart(() => import('../overlays/image-view.tsx'))
const engine = singleFlight(() => import('./markdown-engine.ts'))

function addControls(fragment: DocumentFragment, labels: Labels): void {
  for (const pre of fragment.querySelectorAll('pre')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy-code'
    button.textContent = labels.copy
    pre.tabIndex = 0
    pre.append(button)
  }
  for (const image of fragment.querySelectorAll('img')) {
    if (image.closest('a')) continue
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'enlarge'
    button.setAttribute('aria-label', image.alt ? `${labels.enlarge}: ${image.alt}` : labels.enlarge)
    image.replaceWith(button)
    button.append(image)
  }
  for (const table of fragment.querySelectorAll('table')) {
    const frame = document.createElement('div')
    frame.className = 'table-frame'
    frame.tabIndex = 0
    table.replaceWith(frame)
    frame.append(table)
  }
}

/** Characters that can be inline Markdown, an address or an entity; a text without them is shown as it is. */
const markup = /[*_`~<>[\]\\&$|#!^=\n]|:\/\/|www[.]|@/

/** Inline Markdown without its markup, for places that show plain text. The source if there is no text, or the engine cannot be loaded. */
export async function plainText(source: string): Promise<string> {
  if (!markup.test(source)) return source
  try {
    const { renderMarkdown } = await loadWithoutReload(engine)
    return (await renderMarkdown(source, { inline: true, maths: false })).textContent?.trim() || source
  } catch {
    return source
  }
}

/** Markdown of authors, sanitised. Formulas and highlighting load on demand. */
export function Markdown({ source, inline = false, maths = true, className }: Props) {
  const { t } = useTranslation()
  const place = useRef<HTMLDivElement & HTMLSpanElement>(null)
  const [ready, setReady] = useState(false)
  const [lost, setLost] = useState(false)
  const [enlarged, setEnlarged] = useState<Image>()
  const [large, setLarge] = useState(false)
  const labels: Labels = { copy: t('ui.copy'), copied: t('ui.copied'), enlarge: t('ui.enlarge') }

  const plain = inline && !markup.test(source)

  useEffect(() => {
    if (plain) {
      place.current?.replaceChildren()
      return setReady(false)
    }
    let current = true
    loadWithoutReload(async () => (await engine()).renderMarkdown(source, { inline, maths })).then(
      (fragment) => {
        if (!current || !place.current) return
        addControls(fragment, { copy: labels.copy, copied: labels.copied, enlarge: labels.enlarge })
        place.current.replaceChildren(fragment)
        setReady(true)
      },
      () => current && setLost(true),
    )
    return () => {
      current = false
    }
  }, [source, plain, inline, maths, labels.copy, labels.copied, labels.enlarge])

  const press = usePress(labels, (image) => {
    setEnlarged(image)
    setLarge(true)
  })

  const dialog = enlarged && <ImageView wanted={large} opened={large} onClose={() => setLarge(false)} {...enlarged} />
  const style = className ? ` ${className}` : ''
  if (inline) {
    return (
      <>
        {!ready && <span className={`md-inline${style}`}>{source}</span>}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons inside are buttons */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
        <span ref={place} hidden={!ready} className={`md-inline${style}`} onClick={press} />
        {dialog}
      </>
    )
  }
  return (
    <>
      {!ready && lost && <p className={`md md-source${style}`}>{source}</p>}
      {!ready && !lost && source.trim() !== '' && (
        <div className={`md${style}`} aria-hidden data-waiting>
          {[96, 88, 92, 60].map((share) => (
            <Skeleton key={share} height={12} width={`${share}%`} mb={12} />
          ))}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons inside are buttons */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above */}
      <div ref={place} hidden={!ready} className={`md${style}`} onClick={press} />
      {dialog}
    </>
  )
}

interface Image {
  readonly src: string
  readonly alt: string
}

function usePress(labels: Labels, onEnlarge: (image: Image) => void) {
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const pending = timers.current
    return () => {
      for (const timer of pending) clearTimeout(timer)
    }
  }, [])
  return (event: MouseEvent) => {
    const button = (event.target as Element).closest('button')
    if (button?.className === 'copy-code') {
      void copyText(button.parentElement?.querySelector('code')?.textContent ?? '').then((done) => {
        if (!done) return
        button.textContent = labels.copied
        const timer = setTimeout(() => {
          timers.current.delete(timer)
          button.textContent = labels.copy
        }, 2000)
        timers.current.add(timer)
      })
    }
    const image = button?.className === 'enlarge' ? button.querySelector('img') : null
    if (!image) return
    onEnlarge({ src: image.src, alt: image.alt })
  }
}
