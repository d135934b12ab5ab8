/* Runs in each page that page-checks.ts checks: sums up layout shifts during loading, and finds controls that another element covers. */
;(() => {
  const controls = 'a[href], button, input, select, textarea, summary, [role="button"], [role="tab"], [role="option"]'
  let sum = 0
  const moved = new Set()
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      sum += value
      for (const { node } of sources)
        if (node) moved.add(nameOf(node.parentElement && node.nodeType === 3 ? node.parentElement : node))
    }
  }).observe({ type: 'layout-shift', buffered: true })

  function nameOf(one) {
    const text = (one.getAttribute?.('aria-label') ?? one.textContent ?? '').trim().slice(0, 30)
    return `${one.nodeName.toLowerCase()}.${one.getAttribute?.('class') ?? ''} "${text}"`
  }

  /** The element that a click would hit: at the middle of the control's first line, since a link may span two lines. */
  function hit(control) {
    const { left, top, width, height } = control.getClientRects()[0]
    return document.elementFromPoint(left + width / 2, top + height / 2)
  }

  function isFree(control) {
    const found = hit(control)
    return !found || control.contains(found) || found.contains(control) || found.closest('label')?.control === control
  }

  function isInSight(control) {
    if (!control.checkVisibility({ visibilityProperty: true }) || control.closest('[inert]')) return false
    const { left, top, width, height } = control.getClientRects()[0] ?? { width: 0 }
    const [x, y] = [left + width / 2, top + height / 2]
    // Elements for screen readers only are at most two pixels in size.
    return width > 2 && height > 2 && x >= 0 && y >= 0 && x < innerWidth && y < innerHeight
  }

  /** A bar at the edge may cover a control that can be scrolled into view. A message on a wide screen may not. */
  function staysCovered(control) {
    if (innerWidth >= 800 && hit(control)?.closest('.mantine-Notification-root')) return true
    control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    return control.isConnected && isInSight(control) && !isFree(control)
  }

  const wait = (ms) => new Promise((done) => setTimeout(done, ms))
  const scrolls = (one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY)

  /** Scrolls every scrollable element to its start or its end. */
  function scrollAll(end) {
    for (const one of [document.documentElement, ...[...document.querySelectorAll('body *')].filter(scrolls)])
      one.scrollTo({ top: end ? one.scrollHeight : 0, left: 0, behavior: 'instant' })
  }

  function look(end) {
    const dialogs = document.querySelectorAll('[role="dialog"][aria-modal="true"]')
    const within = dialogs[dialogs.length - 1] ?? document
    return [...within.querySelectorAll(controls)].flatMap((control) => {
      if (!isInSight(control) || isFree(control)) return []
      const found = staysCovered(control) ? [`${nameOf(control)} is covered by ${nameOf(hit(control) ?? document.body)}`] : []
      scrollAll(end)
      return found
    })
  }

  /** A message moves out of the way within half a second, so only controls that stay covered count. */
  async function covered(end) {
    scrollAll(end)
    await wait(50)
    if (look(end).length === 0) return []
    await wait(700)
    return look(end)
  }

  globalThis.pageChecks = {
    shift: () => (sum >= 0.02 ? [`moved by ${sum.toFixed(3)}: ${[...moved].join(', ')}`] : []),
    covered: async () => [...new Set([...(await covered(false)), ...(await covered(true))])],
  }
})()
