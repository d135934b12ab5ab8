import { join } from 'node:path'
import proxyAddr from '@fastify/proxy-addr'
import { defaultSiteTitle } from '@vexil/core/limits'
import type { FastifyInstance } from 'fastify'
import { accountRoutes } from './accounts/accounts.routes.ts'
import { openCommonSignInLimits } from './accounts/common-sign-in-limits.ts'
import { forgetEndedSessions, forgetSessions } from './accounts/forget-expired.ts'
import { mailTasks } from './accounts/mails/mail-tasks.ts'
import { forgetMails } from './accounts/mails/mails.queries.ts'
import { hashQueue } from './accounts/passwords.ts'
import { forgetAttempts } from './accounts/registrations.queries.ts'
import { setupRoutes } from './accounts/setup.routes.ts'
import { openSetup } from './accounts/setup-token.ts'
import { forgetBuckets } from './accounts/sign-in-buckets.queries.ts'
import type { SignInLimits } from './accounts/sign-in-limits.ts'
import { userRoutes } from './accounts/users.routes.ts'
import { openVisits } from './accounts/visits.ts'
import { backupRoutes } from './backup/backup.routes.ts'
import { scheduledBackups } from './backup/scheduled-backups.ts'
import { challengeAdminRoutes } from './challenges/challenges.admin.routes.ts'
import { closeParts, closesWithin } from './close-parts.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { watchRefusals } from './db/database-refusals.ts'
import type { Tx } from './db/transaction.ts'
import type { Deps } from './deps.ts'
import { drain } from './drain.ts'
import { fileRoutes } from './files/files.routes.ts'
import { keepReleasing } from './files/release-file.ts'
import { sweepFiles } from './files/sweep-files.ts'
import { gameAdminRoutes } from './games/games.admin.routes.ts'
import { gamesLive } from './games/games.live.ts'
import { gameRoutes } from './games/games.routes.ts'
import { type NodeReports, openNodeReports } from './health/node-reports.ts'
import { openApplication } from './http/application.ts'
import { descriptionRoutes } from './http/description.ts'
import { watchForwarding } from './http/forwarding.ts'
import { healthRoutes } from './http/health.ts'
import { type Live, openLive } from './http/live.ts'
import { anyOf } from './http/network.ts'
import { hostsBelow } from './http/other-hosts.ts'
import type { Http } from './http/route.ts'
import { nameSessionCookie } from './http/session-cookie.ts'
import { webRoutes } from './http/static-web.ts'
import { storeFaults } from './http/stored-faults.ts'
import { captureRoutes } from './instances/captures.routes.ts'
import { sweepCaptures } from './instances/captures.ts'
import { deleteOfMissing, forgetCaptures } from './instances/forget-captures.ts'
import { forwardRoutes } from './instances/forward.routes.ts'
import { pullBeforeStart, startImagePulls } from './instances/image-pulls.ts'
import { type Instances, noSweeper, startInstanceSweeper } from './instances/instance-sweeper.ts'
import { instanceAdminRoutes } from './instances/instances.admin.routes.ts'
import { instancesLive } from './instances/instances.live.ts'
import { instanceRoutes } from './instances/instances.routes.ts'
import { type CaptureMoves, moveCaptures } from './instances/move-captures.ts'
import { proxyRoutes } from './instances/proxy.routes.ts'
import { openReadyWatch, type ReadyWatch } from './instances/ready-watch.ts'
import { openSolverChecks, type SolverChecks } from './instances/solver-checks.ts'
import { openStarts, type Starts } from './instances/starts.ts'
import { openTlsEntry, type TlsEntry } from './instances/tls.routes.ts'
import { tryIsolation, tryIsolationAgain } from './instances/try-isolation.ts'
import { openTunnels, type Tunnels } from './instances/tunnels.ts'
import { webHosts } from './instances/web.routes.ts'
import { entryPrinter } from './log-lines.ts'
import { openProcessMetrics, type ProcessMetrics } from './metrics/process-metrics.ts'
import { openDeps, openedDeps } from './open-deps.ts'
import { checkOutside, warn } from './outside-checks.ts'
import type { Engine } from './ports/engine/engine.ts'
import type { BoardClient } from './scoreboard/board-client.ts'
import { liveBoards } from './scoreboard/scoreboard.live.ts'
import { scoreboardRoutes } from './scoreboard/scoreboard.routes.ts'
import { openSessionGate } from './session-gate.ts'
import { countLimits, type Limits } from './shared-limits.ts'
import { forgetLogs } from './site/logs.queries.ts'
import { makeWelcomePost } from './site/posts.queries.ts'
import { platformName } from './site/settings.ts'
import { siteAdminRoutes } from './site/site.admin.routes.ts'
import { siteLive } from './site/site.live.ts'
import { siteRoutes } from './site/site.routes.ts'
import { attemptsPool, openAttempts } from './submissions/attempts.ts'
import { openSubmissionContextCache } from './submissions/submission-context-cache.ts'
import { submissionsLive } from './submissions/submissions.live.ts'
import { submissionRoutes } from './submissions/submissions.routes.ts'
import { openSweeps, type Sweep, type Sweeps } from './sweeps.ts'
import { makeTeams } from './teams/make-teams.ts'
import { teamAdminRoutes } from './teams/teams.admin.routes.ts'
import { teamRoutes } from './teams/teams.routes.ts'
import { writeupRoutes } from './writeups/writeups.routes.ts'

export interface App {
  readonly app: FastifyInstance
  readonly deps: Deps
  readonly live: Live
  readonly sweeps: Sweeps
  readonly backups: Sweeps
  readonly captureMoves: CaptureMoves
  readonly instances: Instances
  readonly boards: BoardClient
  readonly limits: Limits
  /** Null without `VEXIL_CONTAINER_TLS`. */
  readonly tlsEntry: TlsEntry | null
  readonly tunnels: Tunnels
  /** Metrics of this process; null without `VEXIL_METRICS`. */
  readonly metrics: ProcessMetrics | null
  readonly nodeReports: NodeReports
  /** Serves until load balancers notice, and lets listeners and connections to instances change to another node, unless `isImmediate`. */
  drain(isImmediate?: boolean): Promise<void>
  /** Finishes running requests, within the times of `closesWithin`; does not drain. */
  close(): Promise<void>
}

type DemoMaker = <T>(deps: Deps, work: (tx: Tx, makeDemoGame: () => Promise<unknown>) => Promise<T>) => Promise<T>

type DemoCalls = (http: Http, deps: Deps) => void

export interface AppOptions {
  readonly config: Config
  readonly database: Database
  readonly printLine: (line: string) => void
  readonly demo?: DemoMaker
  /** Binds the calls of `npm run demo`. */
  readonly demoCalls?: DemoCalls
  readonly engine?: Engine
  /** Default: limits counted in this process. */
  readonly limits?: Limits
  /** Not the first process of its node, which runs sweeps, checks and the set-up. */
  readonly isWorker?: boolean
}

function mountRoutes(
  http: Http,
  deps: Deps,
  options: {
    readonly limits: Limits
    readonly boards: BoardClient
    readonly forwarding: ReturnType<typeof watchForwarding>
    readonly demo: DemoMaker | undefined
    readonly demoCalls: DemoCalls | undefined
    readonly otherHosts: ReturnType<typeof hostsBelow> | null
    readonly readyWatch: ReadyWatch
    readonly starts: Starts
    readonly solverChecks: SolverChecks
  },
) {
  const { limits, boards, forwarding, demo, demoCalls, otherHosts, readyWatch, starts, solverChecks } = options
  fileRoutes(http, deps)
  siteRoutes(http, deps, demoCalls !== undefined)
  demoCalls?.(http, deps)
  siteAdminRoutes(http, { ...deps, forwarding })
  accountRoutes(http, deps, limits.signIns)
  setupRoutes(http, deps, demo && ((work) => demo(deps, work)))
  userRoutes(http, deps, makeTeams)
  teamRoutes(http, deps)
  teamAdminRoutes(http, deps)
  gameRoutes(http, deps)
  gameAdminRoutes(http, deps)
  writeupRoutes(http, deps)
  challengeAdminRoutes(http, deps)
  instanceRoutes(http, { ...deps, readyWatch, starts })
  instanceAdminRoutes(http, { ...deps, readyWatch, starts, solverChecks })
  captureRoutes(http, deps)
  forwardRoutes(http)
  const tunnels = openTunnels(deps)
  proxyRoutes(http, tunnels)
  if (otherHosts) webHosts(otherHosts, deps, tunnels)
  const attempts = openAttempts(deps.database.reservedPool(attemptsPool))
  submissionRoutes(http, { ...deps, attempts, facts: openSubmissionContextCache() })
  scoreboardRoutes(http, { ...deps, boards })
  backupRoutes(http, deps, limits.signIns)
  descriptionRoutes(http, deps.config.sessionCookie)
  return { tunnels, attempts }
}

const isolationIsTried = ({ config, engine }: Deps) => config.isolationProbe && engine.kind !== 'None'

function listSweeps(deps: Deps, solverChecks: SolverChecks): Sweep[] {
  const { db, config, engine, captures } = deps
  const [own, common] = captures
  return [
    { name: 'sessions', everyMinutes: 60, run: () => forgetSessions(db) },
    { name: 'ended sessions', everyMinutes: 60, run: () => forgetEndedSessions(db) },
    { name: 'registrations', everyMinutes: 60, run: () => forgetAttempts(db) },
    { name: 'sign-in buckets', everyMinutes: 1, run: () => forgetBuckets(db) },
    { name: 'mails', everyMinutes: 24 * 60, run: () => forgetMails(db) },
    { name: 'logs', everyMinutes: 60, run: () => forgetLogs(db, config.logDays) },
    {
      name: 'captures',
      everyMinutes: 10,
      run: async (signal) => {
        await deleteOfMissing(deps)
        await sweepCaptures(common ?? own, config, signal)
      },
    },
    { name: 'files', everyMinutes: 24 * 60, run: (signal) => sweepFiles(deps, signal) },
    ...(engine.kind === 'None'
      ? []
      : [
          { name: 'images', everyMinutes: 1, run: () => pullBeforeStart(deps) },
          { name: 'solver checks', everyMinutes: 1, run: solverChecks.begin },
        ]),
    ...(isolationIsTried(deps) ? [{ name: 'isolation', everyMinutes: 60, run: () => tryIsolationAgain(deps) }] : []),
  ]
}

function startBackground(deps: Deps, live: Live, readyWatch: ReadyWatch, solverChecks: SolverChecks, isWorker: boolean) {
  const site = siteLive(deps, live)
  gamesLive(deps, live)
  const judged = submissionsLive(deps, live)
  const pushes = instancesLive(deps, live)
  const instances = isWorker ? noSweeper : startInstanceSweeper({ ...deps, readyWatch })
  if (!isWorker) startImagePulls(deps)
  const captures = isWorker ? null : forgetCaptures(deps)
  const boards = liveBoards(deps, live)
  const releases = isWorker ? null : keepReleasing(deps)
  const sweeps = openSweeps(deps.db, isWorker ? [] : listSweeps(deps, solverChecks), deps.onError)
  // Separate, since a backup may take minutes.
  const { backupDir } = deps.config
  const backups = openSweeps(deps.db, isWorker || backupDir === null ? [] : scheduledBackups(deps, backupDir), deps.onError)
  return { site, judged, pushes, instances, captures, boards, releases, sweeps, backups }
}

/** Milliseconds over which listeners reconnect, and read again, after messages may have been lost. */
const reconnectWithin = 10_000

/** Opens the hubs, and reloads rights and settings when they change in the database. */
function openHubs(http: Http, deps: Deps, limits: Limits): Live {
  const { db, bus, config, secrets, versions } = deps
  const gameExists = async (id: number) =>
    (await db.selectFrom('games').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
  const live = openLive({
    http,
    gameExists,
    secret: secrets.derive('hub tokens'),
    now: versions.now,
    slots: limits.slots,
    unlimited: config.disableRateLimit,
  })
  versions.onSecurity(() => void live.recheck().catch(deps.onError))
  bus.subscribe('security.changed', () => {
    versions.invalidate()
    void versions.poll().catch(deps.onError)
  })
  bus.subscribe('settings.changed', () => void versions.poll().catch(deps.onError))
  bus.onLoss(() => {
    void versions.poll().catch(deps.onError)
    void live.drain(reconnectWithin)
  })
  return live
}

function mountWeb(http: Http, { captcha, settings }: Deps, isDemo: boolean): Promise<void> {
  return webRoutes(http, {
    folder: join(import.meta.dirname, '../../web/dist'),
    origins: () => captcha.origins,
    head: async () => ({
      name: settings.get()['GlobalConfig:Title'] || defaultSiteTitle,
      title: platformName(settings.get()),
      description: settings.get()['GlobalConfig:Description'],
    }),
    isDemo,
  })
}

function tlsEntryOf(deps: Deps, tunnels: Tunnels): TlsEntry | null {
  const { containerTls, containerTlsListen, containerTlsCert, containerTlsKey, containerPorts } = deps.config
  const { containerTlsProxyProtocol, trustedProxies } = deps.config
  const isTrusted = proxyAddr.compile([...trustedProxies])
  if (!containerTls || containerTlsCert === null || containerTlsKey === null || containerPorts !== 'PlatformProxy') return null
  return openTlsEntry(deps, tunnels, {
    ...containerTlsListen,
    suffix: containerTls.suffix,
    cert: containerTlsCert,
    key: containerTlsKey,
    proxyProtocol: containerTlsProxyProtocol ? { isTrusted: (address) => isTrusted(address, 0) } : null,
  })
}

function limitSignIns(deps: Deps, { signIns: alone }: Limits): SignInLimits {
  const { disableRateLimit, hallNetworks } = deps.config
  if (disableRateLimit) return alone
  return openCommonSignInLimits(deps.db, { isHall: anyOf(hallNetworks), alone, warn: (message) => warn(deps, message) })
}

export async function buildApp({
  config,
  database,
  printLine,
  demo,
  demoCalls,
  engine,
  isWorker = false,
  ...given
}: AppOptions): Promise<App> {
  const ofNode = given.limits ?? countLimits(config.disableRateLimit, config.hallNetworks)
  const otherHosts = config.containerWeb === null ? null : hostsBelow(config.containerWeb.hostname)
  const refusals = watchRefusals(database.db, (line) => app.log.error(line, 'the database refused a statement'))
  const app = await openApplication({
    otherHosts,
    record: { refusal: refusals.record, fault: storeFaults((entry) => deps.log.write(entry)) },
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    log: { level: config.logLevel, format: config.logFormat },
  })
  nameSessionCookie(app, { name: config.sessionCookie, publicUrl: config.publicUrl })
  // During the shutdown, background work may find the database closed.
  let closing = false
  const onError = (error: unknown) => {
    if (!closing && !refusals.record(error)) app.log.error({ err: error }, 'fault')
  }
  const deps = await openDeps(
    config,
    database,
    { onError, printLine, printEntry: entryPrinter(app.log, config.logFormat) },
    engine,
  )

  const limits = { ...ofNode, signIns: limitSignIns(deps, ofNode) }
  const forwarding = watchForwarding(app, (peer) =>
    warn(deps, `X-Forwarded-For from ${peer} is not trusted. If it is your proxy, add it to TRUSTED_PROXIES`),
  )
  const visits = openVisits(deps.db, onError)
  const captureMoves = await moveCaptures(deps, isWorker)
  const http: Http = { app, limiter: limits.limiter, uploads: limits.uploads, gate: openSessionGate(deps, visits) }
  const live = openHubs(http, deps, limits)
  const readyWatch = openReadyWatch(deps)
  const starts = openStarts(deps)
  const solverChecks = openSolverChecks({ ...deps, starts })
  const { site, judged, pushes, instances, captures, boards, releases, sweeps, backups } = startBackground(
    deps,
    live,
    readyWatch,
    solverChecks,
    isWorker,
  )
  const { tunnels, attempts } = mountRoutes(http, deps, {
    limits,
    boards,
    forwarding,
    demo,
    demoCalls,
    otherHosts,
    readyWatch,
    starts,
    solverChecks,
  })
  const tlsEntry = tlsEntryOf(deps, tunnels)
  const metrics =
    config.metrics &&
    openProcessMetrics({
      listeners: live.listeners,
      proxyConnections: tunnels.count,
      hashesWaiting: () => hashQueue.length,
      pool: database.pool,
      boardAge: boards.age,
    })
  const nodeReports = openNodeReports(deps)
  const health = healthRoutes(http, deps.versions.answers, refusals.isWritable)
  const startJobs = () => deps.jobs.start(mailTasks(deps))
  await startJobs()
  // A mail server can be set while the node runs.
  deps.settings.onChange(() => void startJobs().catch(onError))
  await mountWeb(http, deps, demoCalls !== undefined)

  return {
    app,
    deps,
    live,
    sweeps,
    backups,
    captureMoves,
    instances,
    boards,
    limits,
    tlsEntry,
    tunnels,
    metrics,
    nodeReports,
    drain(isImmediate = false) {
      health.drain()
      return drain({ server: app.server, live, tunnels, tlsEntry, nodeReports, config, isImmediate })
    },
    async close() {
      closing = true
      const notClosed = (error: unknown) => app.log.error({ err: error }, 'a part of the platform did not close')
      metrics?.close()
      refusals.close()
      health.drain()
      if (app.server.listening) app.server.close()
      await closeParts([tlsEntry, site, live, tunnels, app, starts, sweeps, backups, instances], closesWithin.requests, notClosed)
      app.server.closeAllConnections()
      const rest = [
        pushes,
        judged,
        visits,
        attempts,
        boards,
        nodeReports,
        readyWatch,
        solverChecks,
        captures,
        captureMoves,
        releases,
      ]
      await closeParts([...rest, ...openedDeps(deps)], closesWithin.rest, notClosed)
    },
  }
}

async function prepare(deps: Deps, printLine: AppOptions['printLine']): Promise<string | null> {
  await makeWelcomePost(deps.db)
  const setupLink = await openSetup(deps)
  checkOutside(deps, printLine)
  if (isolationIsTried(deps)) tryIsolation(deps).catch(deps.onError)
  return setupLink
}

/** Builds and listens. `setupLink` is the one-time link of a platform without an administrator; null in a worker process. */
export async function startApp(
  options: AppOptions,
): Promise<{ address: string; setupLink: string | null } & Pick<App, 'deps' | 'metrics' | 'drain' | 'close'>> {
  const { app, deps, metrics, instances, boards, tlsEntry, nodeReports, drain, close } = await buildApp(options)
  try {
    const setupLink = options.isWorker ? null : await prepare(deps, options.printLine)
    void instances.begin()
    boards.start()
    const { port, host, processes } = options.config
    const address = await app.listen({ port, host, ...(processes > 1 && { reusePort: true }) })
    await tlsEntry?.listen({ reusePort: processes > 1 })
    if (!options.isWorker) await nodeReports.begin()
    return { address, setupLink, deps, metrics, drain, close }
  } catch (error) {
    await close()
    throw error
  }
}
