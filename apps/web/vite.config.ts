import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { firstFrame } from './first-frame.ts'
import { licenceRows } from './licence-rows.ts'
import { mantineStyles } from './mantine-styles.ts'
import manifest from './package.json' with { type: 'json' }
import { plainContract } from './plain-contract.ts'
import { textAreas } from './text-areas.ts'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

/** The server fills these in for every page; in development, Vite does. */
const pageForDevelopment: Plugin = {
  name: 'page-for-development',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html
      .replaceAll('%VEXIL_TITLE%', 'Vexil')
      .replaceAll('%VEXIL_NAME%', 'Vexil')
      .replaceAll('%VEXIL_DESCRIPTION%', '')
      .replaceAll('%VEXIL_NONCE%', '')
      .replaceAll('%VEXIL_DEMO%', 'false'),
}

const licences: Plugin = {
  name: 'licences',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'static/licences.json', source: licenceList() })
  },
  configureServer({ middlewares }) {
    middlewares.use('/static/licences.json', (_, answer) => void answer.end(licenceList()))
  },
}
const licenceList = () =>
  JSON.stringify(licenceRows().flatMap(({ name, version, licence, dev }) => (dev ? [] : [[name, version, licence]])))

/** uPlot creates an unused number format on load, which throws when the browser's language is invalid ("C"). */
const chartLanguage: Plugin = {
  name: 'chart-language',
  transform(code, id) {
    if (!/uPlot\.esm\.js/.test(id)) return
    const own = 'domEnv ? nav.language :'
    if (!code.includes(own)) throw new Error('uPlot does not ask for the language of the browser any more: this plugin can go.')
    return { code: code.replace(own, ''), map: null }
  },
}

/** Writes compressed copies of files that compress well; the server sends the one that a browser accepts. */
const compressedForms: Plugin = {
  name: 'compressed-forms',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((file) => /\.(?:m?js|css|svg|json|txt)$/.test(file))) {
      const path = join(dir, name)
      const bytes = await readFile(path)
      const forms = { br: await brotli(bytes), gz: await gzipped(bytes, { level: 9 }) }
      for (const [ending, form] of Object.entries(forms))
        if (form.length < bytes.length) await writeFile(`${path}.${ending}`, form)
    }
  },
}

/** Commit of the sources; empty without a git history. */
function commit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' })
  return stdout?.trim() ?? ''
}

interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}
const startPage = fileURLToPath(new URL('src/games/home.screen.tsx', import.meta.url))

/** The modules of the start page without packages, whose entry files import more than a page uses. */
function ofStartPage(modules: Modules, id = startPage, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(id) || id.includes('node_modules')) return found
  const module = modules.getModuleInfo(id)
  if (!module) throw new Error(`${id} is not part of the build: name the file of the start page here.`)
  found.add(id)
  for (const one of module.importedIds) ofStartPage(modules, one, found)
  return found
}

const server = `http://127.0.0.1:${process.env.PORT || 8080}`

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [
    react(),
    textAreas,
    plainContract,
    mantineStyles,
    firstFrame,
    chartLanguage,
    pageForDevelopment,
    licences,
    compressedForms,
  ],
  define: {
    'import.meta.env.VITE_VERSION': JSON.stringify(manifest.version),
    'import.meta.env.VITE_COMMIT': JSON.stringify(commit()),
    'import.meta.env.VITE_BUILT': JSON.stringify(new Date().toISOString()),
  },
  // One copy of Mantine, wherever npm has installed several.
  resolve: { dedupe: ['@mantine/core', '@mantine/hooks', 'react', 'react-dom'] },
  html: command === 'build' ? { cspNonce: '%VEXIL_NONCE%' } : {},
  server: {
    host: '127.0.0.1',
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/assets', '/hub', '/healthz', '/favicon.webp'].map((path) => [path, { target: server, ws: true }]),
    ),
  },
  build: {
    outDir: 'dist',
    // Not `assets`: there the server serves uploaded files.
    assetsDir: 'static',
    target: 'es2022',
    // Read by `npm run tool -- weight`; never served, since its name starts with a dot.
    manifest: true,
    // Current browsers preload modules without a polyfill.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    // Three files: what every page needs, what the start page shares with others, and what at least six screens share. By default each set of screens
    // that share a part gets a separate file: 34 scripts and 13 style sheets for a screen instead of 9 and 5 (decision 0053).
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'first', tags: ['$initial'], priority: 2 },
            {
              debugName: 'start',
              name: (id, modules) => (/@tabler/.test(id) || ofStartPage(modules).has(id) ? 'start' : null),
              minShareCount: 3,
              priority: 1,
            },
            { name: 'screens', minShareCount: 6 },
          ],
        },
      },
    },
  },
}))
