/* Evaluated in the page by check-page.ts: returns a description of each problem of the layout and of texts. */
;(() => {
  function findOverflow() {
    const { scrollWidth } = document.documentElement
    return scrollWidth > innerWidth ? [`overflow: the page is ${scrollWidth} px wide in a window of ${innerWidth}`] : []
  }

  /**
   * Text and icons outside the box of an ancestor that hides overflow. An ellipsis, a line clamp or a scroll bar shows that
   * there is more, so beyond those only their box counts; an ellipsis does not replace an icon.
   */
  function findCutContent() {
    const slack = 1.5
    const found = new Set()
    const isShown = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    const contents = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement: parent, textContent: text } = node
      // Text in an SVG has no box, and a text area scrolls. Text only for screen readers has a tiny box: see below.
      if (!parent || text.trim() === '' || parent.closest('svg, textarea')) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      contents.push({ parent, name: text.trim().slice(0, 40), edges: range.getBoundingClientRect(), icon: false })
    }
    for (const svg of document.querySelectorAll('svg')) {
      const name = `icon ${svg.getAttribute('aria-label') ?? svg.getAttribute('class') ?? ''}`
      contents.push({ parent: svg.parentElement, name, edges: svg.getBoundingClientRect(), icon: true })
    }
    for (const { parent, name, edges, icon } of contents) {
      if (!isShown(parent) || parent.closest('[inert], [aria-hidden=true]')) continue
      let { left, right, top, bottom } = edges
      let floats = false
      for (let box = parent; box && box !== document.body; box = box.parentElement) {
        const style = getComputedStyle(box)
        if (floats && style.position === 'static') continue
        floats = false
        const edge = box.getBoundingClientRect()
        if (edge.width <= 2 || edge.height <= 2) break
        const clamped = style.webkitLineClamp !== 'none' && style.webkitLineClamp !== ''
        const says = !icon && (style.textOverflow === 'ellipsis' || clamped)
        const across = style.overflowX !== 'visible'
        const down = style.overflowY !== 'visible'
        const scrollsAcross = ['auto', 'scroll'].includes(style.overflowX)
        const scrollsDown = ['auto', 'scroll'].includes(style.overflowY)
        if (across && (left < edge.left - slack || right > edge.right + slack)) {
          if (!says && !scrollsAcross) found.add(`cut across: "${name}" in ${nameOf(box)}`)
          left = Math.max(left, edge.left)
          right = Math.min(right, edge.right)
        }
        if (down && (top < edge.top - slack || bottom > edge.bottom + slack)) {
          if (!says && !scrollsDown) found.add(`cut below: "${name}" in ${nameOf(box)}`)
          top = Math.max(top, edge.top)
          bottom = Math.min(bottom, edge.bottom)
        }
        if (style.position === 'fixed') break
        floats = style.position === 'absolute'
        if (right <= left || bottom <= top) break
      }
    }
    return [...found]

    function nameOf(box) {
      return `${box.tagName.toLowerCase()}.${[...box.classList].join('.')}`
    }
  }

  /** Values of fields and of closed selections, which are not text nodes of the page. */
  function findCutValues() {
    return [...document.querySelectorAll('input')]
      .filter(
        (input) =>
          input.checkVisibility() && input.scrollWidth > input.clientWidth && getComputedStyle(input).textOverflow !== 'ellipsis',
      )
      .map((input) => `cut value: "${input.value.slice(0, 40)}"`)
  }

  /** Placeholders of a translation that were not filled. */
  function findRawText() {
    const found = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const shown = !node.parentElement?.closest('script, style, textarea, pre, code')
      if (shown && /<\/\w+>|\{\{|\}\}/.test(node.textContent)) found.push(`raw text: "${node.textContent.trim().slice(0, 40)}"`)
    }
    return found
  }

  /** Boxes that scroll but have no room to show what they contain. */
  function findCollapsed() {
    return [...document.querySelectorAll('body *')]
      .filter((box) => {
        if (!box.checkVisibility({ visibilityProperty: true }) || box.closest('[inert], [aria-hidden=true]')) return false
        const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box).overflowY)
        return scrolls && box.clientHeight < 16 && box.scrollHeight > box.clientHeight + 16
      })
      .map((box) => `no height: "${box.textContent.trim().slice(0, 40)}"`)
  }

  return [...findCollapsed(), ...findOverflow(), ...findCutContent(), ...findCutValues(), ...findRawText()]
})()
