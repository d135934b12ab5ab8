import type { Plugin } from 'vite'
import { dark, light } from './src/ui/base/colours.ts'

/** Shown before the code is loaded: background, frame and name of the site, in the colours of the scheme. */
const style = `
      :root { background: ${light['g-1']}; color: ${light['g-9']}; --first-line: ${light['g-3']}; }
      :root[data-mantine-color-scheme='dark'] { background: ${dark['g-1']}; color: ${dark['g-9']}; --first-line: ${dark['g-3']}; }
      body { margin: 0; }
      .first-frame { position: fixed; inset: 0 auto 0 0; width: 64px; border-right: 1px solid var(--first-line); }
      .first-name { margin: 0; padding: 28px 24px 0 96px; font: 600 17px/1.2 system-ui, sans-serif; }
      @media (min-width: 1280px) and (min-height: 600px) { .first-frame { width: 80px; } .first-name { padding-left: 112px; } }
      @media (max-width: 767px) {
        .first-frame { inset: 0 0 auto; width: auto; height: 56px; border-right: 0; border-bottom: 1px solid var(--first-line); }
        .first-name { position: fixed; padding: 18px 24px 0 16px; }
      }`

interface Chunk {
  readonly type: string
  readonly fileName: string
  readonly facadeModuleId?: string | null
  readonly imports?: readonly string[]
  readonly isEntry?: boolean
  readonly viteMetadata?: { readonly importedCss: ReadonlySet<string> }
}

/** Files that the page preloads with its own code: texts by language, and two screens that must appear early. */
function earlyFiles(chunks: readonly Chunk[]) {
  const named = (end: string) => chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith(end))
  const addresses = (names: readonly string[]) => names.map((name) => `/${name}`)
  const withImports = (names: readonly string[], found = new Set<Chunk>()): Set<Chunk> => {
    for (const chunk of chunks) {
      if (!names.includes(chunk.fileName) || found.has(chunk)) continue
      withImports(chunk.imports ?? [], found.add(chunk))
    }
    return found
  }
  const fileNames = (some: readonly Chunk[]) => some.map(({ fileName }) => fileName)
  const entry = withImports(fileNames(chunks.filter(({ isEntry }) => isEntry)))
  const texts = (part: string) =>
    Object.fromEntries(
      ['en_US', 'zh_CN', 'ja_JP'].map((one) => [one.slice(0, 2), addresses(fileNames(named(`texts:${part}/${one}`)))[0]]),
    )
  const screen = (module: string) => {
    const chunks = [...withImports(fileNames(named(module)))].filter((chunk) => !entry.has(chunk))
    const styles = chunks.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
    return { code: addresses(fileNames(chunks)), styles: addresses(styles) }
  }
  return {
    texts: texts('start'),
    screens: {
      home: screen('/games/home.screen.tsx'),
      scoreboard: { ...screen('/scoreboard/scoreboard.screen.tsx'), texts: texts('players') },
    },
  }
}

/** Inserts the first frame, with the style sheet after it: a browser paints what is before a style sheet in the body. */
export const firstFrame: Plugin = {
  name: 'first-frame',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle }) {
      const files = bundle ? earlyFiles(Object.values(bundle) as Chunk[]) : { texts: {}, screens: {} }
      const sheets = html.match(/ *<link rel="stylesheet"[^>]*>\n/g) ?? []
      return sheets
        .reduce((rest, sheet) => rest.replace(sheet, ''), html)
        .replace('</style>', `${style}\n    </style>`)
        .replace('/* early files */ {}', JSON.stringify(files))
        .replace('<span id="nonce"', `${sheets.join('').trim()}\n    <span id="nonce"`)
    },
  },
}
