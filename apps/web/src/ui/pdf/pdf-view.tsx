import { Button } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { IconFileBroken } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { loadWithoutReload } from '../base/chunk-recovery.ts'
import { singleFlight } from '../base/single-flight.ts'
import { useTranslation } from '../text/texts.tsx'
import './pdf-view.css'
import { Empty, Waiting } from '../base/states.tsx'
import type { Pdf } from './pdf-engine.ts'

const engine = singleFlight(() => import('./pdf-engine.ts'))

interface Props {
  readonly url: string
  readonly name: string
}

/** The pages of a PDF, each drawn when it comes near the viewport. */
export function PdfView(props: Props) {
  const [attempt, setAttempt] = useState(0)
  return <OpenedPdf key={attempt} {...props} onRetry={() => setAttempt(attempt + 1)} />
}

function OpenedPdf({ url, name, onRetry }: Props & { readonly onRetry: () => void }) {
  const { t } = useTranslation()
  const { ref, width } = useElementSize()
  const [opened, setOpened] = useState<{ readonly pdf: Pdf; readonly ratio: number } | 'broken'>()
  useEffect(() => {
    let current = true
    let close = () => {}
    setOpened(undefined)
    const open = async () => {
      const { openPdf, ratioOf } = await loadWithoutReload(engine)
      if (!current) return
      const file = openPdf(url)
      close = file.close
      const pdf = await file.ready
      const ratio = await ratioOf(pdf, 1)
      if (current) setOpened({ pdf, ratio })
    }
    open().catch(() => current && setOpened('broken'))
    return () => {
      current = false
      close()
    }
  }, [url])
  if (opened === 'broken') {
    return (
      <Empty
        icon={<IconFileBroken size={32} stroke={1.4} />}
        title={t('ui.pdf.broken')}
        text={
          <a className="link" href={url} download>
            {t('ui.pdf.download', { name })}
          </a>
        }
        action={
          <Button variant="default" onClick={onRetry}>
            {t('ui.retry')}
          </Button>
        }
      />
    )
  }
  return (
    <div ref={ref} className="pdf">
      {!opened && <Waiting />}
      {opened &&
        width > 0 &&
        Array.from({ length: opened.pdf.numPages }, (_, index) => index + 1).map((number) => (
          <PdfPage key={number} {...opened} number={number} width={Math.floor(width)} />
        ))}
    </div>
  )
}

interface PageProps {
  readonly pdf: Pdf
  readonly ratio: number
  readonly number: number
  readonly width: number
}

/** A page far from the viewport is not drawn, to bound the memory. */
function PdfPage({ pdf, ratio, number, width }: PageProps) {
  const { t } = useTranslation()
  const place = useRef<HTMLElement>(null)
  const [near, setNear] = useState(false)
  const [own, setOwn] = useState(ratio)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), { rootMargin: '800px' })
    if (place.current) observer.observe(place.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const at = place.current
    if (!near || !at) return
    let stop = () => {}
    let current = true
    setFailed(false)
    const draw = async () => {
      const { drawPage, ratioOf } = await engine()
      const ofPage = await ratioOf(pdf, number)
      if (!current) return
      setOwn(ofPage)
      const drawing = drawPage(pdf, number, at, width)
      stop = drawing.stop
      await drawing.done
    }
    draw().catch(() => current && setFailed(true))
    return () => {
      current = false
      stop()
      at.replaceChildren()
    }
  }, [near, pdf, number, width])
  return (
    <>
      <section
        ref={place}
        className="pdf-page"
        aria-label={t('ui.pdf.page', { number, count: pdf.numPages })}
        style={{ aspectRatio: `1 / ${own}` }}
      />
      {failed && <p role="alert">{t('ui.pdf.pageBroken', { number })}</p>}
    </>
  )
}
