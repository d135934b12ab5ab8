/** Checks of a service after its fault, with new players. */
import { setTimeout as sleep } from 'node:timers/promises'
import { captchaToken, enrol, openSession } from './players.ts'
import type { Scene } from './scene.ts'

let count = 0
const nextName = (what: string) => `${what}${Math.round(performance.now())}x${count++}`

/** Checks that a recovery mail for a new account arrives. */
export async function mailArrives({ nodes, played, mails }: Scene, end: number): Promise<string[]> {
  const name = nextName('mail')
  const email = `${name}@example.org`
  const ask = openSession(() => nodes[0]!.url)
  await enrol(ask, name, played.game)
  const promised = await ask('POST', '/api/account/recovery', { email, challenge: captchaToken })
  if (promised?.status !== 200) return [`a recovery was answered with ${promised?.status}`]
  for (; performance.now() < end; await sleep(50)) if (mails.some(({ envelope }) => envelope.to === email)) return []
  return [`no mail to ${email}`]
}

/** Checks that an instance of a new team starts on each node. */
export async function instanceStarts({ nodes, played }: Scene, end: number): Promise<string[]> {
  const started = nodes.map(async ({ url }) => {
    for (; ; await sleep(300)) {
      // A team must pause after a failed start, so each try is that of another one.
      const name = nextName('start')
      const ask = openSession(() => url)
      await enrol(ask, name, played.game)
      const answer = await ask('POST', `/api/game/${played.game}/container/${played.container}`)
      if (answer?.status === 200) {
        played.ledger.instances.set(name, true)
        return []
      }
      const body = JSON.stringify(answer?.body ?? null)
      if (performance.now() > end) return [`no instance starts at ${url}: ${body.slice(0, 200)}`]
    }
  })
  return (await Promise.all(started)).flat()
}
