/**
 * npm run tool -- chaos [--minutes 20] [--only NAME,NAME] [--seed S] [--players 12] [--patience 1]: breaks a platform of two nodes with players, one fault
 * after another, and runs the same checks after each. Without --minutes each fault runs once; with it each at least once, then again in another order. Exit
 * code 1 if a check fails, 2 for an unknown name, 3 if a fault was not run.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startPlayers } from './players.ts'
import { examine, faults, orderOf } from './rounds.ts'
import { openScene } from './scene.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '0' },
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now()) },
    players: { type: 'string', default: '12' },
    patience: { type: 'string', default: '1' },
  },
})
const names = values.only?.split(',')
const wanted = faults.filter(({ name }) => !names || names.includes(name))
if (names && wanted.length !== names.length) {
  console.error(`The faults are ${faults.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
console.log(`Seed ${values.seed}.`)
const isWanted = (part: string) => wanted.some(({ name }) => name.includes(part))
const scene = await openScene({ small: isWanted('disk'), engine: isWanted('engine') })
const players = startPlayers(scene.played, Number(values.players), 'player')
let failed = 0
const notRun = new Set<string>()
try {
  await sleep(5000)
  const before = scene.nodes.map(({ held }) => held())
  const end = performance.now() + Number(values.minutes) * 60_000
  for (let round = 0; round === 0 || performance.now() < end; round++) {
    for (const fault of orderOf(values.seed, round, wanted)) {
      if (round > 0 && performance.now() > end) break
      const missing = fault.missing?.(scene)
      if (missing) {
        notRun.add(fault.name)
        console.log(`${fault.name}: not run: ${missing}`)
        continue
      }
      const { back, wrong } = await examine(scene, players, fault, before, Number(values.patience))
      console.log(
        `${fault.name} (${fault.how}): ${typeof back === 'number' ? `back after ${back} ms` : back}; wrong: ${wrong.length}`,
      )
      for (const one of wrong.slice(0, 10)) console.error(`  ${one}`)
      if (wrong.length > 0) failed++
    }
  }
  const { answers, accounts, recoveries, instances, statuses } = scene.played.ledger
  const counted = JSON.stringify(Object.fromEntries(statuses))
  console.log(
    `${answers.size} answers and ${accounts.size} accounts were acknowledged, ${recoveries.size} mails promised, ${instances.size} instances started; answers by status ${counted}. Faults after which something was wrong: ${failed}, not run: ${notRun.size}.`,
  )
} finally {
  await players.stop()
  await scene.close()
}
process.exitCode = failed > 0 ? 1 : notRun.size > 0 ? 3 : 0
