/** The process: reads the configuration, opens everything in order, says where it serves, and closes in reverse order. */
import { readFileSync } from 'node:fs'
import { readConfig } from './config.ts'
import { withDemoFiles } from './demo/game.ts'
import { note, openPlatform, serve } from './platform-process.ts'

interface Facts {
  readonly address: string
  readonly setupLink: string | null
  readonly dataDir: string
  readonly elsewhere: string | null
  readonly processes: number
  readonly seconds: number
}

function startBlock({ address, setupLink, dataDir, elsewhere, processes, seconds }: Facts): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  const lines = [
    ['Address', address],
    ['Set up', setupLink],
    ['Data', dataDir],
    ['Database', elsewhere],
    ['Processes', processes > 1 ? String(processes) : null],
    ['User', process.getuid?.() === 0 ? 'node itself runs as root; a user of its own is safer' : null],
    ['Stop', 'Ctrl-C'],
  ]
  const shown = lines.filter(([, value]) => value).map(([name, value]) => `  ${name!.padEnd(10)}${value}`)
  return ['', `Vexil v${version} is ready (${seconds.toFixed(1)} s)`, '', ...shown, ''].join('\n')
}

await serve(async () => {
  const begun = performance.now()
  const config = readConfig(process.env)
  const platform = await openPlatform(config, withDemoFiles)
  const { dataDir, processes } = config
  if (platform) note(startBlock({ ...platform, dataDir, processes, seconds: (performance.now() - begun) / 1000 }))
})
