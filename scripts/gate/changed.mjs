/** Files that changed since a commit, and the stages of `npm test` that they can affect. */
import { execFileSync } from 'node:child_process'
import { root } from '../toolchain.mjs'

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
const isTest = (file) => /\.(test|suite|spec)\.tsx?$/.test(file) || /^apps\/\w+\/test\//.test(file)

/** Files that differ from `commit`, including untracked files. */
export const changedSince = (commit) => [
  ...new Set([...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')]),
]

/** @returns which stages have to run, of those that `vitest --changed` does not select */
export function reached(files) {
  const any = (fits) => files.some(fits)
  const runs = (file) =>
    !isTest(file) && (/^(apps|packages)\/.*\.(ts|tsx|js|mjs|py|json|sql|css|html)$/.test(file) || file === 'package-lock.json')
  return {
    web: any((file) => runs(file) && !file.startsWith('apps/server/')),
    journeys: any((file) => runs(file) || file.startsWith('e2e/') || file === 'playwright.config.ts'),
    sql: any((file) => file.endsWith('.sql') || file.startsWith('apps/server/src/db/') || /\.queries\.ts$/.test(file)),
  }
}
