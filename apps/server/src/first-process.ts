/** The first process: reads the configuration, opens everything in order, and prints its address. */
import { existsSync, readFileSync } from 'node:fs'
import { readConfig } from './config.ts'
import { withDemoFiles } from './demo/game.ts'
import { notifySystemd, openPlatform, printAs, printLine, serve } from './platform-process.ts'
import { readVersion } from './read-version.ts'

const recommendedFiles = 4_096

function openFilesWarning(): string | null {
  const limits = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : ''
  const most = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? recommendedFiles)
  return most < recommendedFiles
    ? `only ${most} can be open at once, including connections; ${recommendedFiles} or more recommended (ulimit -n)`
    : null
}

interface Facts {
  readonly address: string
  readonly setupLink: string | null
  readonly dataDir: string
  readonly elsewhere: string | null
  readonly processes: number
  readonly seconds: number
}

function startBlock({ address, setupLink, dataDir, elsewhere, processes, seconds }: Facts): string {
  const version = readVersion()
  const lines = [
    ['Address', address],
    ['Set up', setupLink],
    ['Data', dataDir],
    ['Database', elsewhere],
    ['Processes', processes > 1 ? String(processes) : null],
    ['Files', openFilesWarning()],
    ['User', process.getuid?.() === 0 ? 'node runs as root; use a separate user' : null],
    ['Stop', 'Ctrl-C'],
  ]
  const shown = lines.filter(([, value]) => value).map(([name, value]) => `  ${name!.padEnd(10)}${value}`)
  return ['', `Vexil v${version} is ready (${seconds.toFixed(1)} s)`, '', ...shown, ''].join('\n')
}

notifySystemd(process.env)
await serve(async () => {
  const startedAt = performance.now()
  const config = readConfig(process.env)
  printAs(config.logFormat)
  const platform = await openPlatform(config, { demo: withDemoFiles })
  const { dataDir, processes } = config
  if (platform) printLine(startBlock({ ...platform, dataDir, processes, seconds: (performance.now() - startedAt) / 1000 }))
})
