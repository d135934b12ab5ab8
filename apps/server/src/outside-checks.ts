import type { Deps } from './deps.ts'
import { checkSettings, described } from './health/checks.ts'

export const warn = ({ log }: Pick<Deps, 'log'>, message: string) =>
  log.write({ level: 'Warning', status: 'Failed', name: 'System', message })

/** Warns of inconsistent settings, and of an engine or mail server that does not answer; prints what the engine enforces. Not awaited. */
export function checkOutside(deps: Deps, printLine: (line: string) => void): void {
  const { mailer, engine, log } = deps
  for (const check of checkSettings(deps)) warn(deps, described(check).text)
  if (engine.kind !== 'None')
    engine.probe().then(
      ({ version, limitsStorage, isolation }) => {
        const storage = limitsStorage ? 'stops containers at their storage limit' : 'leaves the storage limit to the platform'
        const message = `${engine.kind} ${version} ${storage}. Isolation: ${isolation}`
        printLine(message)
        log.write({ status: 'Success', name: 'System', message })
        if (isolation !== 'in place') warn(deps, `Containers may not be isolated. ${isolation}`)
      },
      ({ message }: Error) => {
        printLine(`The container engine does not answer: ${message}`)
        warn(deps, `The container engine does not answer: ${message}`)
      },
    )
  mailer.check().catch((error: Error) => warn(deps, `The mail server does not accept emails: ${error.message}`))
}
