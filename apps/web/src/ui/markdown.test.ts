// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { renderMarkdown } from './markdown-engine.ts'

async function html(source: string, options = {}): Promise<string> {
  const frame = document.createElement('div')
  frame.append(await renderMarkdown(source, options))
  return frame.innerHTML
}

test('MD-1 headings, lists, tables, task lists, links and images are drawn', async () => {
  const drawn = await html(
    '# A\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n[l](/games) ![p](/assets/x/y.png)',
  )
  expect(drawn).toContain('<h1>A</h1>')
  expect(drawn).toContain('☑')
  expect(drawn).toContain('<table>')
  expect(drawn).toContain('<a href="/games">')
  expect(drawn).toContain('loading="lazy"')
})

test('MD-2 a formula is drawn, prices stay text, a broken formula shows its source', async () => {
  const drawn = await html('$e^{i\\pi}+1=0$')
  expect(drawn).toContain('katex')
  expect(await html('costs $5 and $6')).toBe('<p>costs $5 and $6</p>\n')
  expect(await html('x=$a$b and 1$x$')).not.toContain('katex')
  const broken = await html('before $\\frac{1$ after')
  expect(broken).toContain('formula wrong')
  expect(broken).toContain('$\\frac{1$')
  expect(broken).toContain('after')
  expect(await html('$$\na^2\n$$\n')).toContain('katex-display')
})

test('MD-3 a known language is coloured, an unknown one stays plain', async () => {
  expect(await html('```python\nfor x in y: pass\n```')).toContain('hljs-keyword')
  expect(await html('```nosuchlang\nfor x\n```')).not.toContain('hljs')
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

test('MD-4 nothing that could run or reach outside survives', async () => {
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

test('MD-4 links to other places open in a new tab without an opener', async () => {
  expect(await html('[a](https://example.org)')).toContain('target="_blank" rel="noopener noreferrer"')
})

test('MD-4 a link that is no address leads nowhere, and the rest of the text is shown', async () => {
  const drawn = await html('[a](http://[) <a href="https://h:99999/" target="_blank">b</a> and **more**')
  expect(drawn).toContain('<a>a</a> <a>b</a> and <strong>more</strong>')
  expect(await html('[a](http://[)', { inline: true })).toBe('<a>a</a>')
})

test('MD-6 simple formatting by HTML is kept', async () => {
  expect(await html('<kbd>x</kbd> <sub>1</sub> <details><summary>s</summary>t</details>')).toMatch(/<kbd>.*<sub>.*<summary>/s)
})

test('inline text has no blocks and the footer breaks lines on phones only', async () => {
  expect(await html('# **a** <h1>b</h1>', { inline: true })).toBe('# <strong>a</strong> b')
  expect(await html('a<mbr/>b', { maths: false })).toContain('<br class="phone-break">')
})
