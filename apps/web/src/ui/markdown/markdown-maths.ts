/** Formulas; a separate chunk, because most texts have none. */
import katex from 'katex'
import 'katex/dist/katex.min.css'

const fonts = ['16px KaTeX_Main', 'italic 16px KaTeX_Math', '16px KaTeX_Size1', '16px KaTeX_Size2']
const patienceMs = 1000

/** Resolves when the common formula fonts are loaded, to avoid a layout shift, or after a timeout. */
export const fontsReady = () =>
  Promise.race([
    Promise.allSettled(fonts.map((font) => document.fonts?.load(font))),
    new Promise((done) => setTimeout(done, patienceMs)),
  ])

/** Draws one formula; an invalid one is shown as its source, in red. */
export function drawFormula(place: HTMLElement, source: string, display: boolean): void {
  try {
    place.innerHTML = katex.renderToString(source, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      maxSize: 40,
      maxExpand: 200,
    })
    place.className = display ? 'formula display' : 'formula'
  } catch {
    place.textContent = display ? `$$${source}$$` : `$${source}$`
    place.className = 'formula wrong'
  }
}
