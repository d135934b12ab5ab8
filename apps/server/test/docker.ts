/** The Docker engine of the tests (scripts/docker-engine.mjs starts it), with images made from Debian's static busybox. */
import { execFileSync } from 'node:child_process'
import { createHash, randomInt, randomUUID } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DockerOptions, openDocker } from '../src/ports/engine/docker.ts'
import { type DockerApi, openDockerApi } from '../src/ports/engine/docker-api.ts'
import type { Engine } from '../src/ports/engine/engine.ts'

/** Null when the tests have none: what needs it skips itself. */
export const dockerHost = process.env.VEXIL_TEST_DOCKER || null

const listen = (program: string) => `echo starting; echo ready; exec nc -ll -p 7000 -e ${program}`

/** What the images run. */
const commands = {
  echo: listen('/bin/flag'),
  /** Runs what it is sent. */
  shell: listen('/bin/sh'),
  http: 'exec httpd -f -p 7000 -h /www',
  crash: 'echo "cannot start with $FLAG" >&2; exit 3',
  fork: '(while :; do sleep 600 & done) & exec sleep 600',
  fill: 'dd if=/dev/zero of=/filled bs=1M count=160 2>/dev/null; echo filled; exec sleep 600',
  /** The same into a volume that the image asks for. */
  volume: 'dd if=/dev/zero of=/volume/filled bs=1M count=160 2>/dev/null; echo filled; exec sleep 600',
  burn: 'while :; do :; done',
} as const

const tag = createHash('sha256').update(JSON.stringify(commands)).digest('hex').slice(0, 12)

/** `vexil-test/echo:…` and so on. */
export const images = Object.fromEntries(Object.keys(commands).map((name) => [name, `vexil-test/${name}:${tag}`])) as Record<
  keyof typeof commands,
  string
>

/** Calls of the engine itself, to look behind ours. */
export function dockerApi(): DockerApi {
  return openDockerApi({ host: dockerHost ?? 'unix:///var/run/docker.sock', certs: null })
}

/** Makes the images that are not there yet. */
export async function makeImages(api: DockerApi): Promise<void> {
  const here = await api.call<{ RepoTags: string[] | null }[]>('GET', '/images/json')
  const known = new Set(here.flatMap(({ RepoTags }) => RepoTags ?? []))
  if (Object.values(images).every((image) => known.has(image))) return
  const folder = mkdtempSync(join(tmpdir(), 'vexil-image-'))
  try {
    for (const part of ['bin', 'www', 'volume', 'tmp']) mkdirSync(join(folder, part))
    cpSync('/bin/busybox', join(folder, 'bin/busybox'))
    for (const program of ['sh', 'nc', 'httpd', 'sleep', 'dd', 'cat']) symlinkSync('busybox', join(folder, 'bin', program))
    writeFileSync(join(folder, 'bin/flag'), '#!/bin/sh\n[ "$FLAG" ] || FLAG="no flag"\necho "$FLAG"\nexec cat\n')
    chmodSync(join(folder, 'bin/flag'), 0o755)
    writeFileSync(join(folder, 'www/index.html'), '<h1>a challenge</h1>\n')
    const body = execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 64_000_000 })
    for (const [name, command] of Object.entries(commands)) {
      const changes = [`CMD ${JSON.stringify(['sh', '-c', command])}`, ...(name === 'volume' ? ['VOLUME /volume'] : [])]
      const query = { fromSrc: '-', repo: `vexil-test/${name}`, tag, changes: changes.join('\n') }
      await api.bytes('POST', '/images/create', { query, body })
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Options of an installation of its own, with 256 networks that no other test uses, as far as chance goes. */
export function dockerOptions(more: Partial<DockerOptions> = {}): DockerOptions {
  return {
    host: dockerHost ?? '',
    certs: null,
    installation: randomUUID(),
    published: false,
    subnets: `100.${64 + randomInt(64)}.${randomInt(32) * 8}.0/21`,
    bind: null,
    deny: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
    registry: null,
    report: () => undefined,
    ...more,
  }
}

/** Opens it, works with it, and leaves nothing of it behind. */
export async function withDocker(more: Partial<DockerOptions>, work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await openDocker(dockerOptions(more))
  try {
    await work(engine)
  } finally {
    await clear(engine)
  }
}

/** Destroys all that it has, and closes it. */
export async function clear(engine: Engine): Promise<void> {
  await Promise.all((await engine.list()).map(({ id }) => engine.destroy(id)))
  await engine.close()
}
