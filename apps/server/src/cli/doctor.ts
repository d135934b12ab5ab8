import { settings } from '../config.ts'
import { checkPlatform, checkUnknown, type Described, described } from '../health/checks.ts'
import type { CommandSpec } from './command.ts'
import { withPlatform } from './command-database.ts'

const secret = /PASSWORD|SECRET|_KEY$|TOKEN/

/** Without passwords in URLs. */
function shown(name: string, value: string): string {
  if (secret.test(name)) return '(set)'
  const url = URL.parse(value)
  const secrets = [...(url?.searchParams.keys() ?? [])].filter((key) => /password/i.test(key))
  if (!url || (!url.password && secrets.length === 0)) return value
  if (url.password) url.password = '***'
  for (const key of secrets) url.searchParams.set(key, '***')
  return url.href
}

/** Settings from the environment, and variables that look like settings. */
export function readSettings(env: Readonly<NodeJS.ProcessEnv>): { given: Record<string, string>; unknown: string[] } {
  const known = new Set<string>(Object.values(settings).map(({ variable }) => variable))
  const given = Object.entries(env).filter(([name, value]) => known.has(name) && value?.trim())
  return {
    given: Object.fromEntries(given.map(([name, value = '']) => [name, shown(name, value.trim())])),
    unknown: Object.keys(env)
      .filter((name) => name.startsWith('VEXIL_') && !known.has(name))
      .sort(),
  }
}

const marks = { ok: 'ok     ', warning: 'warning', error: 'ERROR  ' } as const

const lineOf = ({ level, name, text, fix }: Described) =>
  [`${marks[level]}  ${name.padEnd(10)}  ${text}`, ...(fix ? [`${' '.repeat(21)}${fix}`] : [])].join('\n')

export const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'check settings, database, disk, files, mail, captcha and container engine, with a fix for each problem',
  run: (context) =>
    withPlatform(context, { withEngine: true }, async (deps) => {
      const { given, unknown } = readSettings(context.env)
      const unknownSettings = unknown.map(checkUnknown)
      const checks = [...unknownSettings, ...(await checkPlatform(deps))].map((check) => described(check))
      return {
        lines: [...Object.entries(given).map(([name, value]) => `${name}=${value}`), ...checks.map(lineOf)],
        json: { settings: given, checks },
        foundProblems: checks.some(({ level }) => level === 'error'),
      }
    }),
}
