/** Imports the image of the platform (deploy/Dockerfile) into the node of the cluster. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withDebianImage } from '../image/build.ts'
import { importArchive } from './images.ts'

export const platformImage = 'docker.io/library/vexil-test:1'

/** Builds the image in a temporary Docker engine; replaces that of the node. Needs root on Debian; exits with 3 otherwise. */
export async function importPlatform(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-platform-'))
  try {
    const file = join(folder, 'image.tar')
    await withDebianImage('vexil-test:1', (docker) => void docker('save', '--output', file, 'vexil-test:1'))
    importArchive(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
