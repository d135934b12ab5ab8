/** npm run demo: a temporary platform with a running game and simulated players. Everything is removed at the end. */

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hashPassword } from '../accounts/passwords.ts'
import { type Config, readConfig } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { Http } from '../http/route.ts'
import { onShutdown, openPlatform, printLine, serve } from '../platform-process.ts'
import { StartError } from '../start-error.ts'
import { demoTeams, visitorTeam } from './cast.ts'
import { demoRoutes } from './demo.routes.ts'
import { containerProblem, makeDemoImages, offerContainers } from './demo-containers.ts'
import { newPassword, seedDemo } from './history.ts'
import { fillPlatform } from './platform-content.ts'
import { startPlayers } from './players.ts'

interface Options {
  readonly speed: number
  readonly seed: number
  readonly still: boolean
}

function readOptions(): Options {
  const read = () =>
    parseArgs({ options: { speed: { type: 'string' }, seed: { type: 'string' }, still: { type: 'boolean' } } }).values
  try {
    const { speed = '1', seed = '2026', still = false } = read()
    if (!(Number(speed) > 0 && Number(speed) <= 1000)) throw new Error('--speed is a number above 0, such as 5')
    if (!/^\d{1,9}$/.test(seed)) throw new Error('--seed is a whole number')
    return { speed: Number(speed), seed: Number(seed), still }
  } catch (error) {
    throw new StartError(`${(error as Error).message}.`)
  }
}

async function freePort(wanted: number, host: string): Promise<number> {
  for (const port of [wanted, 0]) {
    const probe = createServer()
    try {
      probe.listen({ port, host, exclusive: true })
      await once(probe, 'listening')
      const { port: found } = probe.address() as { port: number }
      probe.close()
      await once(probe, 'close')
      return found
    } catch {
      // Try 0: the system chooses a port.
    }
  }
  return wanted
}

const ofContainers = [
  'VEXIL_DOCKER_HOST',
  'VEXIL_DOCKER_SUBNETS',
  'VEXIL_CONTAINER_PORTS',
  'VEXIL_CONTAINER_CAPTURE',
  'VEXIL_CONTAINER_WEB',
]
const selectEnv = (env: NodeJS.ProcessEnv, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, env[name]]))

/** Uses only the variables for address, engine and rate limits, so that a demo never touches an existing database or data folder. */
async function configOf(dataDir: string, adminPassword: string) {
  const { HOST, PORT, LOG_LEVEL, DISABLE_RATE_LIMIT, VEXIL_DOCKER_HOST } = process.env
  const { host, port, dockerHost } = readConfig({ HOST, PORT, VEXIL_DOCKER_HOST })
  const missing = await containerProblem(dockerHost)
  const engine = { VEXIL_CONTAINER_PROVIDER: 'Docker', ...selectEnv(process.env, ofContainers) }
  const config = readConfig({
    ...(missing === null && engine),
    HOST,
    LOG_LEVEL,
    DISABLE_RATE_LIMIT,
    PORT: String(await freePort(port, host)),
    DATA_DIR: dataDir,
    ADMIN_PASSWORD: adminPassword,
  })
  return { config, missing }
}

async function withContainers({ config, deps }: { config: Config; deps: Deps }, gameId: number): Promise<void> {
  const remove = await makeDemoImages(config.dockerHost)
  onShutdown(async () => {
    await Promise.allSettled((await deps.engine.list()).map(({ id }) => deps.engine.destroy(id)))
    await remove()
  })
  await offerContainers(deps, gameId)
}

await serve(async () => {
  const options = readOptions()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-demo-'))
  const folders = [dataDir]
  onShutdown(async () => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  const passwords = { admin: newPassword(), people: newPassword() }
  const { config, missing } = await configOf(dataDir, passwords.admin)
  const player = demoTeams(options.seed).teams.find(({ name }) => name === visitorTeam)!.members[0]!
  const people = { player, organiser: 'Admin', monitor: 'watch' }
  // A still demo is for pictures and tests, which sign in themselves.
  const signIn = { demoCalls: (http: Http, deps: Deps) => demoRoutes(http, deps, people) }
  const platform = await openPlatform(config, options.still ? {} : signIn)
  if (!platform) return
  if (platform.elsewhere) folders.push(platform.elsewhere)

  const passwordHash = await hashPassword(passwords.people, 'demo')
  const seeded = await seedDemo(platform.deps, { seed: options.seed, passwordHash, withPlayers: !options.still })
  await fillPlatform(platform.deps, passwordHash, options.seed)
  if (missing === null) await withContainers({ config, deps: platform.deps }, seeded.gameId)
  const logins = {
    administrator: { name: 'Admin', password: passwords.admin },
    monitor: { name: 'watch', password: passwords.people },
    player: { name: player, password: passwords.people },
  }
  if (!options.still)
    onShutdown(startPlayers({ address: platform.address, seeded, logins, ...options, onError: platform.deps.onError }))
  const row = (name: string, value: string) => `  ${name.padEnd(16)}${value}`
  printLine(
    [
      '',
      'The Vexil demo is running. Its data is not kept.',
      '',
      row('Address', platform.address),
      row('Sign in', 'with the buttons at the top, or as'),
      row('Administrator', `${logins.administrator.name}  ${logins.administrator.password}`),
      row('Monitor', `${logins.monitor.name}  ${logins.monitor.password}`),
      row('Player', `${logins.player.name}  ${logins.player.password}  (${visitorTeam})`),
      row('Containers', missing ?? 'Bilge Pump and Harbour Log run on Docker'),
      row('Stop', 'Ctrl-C'),
      '',
    ].join('\n'),
  )
  // A parent process gets the data without parsing the output.
  process.send?.({ address: platform.address, gameId: seeded.gameId, logins, containers: missing === null })
})
