/** The command line: parses arguments, runs one command and returns the exit code. */
import { fill, messagesOf } from '@vexil/contract/messages/messages'
import { type RuleCode, RuleError } from '@vexil/core/rules'
import { Command, CommanderError } from 'commander'
import { readConfig } from '../config.ts'
import { isConnectionLost } from '../db/connections.ts'
import { readVersion } from '../read-version.ts'
import { StartError } from '../start-error.ts'
import { makeAdminCommand, resetPasswordCommand, setupLinkCommand } from './accounts.ts'
import { backupCommand } from './backup.ts'
import type { CommandSpec, Outcome } from './command.ts'
import { doctorCommand } from './doctor.ts'
import { migrateCommand } from './migrate.ts'
import { nodesCommand } from './nodes.ts'
import { restoreCommand } from './restore.ts'
import { verifyCommand } from './verify.ts'

const commands: readonly CommandSpec[] = [
  migrateCommand,
  backupCommand,
  restoreCommand,
  verifyCommand,
  nodesCommand,
  doctorCommand,
  setupLinkCommand,
  resetPasswordCommand,
  makeAdminCommand,
]

/** 0: done; 1: found problems; 2: could not run. */
const exitCodes = { done: 0, problems: 1, notRun: 2 } as const

interface Environment {
  readonly env: Readonly<NodeJS.ProcessEnv>
  /** Starts the platform; does not return while it runs. */
  readonly serve: () => Promise<void>
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
  /** Absent where no terminal shows it. */
  readonly printProgress?: (line: string) => void
}

/** @param args without node and script */
export async function runCommand(
  args: readonly string[],
  { env, serve, print, printError, printProgress = () => undefined }: Environment,
): Promise<number> {
  let code: number = exitCodes.done
  const version = readVersion()
  const program = new Command('vexil')
    .description('Vexil, a platform for capture-the-flag competitions. Settings are environment variables (docs/operations.md).')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => printError(text.trimEnd()) })
    .showHelpAfterError('Run "vexil help" for all commands.')
    .addHelpText('after', '\nExit codes: 0 done, 1 found problems, 2 could not run.')
  program.command('serve').description('start the platform').action(serve)
  for (const spec of commands) {
    const command = program.command(spec.name).description(spec.summary).option('--json', 'print the outcome as JSON')
    for (const name of spec.args ?? []) command.argument(`<${name}>`)
    for (const [flags, text] of spec.options ?? []) command.option(flags, text)
    command.action(async (...given: unknown[]) => {
      const options = command.opts<Record<string, unknown>>()
      const outcome = await spec.run(
        { config: readConfig(env), env, printNotice: printError, printProgress },
        given.slice(0, spec.args?.length ?? 0) as string[],
        options,
      )
      show(outcome, options.json === true, print)
      if (outcome.foundProblems) code = exitCodes.problems
    })
  }
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.notRun
    printError(reasonOf(error))
    return exitCodes.notRun
  }
}

function show({ lines, json }: Outcome, asJson: boolean, print: (line: string) => void): void {
  for (const line of asJson ? [JSON.stringify(json, null, 2)] : lines) print(line)
}

function reasonOf(error: unknown): string {
  if (error instanceof RuleError) return fill(messagesOf.en_US.errors[error.code as RuleCode], error.data as object)
  if (isConnectionLost(error)) return 'The connection to the database was lost. Check that it runs, and try again.'
  return error instanceof StartError ? error.message : String((error as Error).stack ?? error)
}
