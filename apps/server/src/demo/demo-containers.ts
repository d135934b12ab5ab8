/** Two challenges with containers, for a demo with a Docker engine. Their images are built here from a static busybox. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { type DockerApi, openDockerApi } from '../ports/engine/docker/docker-api.ts'
import type { DemoChallenge } from './challenges.ts'
import { makeChallenge } from './game.ts'

const pump = `#!/bin/sh
echo "Bilge pump 3, pressure 0. Your order?"
order=$(head -n 1 | od -An -v -tx1 | tr -d ' \\n')
pressure=$(printf '%s' "\${order%0a}" | cut -c65-72)
while [ \${#pressure} -lt 8 ]; do pressure="\${pressure}0"; done
echo "Pressure is now 0x$pressure, the lowest byte first."
if [ "$pressure" = ea050000 ]; then echo "The valve opens: $FLAG"; else echo "The valve stays shut."; fi
`

const page = `#!/bin/sh
printf 'Content-Type: text/plain\\r\\n\\r\\n'
cat "/www/days/$QUERY_STRING" 2>&1
`

const index = `<!doctype html>
<title>Harbour log</title>
<h1>Harbour log</h1>
<p><a href="/cgi-bin/day?monday">Monday</a> · <a href="/cgi-bin/day?tuesday">Tuesday</a></p>
<p>The harbour master keeps the safe's number in /safe.</p>
`

interface DemoImage {
  readonly name: string
  readonly port: number
  readonly command: string
  readonly files: Readonly<Record<string, string>>
}

const bilgePump: DemoImage = {
  name: 'vexil-demo/bilge-pump:1',
  port: 9999,
  command: 'exec nc -ll -p 9999 -e /bin/pump',
  files: { 'bin/pump': pump },
}

const logFlag = 'tide{every_path_leads_to_the_safe}'
const harbourLogImage: DemoImage = {
  name: 'vexil-demo/harbour-log:1',
  port: 8080,
  command: 'exec httpd -f -p 8080 -h /www',
  files: {
    safe: `${logFlag}\n`,
    'www/index.html': index,
    'www/cgi-bin/day': page,
    'www/days/monday': 'Fog. Nothing came in.\n',
    'www/days/tuesday': 'Two trawlers, and a crate that nobody had ordered.\n',
  },
}

export const harbourLog: DemoChallenge = {
  title: 'Harbour Log',
  category: 'Web',
  type: 'StaticContainer',
  content: `The harbour office has put its log on the web: one page a day, and a safe that is none of your business.

Start an instance and read what was never meant to be a page.`,
  hints: ['What exactly does the address of Monday name?'],
  originalScore: 300,
  minScoreRate: 0.25,
  difficulty: 6,
  flags: [logFlag],
  container: { image: harbourLogImage.name, port: harbourLogImage.port, template: '' },
  minutes: 12,
}

const images = [bilgePump, harbourLogImage]

/** A statically linked busybox, as in Debian's package busybox-static. */
const isStatic = (file: string) => existsSync(file) && !readFileSync(file).subarray(0, 4096).includes('/ld-')

/** null if an engine can run both containers, otherwise a sentence with the remedy. */
export async function containerProblem(host: string, busybox = '/bin/busybox'): Promise<string | null> {
  const api = openDockerApi({ host, certs: null })
  try {
    await api.bytes('GET', '/info', { time: 3000 })
  } catch {
    return `none, since no Docker engine answers at ${host}: install docker.io and busybox-static, then start this again as root`
  } finally {
    api.close()
  }
  return isStatic(busybox)
    ? null
    : 'none, since their images are made from a static busybox: install busybox-static and start this again'
}

/** Builds the images and returns the function that removes them. */
export async function makeDemoImages(host: string): Promise<() => Promise<void>> {
  const api = openDockerApi({ host, certs: null })
  for (const image of images) await makeImage(api, image)
  return async () => {
    for (const { name } of images) await api.bytes('DELETE', `/images/${name}`).catch(() => undefined)
    api.close()
  }
}

async function makeImage(api: DockerApi, { name, command, files }: DemoImage): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-demo-image-'))
  try {
    for (const part of ['bin', 'tmp']) mkdirSync(join(folder, part))
    copyFileSync('/bin/busybox', join(folder, 'bin/busybox'))
    for (const program of ['sh', 'nc', 'httpd', 'cat', 'head', 'od', 'tr', 'cut'])
      symlinkSync('busybox', join(folder, 'bin', program))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
      chmodSync(join(folder, path), 0o755)
    }
    const body = execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 64_000_000 })
    const [repo = '', tag = ''] = name.split(':')
    await api.bytes('POST', '/images/create', {
      query: { fromSrc: '-', repo, tag, changes: `CMD ${JSON.stringify(['sh', '-c', command])}` },
      body,
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Sets the image of Bilge Pump and adds Harbour Log to the running game. */
export async function offerContainers(deps: Pick<Deps, 'db' | 'bus'>, gameId: number): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await tx
      .updateTable('challenges')
      .set({ containerImage: bilgePump.name, exposePort: bilgePump.port, captureTraffic: true })
      .where('gameId', '=', gameId)
      .where('title', '=', 'Bilge Pump')
      .execute()
    await makeChallenge(tx, new Map(), gameId, harbourLog)
  })
  deps.bus.publish('game.changed', { gameId })
}
