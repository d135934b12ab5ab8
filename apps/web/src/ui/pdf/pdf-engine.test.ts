// @vitest-environment jsdom

import { AnnotationMode, GlobalWorkerOptions, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { drawPage, openPdf, type Pdf, ratioOf } from './pdf-engine.ts'

// Its address; it is not started here.
vi.mock('pdfjs-dist/legacy/build/pdf.worker.min.mjs?url', () => ({ default: '/worker.mjs' }))
vi.mock('pdfjs-dist/legacy/build/pdf.mjs', async (original) => ({ ...(await original<object>()), getDocument: vi.fn() }))
beforeEach(() => {
  // pdf.js measures fonts in a canvas, which jsdom does not draw.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const link = (url: string) => ({ subtype: 'Link', url, rect: [10, 20, 110, 40] })
const annotations = [
  link('https://example.org/a'),
  link('javascript:alert(1)'),
  link('mailto:crew@example.org'),
  link('http://example.org/c'),
  link('x-https://example.org'),
  { subtype: 'Link', rect: [0, 0, 1, 1] },
  { ...link('https://example.org/b'), subtype: 'Text' },
]

/** A document with one page of 100 by 200, and how its drawing ends. */
function onePage(waits = false) {
  const drawn = Promise.withResolvers<void>()
  const cancelled: string[] = []
  const options: unknown[] = []
  const viewportAt = (scale: number) => ({
    width: 100 * scale,
    height: 200 * scale,
    scale,
    rotation: 0,
    rawDims: { pageWidth: 100, pageHeight: 200, pageX: 0, pageY: 0 },
    convertToViewportPoint: (x: number, y: number) => [x * scale, (200 - y) * scale],
  })
  const page = {
    getViewport: ({ scale }: { readonly scale: number }) => viewportAt(scale),
    render: ({ transform, annotationMode }: Record<string, unknown>) => {
      options.push({ transform, annotationMode })
      return { promise: drawn.promise, cancel: () => cancelled.push('picture') }
    },
    streamTextContent: () =>
      new ReadableStream({
        start: (controller) => {
          if (!waits) controller.close()
        },
        cancel: () => void cancelled.push('text'),
      }),
    getAnnotations: async () => annotations,
  }
  return { pdf: { getPage: async () => page } as unknown as Pdf, drawn, cancelled, options }
}

test('WR-1 web and mail links of a page are links at their place, others are not', async () => {
  const { pdf, drawn } = onePage()
  const place = document.createElement('section')
  drawn.resolve()
  await drawPage(pdf, 1, place, 200).done
  const links = [...place.querySelectorAll('a')]
  const shown = ['https://example.org/a', 'mailto:crew@example.org', 'http://example.org/c']
  expect(links.map(({ href, target, rel }) => ({ href, target, rel }))).toEqual(
    shown.map((href) => ({ href, target: '_blank', rel: 'noopener noreferrer' })),
  )
  expect(links.map(({ title, ariaLabel, className }) => [title, ariaLabel, className])).toEqual(
    shown.map((url) => [url, url, 'pdf-link']),
  )
  const { left, top, width, height } = links[0]?.style ?? {}
  expect({ left, top, width, height }).toEqual({ left: '20px', top: '320px', width: '200px', height: '40px' })
})

test('WR-1 a page that cannot be drawn is reported', async () => {
  const { pdf, drawn } = onePage()
  const { done } = drawPage(pdf, 1, document.createElement('section'), 200)
  drawn.reject(new Error('bad image'))
  await expect(done).rejects.toThrow('bad image')
})

test('WR-1 a page is as wide as its place, and twice as fine on a screen with small pixels; its text is above the picture', async () => {
  vi.stubGlobal('devicePixelRatio', 3)
  const { pdf, drawn, options } = onePage()
  const place = document.createElement('section')
  place.append('Loading')
  drawn.resolve()
  await drawPage(pdf, 1, place, 250).done
  const [canvas, text] = place.children
  expect(place.textContent).toBe('')
  expect([(canvas as HTMLCanvasElement).width, (canvas as HTMLCanvasElement).height]).toEqual([500, 1000])
  expect(options).toEqual([{ transform: [2, 0, 0, 2, 0, 0], annotationMode: AnnotationMode.ENABLE }])
  expect([text?.className, place.style.getPropertyValue('--total-scale-factor')]).toEqual(['pdf-text', '2.5'])
})

test('WR-1 a page that is left is drawn no further, and is no error', async () => {
  const { pdf, drawn, cancelled } = onePage(true)
  const place = document.createElement('section')
  const early = drawPage(pdf, 1, place, 200)
  early.stop()
  await early.done
  expect(place.children).toHaveLength(0)
  const { done, stop } = drawPage(pdf, 1, place, 200)
  await vi.waitFor(() => expect(place.children).toHaveLength(2))
  stop()
  drawn.reject(new Error('cancelled'))
  await done
  expect(cancelled).toEqual(['picture', 'text'])
})

test('WR-1 a file is opened without its forms, in parts on demand, until it is closed; a page has the ratio of its sides', async () => {
  const { pdf } = onePage()
  const destroy = vi.fn(async () => undefined)
  vi.mocked(getDocument).mockReturnValue({ promise: Promise.resolve(pdf), destroy } as never)
  const { ready, close } = openPdf('/api/writeup.pdf')
  expect(vi.mocked(getDocument).mock.calls).toEqual([[{ url: '/api/writeup.pdf', enableXfa: false, disableAutoFetch: true }]])
  expect(await ratioOf(await ready, 1)).toBe(2)
  expect(destroy).not.toHaveBeenCalled()
  close()
  expect(destroy).toHaveBeenCalledOnce()
})

test('WR-1 files are read by the worker of this site', () => {
  expect(GlobalWorkerOptions.workerSrc).toBe('/worker.mjs')
})
