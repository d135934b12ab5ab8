// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { drawPage, type Pdf } from './pdf-engine.ts'

// Its address; it is not started here.
vi.mock('pdfjs-dist/legacy/build/pdf.worker.min.mjs?url', () => ({ default: '/worker.mjs' }))
beforeEach(() => {
  // pdf.js measures fonts in a canvas, which jsdom does not draw.
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null)
})
afterEach(() => void vi.restoreAllMocks())

const link = (url: string) => ({ subtype: 'Link', url, rect: [10, 20, 110, 40] })
const annotations = [
  link('https://example.org/a'),
  link('javascript:alert(1)'),
  link('mailto:crew@example.org'),
  { ...link('https://example.org/b'), subtype: 'Text' },
]

/** A document with one page of 100 by 200, and how its drawing ends. */
function onePage() {
  const drawn = Promise.withResolvers<void>()
  const cancel = vi.fn()
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
    render: () => ({ promise: drawn.promise, cancel }),
    streamTextContent: () => new ReadableStream({ start: (controller) => controller.close() }),
    getAnnotations: async () => annotations,
  }
  return { pdf: { getPage: async () => page } as unknown as Pdf, drawn, cancel }
}

test('WR-1 web and mail links of a page are links at their place, others are not', async () => {
  const { pdf, drawn } = onePage()
  const place = document.createElement('section')
  drawn.resolve()
  await drawPage(pdf, 1, place, 200).done
  const links = [...place.querySelectorAll('a')]
  expect(links.map(({ href, target, rel }) => ({ href, target, rel }))).toEqual(
    ['https://example.org/a', 'mailto:crew@example.org'].map((href) => ({ href, target: '_blank', rel: 'noopener noreferrer' })),
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
