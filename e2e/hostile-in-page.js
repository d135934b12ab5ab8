/* Runs in the page, for journeys/hostile-text.spec.ts. */
window.hostile = (() => {
  /** Elements and attributes that no text may add, and globals that a text must not shadow. */
  function foreign() {
    const found = []
    const say = (element, why) => found.push(`${why}: ${element.outerHTML.slice(0, 160)}`)
    const addresses = ['href', 'src', 'xlink:href', 'action', 'formaction', 'data', 'srcdoc', 'to', 'values']
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on')) say(element, name)
        // Browsers ignore these characters in an address.
        const address = value.replace(/[\u0000-\u0020]/g, '')
        if (addresses.includes(name) && /^(javascript|vbscript|data:(text|image\/svg)):?/i.test(address)) say(element, name)
      }
    }
    const never =
      'iframe,frame,frameset,object,embed,applet,base,meta[http-equiv=refresh i],foreignObject,animate,set,maction,xmp'
    for (const element of document.querySelectorAll(never)) say(element, 'element')
    for (const element of document.querySelectorAll('script,style,link')) {
      if (/canary|p_\(/.test(element.outerHTML)) say(element, 'element')
    }
    // The formula library creates elements and styles from the source.
    const own = 'script,form,input,textarea,select,style,link,meta,template,noscript,title,svg,math,video,audio,source,button'
    for (const root of document.querySelectorAll('.md:not([aria-hidden]), .md-inline')) {
      for (const element of root.querySelectorAll('*')) {
        if (element.closest('.katex') || element.matches('button.copy-code, button.enlarge')) continue
        if (element.matches(own)) say(element, 'element in a text')
        for (const name of ['style', 'id', 'name', 'srcset', 'action']) if (element.hasAttribute(name)) say(element, name)
      }
    }
    if (!(window.location instanceof Location) || typeof document.cookie !== 'string') found.push('location or cookie is covered')
    if (!(document.body instanceof HTMLBodyElement) || document.head?.nodeName !== 'HEAD') found.push('the body is covered')
    if ({}.polluted !== undefined) found.push('the prototype of objects was changed')
    return found
  }

  /** The wanted texts that the page does not contain as text, in a field or in an attribute that is read aloud. */
  function missing(wanted) {
    const parts = [document.title, document.body.textContent ?? '']
    for (const element of document.querySelectorAll('[aria-label],[title],[alt],[download],[placeholder]')) {
      for (const name of ['aria-label', 'title', 'alt', 'download', 'placeholder']) parts.push(element.getAttribute(name) ?? '')
    }
    for (const field of document.querySelectorAll('input,textarea')) parts.push(field.value)
    return wanted.filter((text) => !parts.some((part) => part.includes(text)))
  }

  return { foreign, missing }
})()
