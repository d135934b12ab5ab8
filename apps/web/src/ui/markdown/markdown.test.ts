// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, createElement, useState } from 'react'
import { flushSync } from 'react-dom'
import { expect, onTestFinished, test, vi } from 'vitest'
import { button, click, settle } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { Markdown } from './markdown.tsx'
import { renderMarkdown } from './markdown-engine.ts'

async function html(source: string, options = {}): Promise<string> {
  const frame = document.createElement('div')
  frame.append(await renderMarkdown(source, options))
  return frame.innerHTML
}

test('MD-1 headings, lists, tables, task lists, quotes, links, images and fenced code are rendered', async () => {
  const drawn = await html(
    '# A\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n[l](/games) ![p](/assets/x/y.png)\n\n> said\n\n1. one\n\n```\na fence\n```\n',
  )
  for (const part of [/<ul>\s*<li/, /<blockquote>\s*<p>said/, /<ol>\s*<li>one/, /<pre><code>a fence/]) expect(drawn).toMatch(part)
  expect(drawn).toContain('<h1>A</h1>')
  for (const box of ['☑', '☐']) expect(drawn).toContain(`<span class="task">${box}</span>`)
  expect(drawn).toContain('<table>')
  expect(drawn).toContain('<a href="/games">')
  expect(drawn).toContain('loading="lazy" decoding="async"')
  // The site of a picture does not learn which page shows it.
  expect(drawn).toContain('referrerpolicy="no-referrer"')
  expect(await html('5. five')).toContain('<ol start="5">')
})

test('MD-2 a formula is rendered, prices stay text, a broken formula shows its source', async () => {
  const drawn = await html('$e^{i\\pi}+1=0$')
  expect(drawn).toContain('katex')
  expect(await html('costs $5 and $6')).toBe('<p>costs $5 and $6</p>\n')
  expect(await html('x=$a$b and 1$x$')).not.toContain('katex')
  const broken = await html('before $\\frac{1$ after')
  expect(broken).toContain('formula wrong')
  expect(broken).toContain('$\\frac{1$')
  expect(broken).toContain('after')
  expect(await html('$$\na^2\n$$\n')).toContain('katex-display')
  expect(await html('$$\n\\frac{1\n$$\n')).toContain('$$\\frac{1$$')
  expect(await html('so $$a^2$$ it is')).toMatch(/^<p>so .*katex-display/)
  for (const end of ['', ' x', '?', '!', '.', ',', ':', '？', '！', '。', '，', '：'])
    expect(await html(`so $a$${end}`), end).toContain('katex')
  expect(await html('**so** $a$')).toContain('katex')
  expect(await html('so $a$b')).not.toContain('katex')
  for (const text of ['**so**$a$', 'so x$a$']) expect(await html(text)).not.toContain('katex')
  expect(await html('so $a$')).not.toContain('katex-display')
  // Spaces around a formula are not part of it.
  expect(await html('$ \\frac{1 $')).toContain('$\\frac{1$')
  expect(await html('$$\n \\frac{1 \n$$\n')).toContain('$$\\frac{1$$')
  // A block ends the paragraph before it.
  for (const mark of ['$', '$$'])
    expect(await html(`so\n${mark}\na^2\n${mark}\nend`)).toMatch(/^<p>so<\/p>.*katex-display.*<p>end<\/p>/s)
  expect(await html('$a$', { maths: false })).toBe('<p>$a$</p>\n')
})

test('MD-3 a known language is coloured, an unknown one stays plain', async () => {
  expect(await html('```python\nfor x in y: pass\n```')).toContain('hljs-keyword')
  expect(await html('```nosuchlang\nfor x\n```')).not.toContain('hljs')
  expect(await html('```nosuchlang\nfor x\n```\n\n```python\nfor x in y: pass\n```')).toContain('hljs-keyword')
  expect(await html('```json\n{"a": <b>}\n```')).toContain('hljs')
})

test('MD-3 code has a button that copies it, visible on hover and focus', async () => {
  const copied: string[] = []
  Object.assign(navigator, { clipboard: { writeText: async (text: string) => void copied.push(text) } })
  const place = await openPage(createElement(Markdown, { source: '```\nfor x\n```' }))
  await until(() => expect(place.querySelector('pre > button')?.textContent).toBe('Copy'))
  expect(place.querySelector('pre')?.tabIndex).toBe(0)
  await click(button('Copy'))
  await until(() => expect(copied).toEqual(['for x\n']))
  expect(place.querySelector('pre > button')?.textContent).toBe('Copied')
  await until(() => expect(place.querySelector('pre > button')?.textContent).toBe('Copy'))
  const styles = readFileSync(join(import.meta.dirname, 'markdown.css'), 'utf8')
  expect(styles).toMatch(
    /pre:hover \.copy-code,\n\.md pre:focus \.copy-code,\n\.md \.copy-code:focus-visible \{\n {2}opacity: 1;/,
  )
  // The page is closed before the button has its name again.
  await click(button('Copy'))
  await until(() => expect(place.querySelector('pre > button')?.textContent).toBe('Copied'))
})

const attacks = [
  '<img src=x onerror=alert(1)>',
  '<script>alert(1)</script>',
  '[a](javascript:alert(1))',
  '[a](JaVaScRiPt:alert(1))',
  '[a](data:text/html,<script>alert(1)</script>)',
  '<a href="vbscript:x">a</a>',
  '<iframe src="//evil"></iframe>',
  '<svg><script>alert(1)</script></svg>',
  '<svg onload=alert(1)>',
  '<math><mtext></mtext><style><img src=x onerror=alert(1)></style></math>',
  '<form action="//evil"><input name=x><button>go</button></form>',
  '<style>*{display:none}</style>',
  '<p style="background:url(//evil)">x</p>',
  '<object data="x"></object><embed src="x">',
  '<img src="data:image/svg+xml;base64,PHN2Zy8+">',
  '<a href="x" onclick="alert(1)">x</a>',
  '<b id="location" name="cookie" class="evil">x</b>',
  '<details open ontoggle=alert(1)>x</details>',
  '<base href="//evil">',
  '<meta http-equiv="refresh" content="0">',
  '```"><img src=x onerror=alert(1)>\nx\n```',
  '$\\href{javascript:alert(1)}{x}$',
  '$\\includegraphics{//evil}$',
  '<span class="formula">0</span>',
]

test('MD-4 nothing that could run or load from outside is kept', async () => {
  for (const attack of attacks) {
    for (const inline of [false, true]) {
      const frame = document.createElement('div')
      frame.append(await renderMarkdown(attack, { inline }))
      const bad = frame.querySelector('script,iframe,object,embed,form,input,button,style,base,meta,link,svg script')
      expect(bad, attack).toBeNull()
      for (const element of frame.querySelectorAll('*')) {
        const own = element.closest('.katex') === null
        for (const { name, value } of element.attributes) {
          expect(name.startsWith('on'), `${attack}: ${name}`).toBe(false)
          expect(/^\s*(javascript|vbscript|data:text|data:image\/svg)/i.test(value), `${attack}: ${value}`).toBe(false)
          if (own) expect(['style', 'id', 'name', 'srcset', 'action'], attack).not.toContain(name)
        }
      }
    }
  }
})

test('MD-4 links to other sites open in a new tab without an opener; pictures may be data URLs', async () => {
  expect(await html('[a](https://example.org)')).toContain('target="_blank" rel="noopener noreferrer"')
  expect(await html('[a](//example.org/games)')).toContain('target="_blank" rel="noopener noreferrer"')
  // A page of the platform opens in this tab, also when its link has the whole address.
  for (const href of ['/games', `${location.origin}/games`])
    expect(await html(`<a href="${href}" target="_blank" rel="opener">a</a>`)).toContain(`<a href="${href}">a</a>`)
  expect(await html('<b target="_blank" rel="opener">a</b>')).toContain('<b>a</b>')
  const picture = 'data:image/png;base64,iVBORw0KGgo='
  expect(await html(`![a](${picture})`)).toContain(`src="${picture}"`)
})

test.each([
  ['<b class="evil">x</b>', '<b>x</b>'],
  ['<b class="evil task\tphone-break">x</b>', '<b class="task phone-break">x</b>'],
  ['<b class="xtask task-x language-c++ xlanguage-c">x</b>', '<b class="language-c++">x</b>'],
  ['<b data-x="1" aria-label="y">x</b>', '<b>x</b>'],
])('MD-4 of the attributes of %s only known ones are kept', async (source, kept) => {
  expect(await html(source)).toBe(`<p>${kept}</p>\n`)
})

test('MD-4 of data URLs only those of pictures that cannot run anything are kept', async () => {
  const srcOf = async (src: string) => /src="([^"]*)"/.exec(await html(`<img src="${src}">`))?.[1] ?? null
  for (const kind of ['png', 'gif', 'jpg', 'jpeg', 'webp', 'avif', 'bmp']) {
    const src = `data:image/${kind};base64,iVBO Rw0=`
    expect(await srcOf(src)).toBe(src)
  }
  for (const src of ['data:image/svg+xml;base64,AA', ' data:image/svg+xml;base64,AA', 'data:image/png;base64,AA!'])
    expect([src, await srcOf(src)]).toEqual([src, null])
  expect(await srcOf('/a?of=data:1')).toBe('/a?of=data:1')
})

test('MD-4 a link with an invalid address is not followed, and the rest of the text is shown', async () => {
  const drawn = await html('[a](http://[) <a href="https://h:99999/" target="_blank">b</a> and **more**')
  expect(drawn).toContain('<a>a</a> <a>b</a> and <strong>more</strong>')
  expect(await html('[a](http://[)', { inline: true })).toBe('<a>a</a>')
})

test('MD-6 simple formatting by HTML is kept; other elements are removed, and their text stays', async () => {
  for (const name of ['b', 'i', 'u', 's', 'sub', 'sup', 'kbd']) expect(await html(`<${name}>x</${name}>`)).toContain(`<${name}>x`)
  expect(await html('a<br>b')).toContain('a<br>b')
  expect(await html('a\n\n<hr>')).toContain('<hr>')
  expect(await html('<table><tbody><tr><td>x</td></tr></tbody></table>')).toContain('<td>x</td>')
  expect(await html('<img src="/assets/x" alt="p"> <a href="/games">g</a>')).toMatch(
    /<img [^>]*alt="p".*<a href="\/games">g<\/a>/,
  )
  for (const name of ['font', 'marquee', 'video', 'section', 'dialog', 'template', 'textarea', 'select'])
    expect(await html(`a <${name}>x</${name}> b`), name).not.toContain(`<${name}`)
  expect(await html('<kbd>x</kbd> <sub>1</sub> <details><summary>s</summary>t</details>')).toMatch(/<kbd>.*<sub>.*<summary>/s)
})

test('inline text has no blocks, and the footer breaks lines on phones only', async () => {
  expect(await html('# **a** <h1>b</h1>', { inline: true })).toBe('# <strong>a</strong> b')
  for (const mark of ['<mbr>', '<mbr/>', '<MBR />'])
    expect(await html(`a${mark}b`, { maths: false })).toBe('<p>a<br class="phone-break">b</p>\n')
})

test('MD-1 a text that replaces one whose code is still coloured stays', async () => {
  let write = (_: string) => {}
  function Text() {
    const [source, setSource] = useState('')
    write = setSource
    return createElement(Markdown, { source })
  }
  const place = await openPage(createElement(Text))
  await act(async () => {
    flushSync(() => write('```json\n{}\n```'))
    flushSync(() => write('after'))
  })
  const paragraphs = () => [...place.querySelectorAll('p')].map(({ textContent }) => textContent)
  await until(() => expect(paragraphs()).toEqual(['after']))
  await settle(200)
  expect([paragraphs(), place.querySelector('pre')]).toEqual([['after'], null])
})

test('inline text without markup replaces formatted text', async () => {
  let write = (_: string) => {}
  function Text() {
    const [source, setSource] = useState('*before*')
    write = setSource
    return createElement(Markdown, { source, inline: true })
  }
  const place = await openPage(createElement(Text))
  const parts = () => [...place.querySelectorAll<HTMLElement>('.md-inline')].map(({ innerHTML, hidden }) => [innerHTML, hidden])
  await until(() => expect(parts()).toEqual([['<em>before</em>', false]]))
  await act(async () => write('after'))
  expect(parts()).toEqual([
    ['after', false],
    ['', true],
  ])
})

test('MD-1 a wide table scrolls in a frame that the keyboard reaches', async () => {
  const place = await openPage(createElement(Markdown, { source: 'a | b\n- | -\n1 | 2' }))
  await until(() => expect(place.querySelector('table')).not.toBeNull())
  const frame = place.querySelector('table')?.parentElement
  expect([frame?.className, frame?.tabIndex]).toEqual(['table-frame', 0])
})

test('the button of a code block does not say that it copied what the browser refuses to copy', async () => {
  vi.stubGlobal('navigator', {})
  Object.assign(document, { execCommand: () => false })
  onTestFinished(() => {
    vi.unstubAllGlobals()
    Reflect.deleteProperty(document, 'execCommand')
  })
  const place = await openPage(createElement(Markdown, { source: '```\nls\n```' }))
  await until(() => expect(place.querySelector('.copy-code')).not.toBeNull())
  await click(place.querySelector('.copy-code'))
  expect(place.querySelector('.copy-code')?.textContent).toBe('Copy')
})

test('MD-1 a picture is enlarged in a dialog, until it is closed', async () => {
  const source = '[![](/a.png)](/games) ![A buoy](/assets/1/buoy.png) ![](/assets/2/reef.png "A title")'
  const place = await openPage(createElement(Markdown, { source }))
  await until(() => expect(place.querySelector('button.enlarge')).not.toBeNull())
  const buttons = [...place.querySelectorAll('button.enlarge')]
  // A picture in a link opens the link.
  expect(buttons.map((one) => one.getAttribute('aria-label'))).toEqual(['Enlarge: A buoy', 'Enlarge'])
  expect(place.querySelector('a > img')).not.toBeNull()
  const dialog = () => document.querySelector('[role=dialog]')
  await click(place.querySelector('button.enlarge img'))
  await until(() => expect(dialog()?.querySelector('img')?.getAttribute('alt')).toBe('A buoy'))
  expect(dialog()?.querySelector('img')?.src).toMatch(/\/assets\/1\/buoy.png$/)
  await click(dialog()?.querySelector('[aria-label=Close]'))
  await until(() => expect(dialog()).toBeNull())
  await click(buttons[1]?.querySelector('img'))
  await until(() => expect(dialog()?.querySelector('h2')?.textContent).toBe('Image'))
})
