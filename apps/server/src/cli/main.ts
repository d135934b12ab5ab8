/** Entry of the command `vexil`. */
import { constants, setPriority } from 'node:os'

// Before the other modules are loaded: that takes more processor time than the backup of a small event, and the platform may be in use.
if (process.argv[2] === 'backup') {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Some sandboxes do not permit it; the backup says so (start-snapshot.ts).
  }
}
const { runCommand } = await import('./run.ts')

const code = await runCommand(process.argv.slice(2), {
  env: process.env,
  serve: async () => {
    await import('../main.ts')
    await new Promise(() => undefined)
  },
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
  ...(process.stderr.isTTY && { printProgress: (line) => void process.stderr.write(`${line}\n`) }),
})
process.exit(code)
