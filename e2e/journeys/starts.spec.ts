/** Slow starts of instances, seen from a browser, on a fake Docker whose pulls and creations wait for the test. */
import { createServer, type Server } from 'node:net'
import { expect, test } from '@playwright/test'
import { type FakeDocker, openFakeDocker } from '../../apps/server/test/docker-api.ts'
import { createTeam, fill, type Person, register, sendRequest, texts, visitor } from '../people.ts'
import { freePort, type Platform, startPlatform } from '../platform.ts'

test.describe.configure({ mode: 'serial' })

let docker: FakeDocker
let platform: Platform
let admin: Person
let player: Person
let mate: Person
let others: Person
let game = 0
let port = 0
let service: Server | undefined

const hour = 3_600_000
const pulls = (call: string) => call.includes('/images/create') && call.includes('fromImage')
const creations = 'POST /v1.41/networks/create'

/** The output of a pull; the test sends its lines. */
function aPull() {
  const parts: string[] = []
  let wake = () => {}
  async function* text() {
    for (;;) {
      while (parts.length > 0) {
        const part = parts.shift() ?? ''
        if (part === '') return
        yield part
      }
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const send = (part: string) => {
    parts.push(part)
    wake()
  }
  return {
    text: text(),
    line: (line: object) => send(`${JSON.stringify(line)}\n`),
    end: () => send(''),
  }
}

/** Creates and enables a challenge, which pulls its image; `isMissing` removes the image again. */
async function aChallenge(title: string, image: string, isMissing = true): Promise<number> {
  const path = `/api/edit/games/${game}/challenges`
  const { id } = await sendRequest(admin.page, 'post', path, { title, category: 'Web', type: 'StaticContainer' })
  await sendRequest(admin.page, 'post', `${path}/${id}/flags`, [{ flag: 'flag{tide}' }])
  const container = { containerImage: image, containerExposePort: port, readyTimeout: 300, isEnabled: true }
  await sendRequest(admin.page, 'put', `${path}/${id}`, container)
  await expect.poll(() => docker.images.has(image)).toBe(true)
  if (isMissing) docker.images.delete(image)
  return id
}
const open = ({ page }: Person, challenge: number) => page.goto(`/games/${game}/Challenges?c=${challenge}`)
const panel = ({ page }: Person) => page.getByRole('dialog')
const press = (person: Person, name: string) =>
  panel(person).getByRole('button', { name, exact: true }).locator('visible=true').click()
const shows = (person: Person, text: string) => expect(panel(person).locator('p:visible', { hasText: text })).toBeVisible()
const entry = (person: Person) => panel(person).getByRole('group', { name: texts.play.entry }).locator('visible=true').first()

test.beforeAll(async ({ browser }) => {
  docker = await openFakeDocker()
  port = await freePort()
  docker.hostPort = port
  platform = await startPlatform({
    env: {
      DISABLE_RATE_LIMIT: 'true',
      VEXIL_CONTAINER_PROVIDER: 'Docker',
      VEXIL_CONTAINER_PORTS: 'Default',
      VEXIL_CONTAINER_ENTRY: '127.0.0.1',
      VEXIL_DOCKER_HOST: docker.door.address,
      VEXIL_ISOLATION_PROBE: 'false',
    },
  })
  admin = await visitor(browser, platform.url, 'Admin')
  await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
  const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + 5 * hour).toISOString() }
  const options = { title: 'Slow Tide', acceptWithoutReview: true, practiceMode: true, containerCountLimit: 0, ...times }
  game = (await sendRequest(admin.page, 'post', '/api/edit/games', options)).id
  player = await register(browser, platform.url, 'dana')
  await createTeam(player, 'Kombu Overflow')
  const [team] = await sendRequest(player.page, 'get', '/api/team')
  mate = await register(browser, platform.url, 'emil')
  const data = JSON.stringify(await sendRequest(player.page, 'get', `/api/team/${team.id}/invite`))
  const joined = await mate.page.request.post('/api/team/accept', { data, headers: { 'content-type': 'application/json' } })
  expect(joined.status()).toBe(200)
  for (const { page } of [player, mate]) await sendRequest(page, 'post', `/api/game/${game}`, { teamId: team.id })
  others = await register(browser, platform.url, 'finn')
  await createTeam(others, 'Ebb')
  const [ebb] = await sendRequest(others.page, 'get', '/api/team')
  await sendRequest(others.page, 'post', `/api/game/${game}`, { teamId: ebb.id })
})
test.afterAll(async () => {
  docker?.door.release()
  service?.close()
  await platform?.stop()
  await docker?.close()
})

test('CD-26 a player sees the pull, the place in the queue and the wait for the service, and gets the address when it answers', async () => {
  // Six starts is the limit; another one has to wait.
  const busy = []
  for (let n = 0; n < 6; n++) busy.push(await aChallenge(`Busy ${n}`, 'team/other:1', false))
  const challenge = await aChallenge('Slow Tide', 'team/tide:1')
  const pull = aPull()
  docker.door.meet('pull', { status: 200, text: pull.text }, pulls)
  await open(player, challenge)
  await press(player, texts.play.instanceStart)
  await shows(player, texts.play.phase.pulling)
  const layer = { id: 'a', progressDetail: { current: 40, total: 70 } }
  pull.line({ status: 'Downloading', ...layer })
  await shows(player, `${texts.play.phase.pulling} 40%`)
  await expect(panel(player).getByRole('progressbar').locator('visible=true')).toHaveAttribute('aria-valuenow', '40')
  // A team member sees the same, and so does a page that is loaded during the pull.
  await open(mate, challenge)
  await player.page.reload()
  for (const person of [player, mate]) await shows(person, `${texts.play.phase.pulling} 40%`)
  await expect(entry(player)).toBeHidden()

  // Starts of another team take up all places for creations.
  docker.door.meet(creations, 'held')
  const headers = { prefer: 'respond-async' }
  for (const id of busy) await others.page.request.post(`/api/game/${game}/container/${id}`, { headers })
  await expect.poll(() => docker.door.asked.filter((call) => call.startsWith(creations)).length).toBeGreaterThanOrEqual(6)
  docker.images.add('team/tide:1')
  pull.end()
  for (const person of [player, mate]) await shows(person, fill(texts.play.place, { place: 1 }))

  docker.door.meet(creations, null)
  docker.door.meet('pull', null)
  docker.door.release()
  for (const person of [player, mate]) await shows(person, texts.play.phase.waiting)
  await expect(entry(player)).toBeHidden()
  service = createServer((socket) => void socket.on('error', () => undefined)).listen(port, '127.0.0.1')
  for (const person of [player, mate]) await expect(entry(person)).toHaveText(new RegExp(`127\\.0\\.0\\.1:${port}`))
})

test('CD-27 a start is cancelled without a question, for the whole team', async () => {
  const challenge = await aChallenge('Undertow', 'team/undertow:1')
  docker.door.meet('pull', 'held', pulls)
  await open(player, challenge)
  await open(mate, challenge)
  await press(player, texts.play.instanceStart)
  await shows(mate, texts.play.phase.pulling)
  await press(mate, texts.play.cancelStart)
  await expect(mate.page.getByText(texts.play.startCancelled)).toBeVisible()
  for (const person of [player, mate])
    await expect(panel(person).getByRole('button', { name: texts.play.instanceStart }).locator('visible=true')).toBeVisible()
  docker.door.meet('pull', null)
  docker.door.release()
})

test('CD-28 a start that fails says why, for the whole team, and can be tried again', async () => {
  const challenge = await aChallenge('Shoal', 'team/gone:1')
  const refused = `${JSON.stringify({ error: 'manifest unknown' })}\n`
  docker.door.meet('pull', { status: 200, text: refused }, pulls)
  await open(mate, challenge)
  await open(player, challenge)
  await press(player, texts.play.instanceStart)
  for (const person of [player, mate]) await shows(person, texts.play.instanceNotStarted)
  docker.door.meet('pull', null)
  docker.images.add('team/gone:1')
  // Two operations must be ten seconds apart; until then the button counts down.
  await expect(async () => {
    await press(mate, texts.ui.tryAgain)
    await expect(entry(mate)).toBeVisible({ timeout: 5000 })
  }).toPass()
  await expect(entry(player)).toBeVisible()
})
