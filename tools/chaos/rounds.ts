/** Faults in seeded random order, and the same checks after each. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { clockFaults } from './faults/clocks.ts'
import { crowdFaults } from './faults/crowds.ts'
import { databaseFaults } from './faults/database.ts'
import { diskFaults } from './faults/disks.ts'
import type { Fault } from './faults/fault.ts'
import { processFaults } from './faults/processes.ts'
import { serviceFaults } from './faults/services.ts'
import type { Held } from './nodes.ts'
import type { Players } from './players.ts'
import {
  backWithin,
  failed,
  lostMails,
  lostOrDoubled,
  notNormal,
  slowed,
  verified,
  whenBack,
  wrongInstances,
  wronglyShown,
} from './questions.ts'
import type { Scene } from './scene.ts'

export const faults: readonly Fault[] = [
  ...processFaults,
  ...databaseFaults,
  ...diskFaults,
  ...serviceFaults,
  ...clockFaults,
  ...crowdFaults,
]

/** The same order for the same seed; another one in each round. */
export function orderOf(seed: string, round: number, all: readonly Fault[] = faults): readonly Fault[] {
  const place = ({ name }: Fault) => createHash('sha256').update(`${seed} ${round} ${name}`).digest('hex')
  return [...all].sort((a, b) => (place(a) < place(b) ? -1 : 1))
}

export interface Examined {
  /** ms from the end of the fault until the service was back, or the problem. */
  readonly back: number | string
  readonly wrong: readonly string[]
}

/** `patience`: factor for the time in which the service must be back, for a busy machine. */
export async function examine(
  scene: Scene,
  players: Players,
  fault: Fault,
  before: readonly Held[],
  patience = 1,
): Promise<Examined> {
  scene.played.ledger.times.length = 0
  const printed = scene.nodes.map(({ output }) => output().length)
  const remove = await fault.plant(scene)
  const startedAt = performance.now()
  await sleep(fault.seconds * 1000)
  await remove()
  const ended = performance.now()
  const back = await whenBack(scene, patience)
  const broken = (await fault.works?.(scene, ended + backWithin * patience)) ?? []
  await sleep(500)
  await players.pause()
  const wrong = [
    ...(typeof back === 'string' ? [back] : []),
    ...broken,
    ...(fault.sparesOthers ? slowed(scene, startedAt, ended, patience) : []),
    ...failed(scene, printed),
    ...(await lostOrDoubled(scene)),
    ...(await lostMails(scene)),
    ...(await wrongInstances(scene)),
    ...(await wronglyShown(scene)),
    ...(await verified(scene)),
    ...(await notNormal(scene, before)),
  ]
  players.resume()
  return { back, wrong }
}
