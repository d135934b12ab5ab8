/**
 * Renders Markdown to safe elements. Order matters: HTML is sanitised first, then KaTeX and the highlighter insert
 * their output, which they make from plain text. So author input is always sanitised, and KaTeX keeps its styles.
 */
import DOMPurify, { type Config } from 'dompurify'
import { Marked, type TokenizerAndRendererExtension } from 'marked'
import { loadWithoutReload } from '../base/chunk-recovery.ts'
import { singleFlight } from '../base/single-flight.ts'

export interface MarkdownOptions {
  readonly inline?: boolean
  readonly maths?: boolean
}

interface Formula {
  readonly source: string
  readonly display: boolean
}

const inlineFormula = /^(\$\$?)(?!\$)((?:\\.|[^\\\n$])+?)\1(?=[\s?!.,:？！。，：]|$)/
const blockFormula = /^(\$\$?)\n((?:\\[\s\S]|[^\\])+?)\n\1(?:\n|$)/

/** `$` opens at the start or after a space and closes before a space, the end or punctuation, so that prices stay text. */
function formulaExtensions(formulas: Formula[]): TokenizerAndRendererExtension[] {
  const keep = (formula: Formula) => `<span class="formula">${formulas.push(formula) - 1}</span>`
  return [
    {
      name: 'formula',
      level: 'inline',
      start(text) {
        for (let from = 0; ; ) {
          const at = text.indexOf('$', from)
          if (at < 0) return undefined
          if ((at === 0 || /\s/.test(text.charAt(at - 1))) && inlineFormula.test(text.slice(at))) return at
          from = at + 1
        }
      },
      tokenizer(text, tokens) {
        const found = inlineFormula.exec(text)
        const before = tokens.at(-1)?.raw ?? ''
        if (!found || (before !== '' && !/\s$/.test(before))) return undefined
        return { type: 'formula', raw: found[0], source: found[2]?.trim(), display: found[1] === '$$' }
      },
      renderer: (token) => keep({ source: token.source, display: token.display }),
    },
    {
      name: 'formulaBlock',
      level: 'block',
      start: (text) => text.match(/(^|\n)\$\$?\n/)?.index,
      tokenizer(text) {
        const found = blockFormula.exec(text)
        return found ? { type: 'formulaBlock', raw: found[0], source: found[2]?.trim() } : undefined
      },
      renderer: (token) => `<p>${keep({ source: token.source, display: true })}</p>\n`,
    },
  ]
}

const inlineTags = 'a abbr b br code del em i img ins kbd mark q s small span strong sub sup u wbr'.split(' ')
const blockTags =
  'blockquote caption col colgroup dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  )
const attributes = 'align alt class colspan dir height href lang loading open rel rowspan src start target title width'.split(' ')
/** Allowed classes; all others are removed. */
const ourClass = /^(?:formula|task|phone-break|language-[\w+#.-]+)$/
const imageData = /^data:image\/(?:png|gif|jpe?g|webp|avif|bmp);base64,[a-z0-9+/=\s]+$/i

/** Origin of a link; undefined for an invalid address, since an exception in the hook would hide the whole text. */
function originOf(href: string): string | undefined {
  try {
    return new URL(href, document.baseURI).origin
  } catch {
    return undefined
  }
}

const purifier = DOMPurify()
purifier.addHook('uponSanitizeAttribute', (node, event) => {
  if (event.attrName === 'class') {
    event.attrValue = event.attrValue
      .split(/\s+/)
      .filter((name) => ourClass.test(name))
      .join(' ')
    event.keepAttr = event.attrValue !== ''
  }
  if (event.attrName === 'src' && /^\s*data:/i.test(event.attrValue)) event.keepAttr = imageData.test(event.attrValue)
  if (event.attrName === 'href' && /^\s*data:/i.test(event.attrValue)) event.keepAttr = false
  if (event.attrName === 'target' || event.attrName === 'rel') event.keepAttr = node.nodeName === 'A'
})
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A' && node.hasAttribute('href')) {
    const origin = originOf(node.getAttribute('href') ?? '')
    if (origin === undefined || origin === location.origin) {
      if (origin === undefined) node.removeAttribute('href')
      node.removeAttribute('target')
      node.removeAttribute('rel')
    } else {
      node.setAttribute('target', '_blank')
      node.setAttribute('rel', 'noopener noreferrer')
    }
  }
  if (node.nodeName === 'IMG') {
    node.setAttribute('loading', 'lazy')
    node.setAttribute('decoding', 'async')
    node.setAttribute('referrerpolicy', 'no-referrer')
  }
})

function sanitise(html: string, inline: boolean): DocumentFragment {
  const config: Config = {
    ALLOWED_TAGS: inline ? inlineTags : [...inlineTags, ...blockTags],
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  }
  return purifier.sanitize(html, config) as unknown as DocumentFragment
}

const mathsCode = singleFlight(() => import('./markdown-maths.ts'))
const highlighter = singleFlight(() => import('highlight.js/lib/common'))

async function drawFormulas(fragment: DocumentFragment, formulas: readonly Formula[]): Promise<void> {
  if (formulas.length === 0) return
  const { drawFormula, fontsReady } = await loadWithoutReload(mathsCode)
  await fontsReady()
  for (const place of fragment.querySelectorAll('span.formula')) {
    const formula = formulas[Number(place.textContent)]
    if (formula) drawFormula(place as HTMLElement, formula.source, formula.display)
  }
}

async function highlight(fragment: DocumentFragment): Promise<void> {
  const fences = fragment.querySelectorAll<HTMLElement>('pre > code[class^="language-"]')
  if (fences.length === 0) return
  const { default: library } = await loadWithoutReload(highlighter)
  for (const code of fences) {
    const language = code.className.slice('language-'.length)
    if (!library.getLanguage(language)) continue
    code.innerHTML = library.highlight(code.textContent ?? '', { language, ignoreIllegals: true }).value
  }
}

export async function renderMarkdown(
  source: string,
  { inline = false, maths = true }: MarkdownOptions = {},
): Promise<DocumentFragment> {
  const formulas: Formula[] = []
  const marked = new Marked({
    gfm: true,
    renderer: { checkbox: ({ checked }) => `<span class="task">${checked ? '☑' : '☐'}</span> ` },
  })
  if (maths) marked.use({ extensions: formulaExtensions(formulas) })
  const text = source.replace(/<mbr\s*\/?>/gi, '<br class="phone-break">')
  const html = inline ? marked.parseInline(text, { async: false }) : marked.parse(text, { async: false })
  const fragment = sanitise(html, inline)
  await Promise.all([drawFormulas(fragment, formulas), highlight(fragment)])
  return fragment
}
