/** Entry of the command `vexil`. */
import { runCommand } from './run.ts'

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
