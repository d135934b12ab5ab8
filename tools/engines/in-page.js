/* Evaluated in the page by person.ts: returns where an element of a kind and a name (or a pattern of it) can be clicked in the viewport, or null. */
;(kind, wanted) => {
  const kinds = { field: 'input, textarea', control: 'button, a[href], label, [role=option]' }
  const plain = (text) => (text ?? '').replace(/\s+/g, ' ').trim()

  /** The accessible name of an element, without the asterisk of a required field. */
  function nameOf(element) {
    const referred = (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id))
    const texts = [...(element.labels ?? []), ...referred].map((label) => plain(label?.textContent).replace(/ \*$/, ''))
    return plain(element.getAttribute('aria-label')) || texts.find(Boolean) || plain(element.textContent) || plain(element.title)
  }

  const isWanted = (found) => (typeof wanted === 'string' ? found === wanted : wanted.test(found))

  /** The centre of an element that nothing covers. It is scrolled into view only if necessary: floating elements would move later. */
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
