/**
 * Draws PDF files of other people: Chromium shows no PDF in a sandboxed frame, and an unsandboxed one would run their
 * scripts and forms. Pages are pictures with a text layer, and a link needs a click. Uses the legacy build: Firefox ESR
 * lacks what the other one needs.
 */
import {
  AnnotationMode,
  GlobalWorkerOptions,
  getDocument,
  type PDFDocumentProxy,
  TextLayer,
} from 'pdfjs-dist/legacy/build/pdf.mjs'
import workerSrc from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url'

GlobalWorkerOptions.workerSrc = workerSrc

export type Pdf = PDFDocumentProxy

/** Opens a file of this site; fetches parts on demand. */
export function openPdf(url: string): { readonly ready: Promise<Pdf>; readonly close: () => void } {
  const task = getDocument({ url, enableXfa: false, disableAutoFetch: true })
  return { ready: task.promise, close: () => void task.destroy() }
}

/** Height of a page divided by its width. */
export async function ratioOf(pdf: Pdf, number: number): Promise<number> {
  const { width, height } = (await pdf.getPage(number)).getViewport({ scale: 1 })
  return height / width
}

const mayOpen = /^(?:https?|mailto):/i

/** Draws a page into an empty element, `width` in CSS pixels. `stop` cancels; the caller removes what was drawn. */
export function drawPage(pdf: Pdf, number: number, place: HTMLElement, width: number): { done: Promise<void>; stop: () => void } {
  let stopped = false
  let stopDrawing = () => {}
  const draw = async () => {
    const page = await pdf.getPage(number)
    if (stopped) return
    const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width })
    const sharp = Math.min(2, devicePixelRatio || 1)
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(viewport.width * sharp)
    canvas.height = Math.round(viewport.height * sharp)
    const text = document.createElement('div')
    text.className = 'pdf-text'
    place.style.setProperty('--total-scale-factor', String(viewport.scale))
    place.replaceChildren(canvas, text)
    const transform = [sharp, 0, 0, sharp, 0, 0]
    const task = page.render({ canvas, viewport, transform, annotationMode: AnnotationMode.ENABLE })
    const layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport })
    stopDrawing = () => {
      task.cancel()
      layer.cancel()
    }
    await Promise.all([task.promise, layer.render()])
    for (const { subtype, url, rect } of await page.getAnnotations()) {
      if (stopped || subtype !== 'Link' || !mayOpen.test(url ?? '')) continue
      const [x1 = 0, y1 = 0] = viewport.convertToViewportPoint(rect[0], rect[1]) as number[]
      const [x2 = 0, y2 = 0] = viewport.convertToViewportPoint(rect[2], rect[3]) as number[]
      const link = document.createElement('a')
      Object.assign(link, { href: url, target: '_blank', rel: 'noopener noreferrer', title: url, className: 'pdf-link' })
      link.setAttribute('aria-label', url)
      const box = { left: Math.min(x1, x2), top: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) }
      for (const [side, pixels] of Object.entries(box)) link.style.setProperty(side, `${pixels}px`)
      place.append(link)
    }
  }
  return {
    done: draw().catch((error: unknown) => {
      if (!stopped) throw error
    }),
    stop: () => {
      stopped = true
      stopDrawing()
    },
  }
}
