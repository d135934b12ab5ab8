/** Keeps the hashed files of the previous build next to those of a new one: a page that was loaded before an upgrade loads its remaining code from them. */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Names of the kept files; the server does not serve names with a leading dot. */
const list = '.before.json'

function readBuild(dist) {
  const files = existsSync(join(dist, 'static')) ? readdirSync(join(dist, 'static')) : []
  const kept = existsSync(join(dist, list)) ? JSON.parse(readFileSync(join(dist, list), 'utf8')) : []
  return { own: files.filter((name) => !kept.includes(name)), kept: files.filter((name) => kept.includes(name)) }
}

/**
 * Calls `build`, which fills the folder `dist` and returns whether it succeeded. Then `dist/static` also has the files of the previous build or, if the new
 * build has the same files, those that the previous build had kept. A build that fails leaves the previous one in place.
 */
export function keepLastBuild(dist, build) {
  const aside = `${dist}-before`
  // After an interrupted build the complete previous one is there.
  if (!existsSync(aside) && existsSync(dist)) renameSync(dist, aside)
  rmSync(dist, { recursive: true, force: true })
  const last = readBuild(aside)
  const isBuilt = build()
  if (isBuilt) {
    const now = new Set(readdirSync(join(dist, 'static')))
    const isChanged = last.own.some((name) => !now.has(name))
    const kept = (isChanged ? last.own : last.kept).filter((name) => !now.has(name))
    for (const name of kept) copyFileSync(join(aside, 'static', name), join(dist, 'static', name))
    writeFileSync(join(dist, list), JSON.stringify(kept))
    rmSync(aside, { recursive: true, force: true })
  } else {
    rmSync(dist, { recursive: true, force: true })
    if (existsSync(aside)) renameSync(aside, dist)
  }
  return isBuilt
}
