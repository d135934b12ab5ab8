/** Formulas; a part of its own, because most texts have none. */
import katex from 'katex'
import 'katex/dist/katex.min.css'

/** Draws one formula into its place; one that does not parse stands there as its source, in red (MD-2). */
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
