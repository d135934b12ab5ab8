/** Builds images from a folder and a command for containerd, without a registry. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { containerd } from './place.ts'

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const ctr = (...args: string[]) =>
  execFileSync('ctr', ['--address', containerd, '--namespace', 'k8s.io', ...args], { encoding: 'utf8' })

/** Names of the images that the node has. */
export const listImages = (): string[] => ctr('images', 'list', '-q').split('\n').filter(Boolean)

/** Creates an image, `registry/path:tag`, from the files in `root`. */
export function importImage(name: string, root: string, command: readonly string[], config: object = {}): void {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-image-'))
  try {
    const file = join(folder, 'image.tar')
    writeArchive(file, name, root, command, config)
    importArchive(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Imports an archive of `docker save`. */
export const importArchive = (file: string): void => void ctr('images', 'import', file)

/** Writes an archive in the format of `docker save`. */
function writeArchive(file: string, name: string, root: string, command: readonly string[], more: object): void {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-image-'))
  try {
    const layer = join(folder, 'layer.tar')
    execFileSync('tar', ['-C', root, '--owner=0', '--group=0', '-cf', layer, '.'])
    const config = {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Env: ['PATH=/bin'], Cmd: command, ...more },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digestOf(layer)}`] },
    }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }]
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
    execFileSync('tar', ['-C', folder, '-cf', file, 'manifest.json', 'config.json', 'layer.tar'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Pushes an image of the node to a registry over plain HTTP, under another name, and removes that name from the node. */
export function pushImage(image: string, name: string, user: string, password: string): void {
  ctr('images', 'tag', '--force', image, name)
  ctr('images', 'push', '--plain-http', '--user', `${user}:${password}`, name)
  ctr('images', 'remove', name)
}

export const removeImage = (name: string): void => void ctr('images', 'remove', name)

/** Kills the container in the pod of a challenge, without the API of the cluster. */
export function killContainer(pod: string): void {
  const labels = { 'io.kubernetes.pod.name': pod, 'io.kubernetes.container.name': 'challenge' }
  const filter = Object.entries(labels).map(([name, value]) => `labels."${name}"=="${value}"`)
  ctr('tasks', 'kill', '--signal', 'SIGKILL', ctr('containers', 'list', '-q', filter.join(',')).trim())
}

/** The image of the container that holds the network namespace of a pod: it only sleeps. */
export const pauseImage = 'vexil.test/pause:1'
export function importPause(): void {
  const root = mkdtempSync(join(tmpdir(), 'vexil-pause-'))
  mkdirSync(join(root, 'bin'))
  cpSync('/bin/busybox', join(root, 'bin/busybox'))
  symlinkSync('busybox', join(root, 'bin/sleep'))
  importImage(pauseImage, root, ['sleep', '2147483647'])
  rmSync(root, { recursive: true })
}
