import { readFile, statfs } from 'node:fs/promises'
import * as Type from 'typebox'
import type { EngineState } from '../engine.ts'
import type { DockerApi } from './docker-api.ts'

const Info = Type.Object({
  ServerVersion: Type.String(),
  ContainersRunning: Type.Number(),
  Images: Type.Number(),
  MemTotal: Type.Number(),
  DockerRootDir: Type.String(),
})

/** Free memory and disk are known for this host only. @throws EngineError unreachable */
export async function probeDocker(
  api: DockerApi,
  host: string,
): Promise<Pick<EngineState, 'version' | 'running' | 'images' | 'memory' | 'disk'>> {
  const info = await api.read(Info, 'GET', '/info')
  const local = host.startsWith('unix://')
  return {
    version: info.ServerVersion,
    running: info.ContainersRunning,
    images: info.Images,
    memory: { total: info.MemTotal, free: local ? await freeMemory() : null },
    disk: local ? await diskOf(info.DockerRootDir) : null,
  }
}

/** Bytes; null without `/proc/meminfo` (macOS). */
async function freeMemory(): Promise<number | null> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(text) ?? []
  return kilobytes === undefined ? null : Number(kilobytes) * 1024
}

async function diskOf(folder: string): Promise<EngineState['disk']> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder)
    return { total: blocks * bsize, free: bavail * bsize }
  } catch {
    // The folder is accessible to root only.
    return null
  }
}
