import { expect, test } from 'vitest'
import { firstFrame } from '../../first-frame.ts'

interface Handler {
  handler(html: string, context: { bundle?: Record<string, object> }): string
}
const page = `<head>
    <style>
      @layer mantine;
    </style>
    <script>const files = /* early files */ {}</script>
    <link rel="stylesheet" href="/static/first.css">
    <link rel="stylesheet" href="/static/base.css">
</head>
<body>
    <span id="nonce" hidden></span>
</body>`
const transform = (bundle?: Record<string, object>) =>
  (firstFrame.transformIndexHtml as unknown as Handler).handler(page, bundle ? { bundle } : {})

const chunk = (fileName: string, facadeModuleId: string | null, imports: string[] = [], css: string[] = []) => ({
  type: 'chunk',
  fileName,
  facadeModuleId,
  imports,
  isEntry: fileName === 'first.js',
  viteMetadata: { importedCss: new Set(css) },
})
const bundle = Object.fromEntries(
  [
    chunk('first.js', '/web/index.html', ['base.js'], ['first.css']),
    chunk('base.js', null),
    chunk('home.js', '/src/games/home.screen.tsx', ['base.js', 'shared.js'], ['home.css']),
    chunk('board.js', '/src/scoreboard/scoreboard.screen.tsx', ['shared.js', 'board.js']),
    chunk('shared.js', null, [], ['shared.css']),
    chunk('teams.js', '/src/teams/teams.screen.tsx', [], ['teams.css']),
    ...['en_US', 'zh_CN', 'ja_JP'].flatMap((one) => [
      chunk(`start-${one}.js`, `\0texts:start/${one}`),
      chunk(`players-${one}.js`, `\0texts:players/${one}`),
      chunk(`site-${one}.js`, `\0texts:site/${one}`),
    ]),
    { type: 'asset', fileName: 'icon.svg' },
  ].map((one) => [one.fileName, one]),
)
const filesOf = (html: string) => JSON.parse(/const files = (.*)<\/script>/.exec(html)?.[1] ?? '')

test('the page names the texts in each language, and the code and styles of two screens that no page has loaded by then', () => {
  const texts = (area: string) => ({ en: `/${area}-en_US.js`, zh: `/${area}-zh_CN.js`, ja: `/${area}-ja_JP.js` })
  expect(filesOf(transform(bundle))).toEqual({
    texts: texts('start'),
    screens: {
      home: { code: ['/home.js', '/shared.js'], styles: ['/home.css', '/shared.css'] },
      scoreboard: { code: ['/board.js', '/shared.js'], styles: ['/shared.css'], texts: texts('players') },
    },
  })
})

test('in development, which has no bundle, the page names no files', () => {
  expect(filesOf(transform())).toEqual({ texts: {}, screens: {} })
})

test('the style sheets are behind the first frame, in their order, and its styles are in the page', () => {
  const html = transform(bundle)
  const [head = '', body = ''] = html.split('<body>')
  expect(head).not.toContain('stylesheet')
  expect(head).toMatch(/@layer mantine;.*\.first-frame \{.*<\/style>/s)
  expect(body.indexOf('first.css')).toBeGreaterThan(0)
  expect(body.indexOf('base.css')).toBeGreaterThan(body.indexOf('first.css'))
  expect(body.indexOf('<span id="nonce"')).toBeGreaterThan(body.indexOf('base.css'))
})
