/**
 * Builds the image of deploy/Dockerfile and prints the compressed size of its parts. `npm run tool -- image [--tag NAME]` uses the running
 * Docker engine; with `--debian` a temporary engine and base images of Debian packages, so that no image registry is needed.
 */
import { parseArgs } from 'node:util'
import { buildImage, type Docker, dockerAt, imageMax, imageSizes, withDebianImage } from './build.ts'

const options = { tag: { type: 'string', default: 'vexil' }, debian: { type: 'boolean', default: false } } as const
const { tag, debian } = parseArgs({ options }).values

async function printSizes(docker: Docker): Promise<void> {
  const { all, parts } = await imageSizes(docker, tag)
  const line = (name: string, bytes: number) => console.log(`${name.padEnd(12)} ${(bytes / 1e6).toFixed(1).padStart(6)} MB`)
  for (const [name, bytes] of Object.entries(parts)) line(name, bytes)
  line('all', all)
  if (all > imageMax) throw new Error(`The image has more than ${imageMax / 1e6} MB`)
}

if (debian) await withDebianImage(tag, printSizes)
else {
  const docker = dockerAt()
  buildImage(docker, tag)
  await printSizes(docker)
}
