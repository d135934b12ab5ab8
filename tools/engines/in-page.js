/* Evaluated in the page by person.ts: from a kind and a name (or a pattern of it) to where such an element can be clicked in the viewport, or null. */
;(kind, wanted) => {
  const kinds = { field: 'input, textarea', control: 'button, a[href], label, [role=option]' }
  const plain = (text) => (text ?? '').replace(/\s+/g, ' ').trim()

  /** What is read aloud for it, without the star of a required field. */
  function nameOf(element) {
    const referred = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id))
    const texts = [...(element.labels ?? []), ...referred].map((label) => plain(label?.textContent).replace(/ \*$/, ''))
    return plain(element.getAttribute('aria-label')) || texts.find(Boolean) || plain(element.textContent) || plain(element.title)
  }

  const isWanted = (found) => (typeof wanted === 'string' ? found === wanted : wanted.test(found))

  /** Its middle, when nothing lies over it; what can be pressed where it is, is not scrolled: what floats over the page would follow later. */
  function pointOf(element) {
    const point = pointInView(element)
    if (point) return point
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    return pointInView(element)
  }

  function pointInView(element) {
    const { left, top, width, height } = element.getBoundingClientRect()
    const [x, y] = [Math.round(left + width / 2), Math.round(top + height / 2)]
    const focused = element === document.activeElement
    return element.contains(document.elementFromPoint(x, y)) ? { x, y, focused } : null
  }

  return [...document.querySelectorAll(kinds[kind])]
    .filter((element) => !element.disabled && element.checkVisibility() && isWanted(nameOf(element)))
    .reduce((point, element) => point ?? pointOf(element), null)
}
