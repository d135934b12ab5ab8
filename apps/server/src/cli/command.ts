import type { Config } from '../config.ts'

/** What a command did or found. */
export interface Outcome {
  /** For people. */
  readonly lines: readonly string[]
  /** The same for programs (`--json`). */
  readonly json: unknown
  /** The command found problems: exit code 1. */
  readonly foundProblems?: boolean
}

export interface CommandContext {
  readonly config: Config
  readonly env: Readonly<NodeJS.ProcessEnv>
  /** Progress and notices; not part of the outcome. */
  readonly printNotice: (line: string) => void
  /** The current step: shown on a terminal only. */
  readonly printProgress: (line: string) => void
}

export interface CommandSpec {
  readonly name: string
  /** Names of required arguments. */
  readonly args?: readonly string[]
  readonly summary: string
  /** Flags and texts, as commander takes them. */
  readonly options?: readonly (readonly [flags: string, text: string])[]
  /** @throws StartError when it cannot run: exit code 2 */
  run(context: CommandContext, args: readonly string[], options: Readonly<Record<string, unknown>>): Promise<Outcome>
}
