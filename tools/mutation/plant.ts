/**
 * Plants small faults, one at a time, in a copy of the project, and shows that the named test or lint finds each: red with the fault, green
 * without. A fault that is not found fails the command. `--only WORD` selects the faults whose name or file has the word.
 */
import { copyProject, failsIn, plantAll, removeCopy, runIn } from './copied-project.ts'
import { type Fault, faults } from './plant.faults.ts'

/** Whether the test or lint that should find the fault is red, and its output. */
function isFound(found: Fault['found']): { red: boolean; output: string } {
  if (found === 'types') {
    const { status, stdout } = runIn(copy, 'node', ['node_modules/typescript-7/bin/tsc', '-p', '.'])
    return { red: status !== 0, output: stdout.split('\n')[0] ?? '' }
  }
  if (found === 'directions') {
    const { status, stdout } = runIn(copy, 'npx', [
      'depcruise',
      'packages',
      'apps',
      'scripts',
      'tools',
      'e2e',
      '--config',
      '.dependency-cruiser.cjs',
    ])
    return { red: status !== 0, output: /error [^\n]+/.exec(stdout)?.[0] ?? '' }
  }
  return failsIn(copy, found)
}

const only = process.argv.indexOf('--only')
const word = only > 0 ? (process.argv[only + 1] ?? '') : ''
const chosen = faults.filter(({ name, file }) => name.includes(word) || file.includes(word))
const copy = copyProject()
let passed = 0
try {
  passed = plantAll(copy, chosen, isFound)
} finally {
  removeCopy(copy)
}
console.log(`${passed} passed, ${chosen.length - passed} failed`)
process.exitCode = passed === chosen.length ? 0 : 1
