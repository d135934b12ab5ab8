/** Instances on a real engine, seen from a browser, in both port modes: start, connect, solve, extend, destroy; test container; traffic. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { images } from '../../apps/server/test/container-images.ts'
import { createTeam, fill, type Person, register, sendFlag, sendRequest, texts, visitor } from '../people.ts'
import { freePort, type Platform, startPlatform } from '../platform.ts'
import { realEngine } from '../real-engine.ts'

test.skip(realEngine === null, 'there is no engine')

/** VEXIL_PICTURES names a folder for screenshots of these tests. */
const folder = process.env.VEXIL_PICTURES
const picture = async ({ page }: Person, name: string) => {
  if (!folder) return
  for (const width of [1440, 390])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
      await page.emulateMedia({ colorScheme })
      // Colours change with a transition.
      await page.waitForTimeout(400)
      await page.screenshot({ path: `${folder}/${name}-${width}-${colorScheme}.png` })
    }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

/** The first data that a port sends. */
const said = (entry: string) =>
  new Promise<string>((resolve, reject) => {
    const [host = '', port] = entry.split(':')
    const socket = connect(Number(port), host, () => undefined)
    socket.on('data', (bytes) => {
      resolve(String(bytes))
      socket.destroy()
    })
    socket.on('error', reject)
  })

/** The first data that the proxy forwards. */
const greeted = (address: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = new WebSocket(address)
    socket.binaryType = 'arraybuffer'
    socket.onmessage = ({ data }) => {
      resolve(
        Buffer.from(data as ArrayBuffer)
          .toString()
          .trim(),
      )
      socket.close()
    }
    socket.onerror = () => reject(new Error(`${address} does not answer`))
  })

/** Settings for host names of raw TCP on a free port, with a certificate in the folder. */
async function tlsNames(folder: string): Promise<Record<string, string>> {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', ...kind, '-subj', '/CN=*.tcp.example.net'], { stdio: 'ignore' })
  const port = await freePort()
  return {
    VEXIL_CONTAINER_TLS: `*.tcp.example.net:${port}`,
    VEXIL_CONTAINER_TLS_LISTEN: `127.0.0.1:${port}`,
    VEXIL_CONTAINER_TLS_CERT: cert,
    VEXIL_CONTAINER_TLS_KEY: key,
  }
}

/** The first output of a command of the panel; connects to this machine instead of the host name. */
async function printed(command: string): Promise<string> {
  const [program = '', ...args] = command.replace(/-connect [^:]+:/, '-connect 127.0.0.1:').split(' ')
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  const [bytes] = await once(child.stdout, 'data')
  child.kill()
  return String(bytes).trim()
}

for (const mode of ['Default', 'PlatformProxy'] as const) {
  test.describe(`with ${mode}`, () => {
    test.describe.configure({ mode: 'serial' })
    let platform: Platform
    let admin: Person
    let player: Person
    let game = 0
    let challenge = 0
    let flag = ''
    let certificates = ''

    test.beforeAll(async ({ browser }) => {
      await realEngine?.makeImages()
      certificates = mkdtempSync(join(tmpdir(), 'vexil-instances-'))
      platform = await startPlatform({
        env: {
          DISABLE_RATE_LIMIT: 'true',
          ...realEngine?.env,
          // The probe creates and removes networks at the start, and a network change makes the browser abort its requests.
          VEXIL_ISOLATION_PROBE: 'false',
          VEXIL_CONTAINER_PORTS: mode,
          VEXIL_CONTAINER_CAPTURE: String(mode === 'PlatformProxy'),
          ...(mode === 'PlatformProxy' && (await tlsNames(certificates))),
        },
      })
      admin = await visitor(browser, platform.url, 'Admin')
      await sendRequest(admin.page, 'post', '/api/account/login', { userName: 'Admin', password: platform.adminPassword })
      const hour = 3_600_000
      const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + 5 * hour).toISOString() }
      const options = { title: 'Harbour Cup', acceptWithoutReview: true, practiceMode: true, ...times }
      game = (await sendRequest(admin.page, 'post', '/api/edit/games', options)).id
      challenge = (
        await sendRequest(admin.page, 'post', `/api/edit/games/${game}/challenges`, {
          title: 'Echo Chamber',
          category: 'Pwn',
          type: 'DynamicContainer',
        })
      ).id
      await sendRequest(admin.page, 'put', `/api/edit/games/${game}/challenges/${challenge}`, {
        content: 'It says everything twice.',
        containerImage: images.echo,
        containerExposePort: 7000,
        flagTemplate: 'flag{[GUID]}',
        enableTrafficCapture: true,
        isEnabled: true,
      })
      player = await register(browser, platform.url, 'dana')
      await createTeam(player, 'Kombu Overflow')
      const [team] = await sendRequest(player.page, 'get', '/api/team')
      await sendRequest(player.page, 'post', `/api/game/${game}`, { teamId: team.id })
    })
    test.afterAll(async () => {
      rmSync(certificates, { recursive: true })
      if (!platform) return
      const { data } = await sendRequest(admin.page, 'get', '/api/admin/instances')
      for (const { containerGuid } of data)
        await admin.page.request.delete(`${platform.url}/api/admin/instances/${containerGuid}`)
      await admin.page.request.delete(`${platform.url}/api/edit/games/${game}/challenges/${challenge}/container`)
      await platform.stop()
    })

    test('CE-3 the administrator tests the challenge with a test container', async () => {
      const { page } = admin
      await page.goto(`/admin/games/${game}/challenges/${challenge}`)
      await page.getByRole('button', { name: texts.admin.challenge.test, exact: true }).click()
      await expect(page.getByRole('group', { name: texts.admin.challenge.testEntry })).toBeVisible()
      // The container greets with the test flag, and its output is shown below.
      await expect(page.getByText(texts.admin.challenge.triedText)).toContainText('flag{')
      await picture(admin, `${mode}-editor`)
      await page.getByRole('button', { name: texts.admin.challenge.testStop, exact: true }).click()
      await expect(page.getByRole('button', { name: texts.admin.challenge.test, exact: true })).toBeVisible()
    })

    test('CHK-1 CHK-2 an organiser runs a solver check and reads its output; after two failures the challenge is red until a success', async () => {
      const { page } = admin
      const path = `/api/edit/games/${game}/challenges/${challenge}`
      const { check, ready, problem } = texts.admin
      const results = page.getByRole('list', { name: check.results })
      const run = async () => {
        const { id } = await sendRequest(page, 'post', `${path}/checks`)
        const state = async () => (await sendRequest(page, 'get', `${path}/checks/${id}`)).state
        await expect.poll(state, { timeout: 60_000 }).toMatch(/Passed|Failed/)
      }
      const fails = page.getByText(ready.line.check.replace('{{title}}', 'Echo Chamber'))
      await page.goto(`/admin/games/${game}/challenges/${challenge}`)
      await page.getByLabel(texts.admin.challenge.checkImage).fill(images.solver)
      await page.getByRole('button', { name: check.run }).click()
      await expect(results.getByRole('button').first()).toContainText(check.state.Passed, { timeout: 60_000 })
      await expect(page.getByRole('region', { name: check.output })).toContainText('***')
      await page.getByRole('region', { name: check.output }).scrollIntoViewIfNeeded()
      await picture(admin, `${mode}-check`)

      await sendRequest(page, 'put', path, { containerImage: images.crash })
      await run()
      await run()
      await page.goto(`/admin/games/${game}/challenges`)
      await expect(page.getByText(problem.check)).toBeVisible()
      await page.goto(`/admin/games/${game}/Info`)
      await expect(fails).toBeVisible()
      await picture(admin, `${mode}-check-ready`)
      await page.goto(`/games/${game}/monitor/Events`)
      await expect(page.getByText(texts.monitor.checkFails.replace('{{title}}', 'Echo Chamber'))).toBeVisible()
      await page.goto(`/admin/games/${game}/challenges/${challenge}`)
      await expect(results.getByRole('button').first()).toContainText(check.state.Failed)
      await expect(page.getByText('cannot start with')).toBeVisible()
      await picture(admin, `${mode}-check-failed`)

      await sendRequest(page, 'put', path, { containerImage: images.echo })
      await run()
      await page.goto(`/admin/games/${game}/Info`)
      await expect(page.getByText(ready.title)).toBeVisible()
      await expect(fails).toBeHidden()
      await sendRequest(page, 'put', path, { checkImage: '' })
    })

    test('CD-7 CD-8 CD-9 a player starts the instance and sees its address and the time left', async () => {
      const { page } = player
      await page.goto(`/games/${game}/Challenges?c=${challenge}`)
      await picture(player, `${mode}-none`)
      await page.getByRole('button', { name: texts.play.instanceStart }).first().click()
      const entry = page.getByRole('group', { name: texts.play.entry }).first()
      await expect(entry).toBeVisible()
      const left = page.getByRole('dialog').getByRole('timer').first()
      await expect(left).toHaveText(/^0?1:59:\d\d$/)
      await expect(left).not.toHaveText((await left.textContent()) ?? '')
      await expect(page.getByRole('button', { name: fill(texts.play.extendBy, { time: '2 hours' }) }).first()).toBeDisabled()
      await picture(player, `${mode}-running`)
      const address = (await entry.textContent()) ?? ''
      if (mode === 'Default') {
        // A port of a cluster reaches its pod only a moment later.
        await expect(async () => {
          flag = (await said(address.trim())).trim()
        }).toPass({ timeout: 15_000 })
      } else expect(address).toMatch(/^ws:\/\/.*\/api\/proxy\/[0-9a-f-]{36}$/)
    })

    if (mode === 'PlatformProxy')
      test('the terminal in the browser shows the output of the instance and sends typed text', async () => {
        const { page } = player
        await page.getByRole('button', { name: texts.play.terminal }).first().click()
        const terminal = page.getByRole('dialog').last()
        await expect(terminal.locator('.xterm-rows')).toContainText('flag{')
        await terminal.getByLabel(texts.ui.terminal.type).fill('hello there')
        await terminal.getByRole('button', { name: texts.ui.terminal.send }).click()
        // Once as sent, once as echoed.
        await expect(terminal.locator('.xterm-rows')).toContainText(/hello there\s*hello there/)
        await picture(player, `${mode}-terminal`)
        await terminal.getByText(texts.ui.terminal.hex, { exact: true }).click()
        await expect(terminal.locator('.xterm-rows')).toContainText('68 65 6c 6c 6f')
        await picture(player, `${mode}-terminal-hex`)
        await terminal.getByText(texts.ui.terminal.text, { exact: true }).click()
        const rows = terminal.locator('.xterm-rows')
        // Switching from hex back to text takes one frame.
        await expect(rows).toContainText(/flag\{[0-9a-f-]{36}\}/)
        flag = /flag\{[0-9a-f-]{36}\}/.exec((await rows.textContent()) ?? '')?.[0] ?? ''
        await terminal.getByRole('button', { name: texts.ui.close }).click()
      })

    test('P1.6 the flag from the instance is correct', async () => {
      expect(flag).toMatch(/^flag\{[0-9a-f-]{36}\}$/)
      await sendFlag(player, flag)
      await expect(player.page.getByRole('dialog').getByRole('status')).toBeVisible()
    })

    test('CD-10 it can be extended in its last minutes', async () => {
      const { page } = player
      await sendRequest(admin.page, 'put', '/api/admin/config', { containerPolicy: { renewalWindow: 125 } })
      await page.reload()
      await page
        .getByRole('button', { name: fill(texts.play.extendBy, { time: '2 hours' }) })
        .first()
        .click()
      await expect(page.getByText(texts.play.instanceExtended.replace('{{time}}', ''))).toBeVisible()
      await expect(page.getByRole('dialog').getByRole('timer').first()).toHaveText(/^0?3:5\d:\d\d$/)
    })

    test('P1.15 P2.13 the administrator sees the instance', async () => {
      const { page } = admin
      await page.goto('/admin/Instances')
      await expect(page.getByText('Kombu Overflow').first()).toBeVisible()
      await picture(admin, `${mode}-instances`)
    })

    if (mode === 'PlatformProxy')
      test('its traffic is captured and can be viewed in the browser', async () => {
        const { page } = admin
        await page.goto(`/games/${game}/monitor/traffic`)
        await page.getByText('Echo Chamber').first().click()
        await page.getByText('Kombu Overflow').first().click()
        await expect(page.getByText(/\.pcap/).first()).toBeVisible()
        await picture(admin, `${mode}-traffic`)
        await page
          .getByRole('button', { name: fill(texts.monitor.traffic.lookAt, { name: '' }).trim() })
          .first()
          .click()
        const packets = page.getByRole('dialog').getByRole('listitem')
        // The line that was typed in the terminal, and its echo from the instance.
        await expect(packets.filter({ hasText: 'hello there' })).toHaveCount(2)
        const sent = packets.filter({ has: page.getByRole('img', { name: texts.monitor.traffic.direction.in }) })
        await sent.filter({ hasText: 'hello there' }).getByRole('button').click()
        await expect(sent.getByRole('region', { name: texts.monitor.traffic.hex })).toContainText('68 65 6c 6c 6f')
        await picture(admin, `${mode}-traffic-look`)
      })

    test('CD-11 it is destroyed after a question, and a new one can be started', async () => {
      const { page } = player
      const gone = page.getByText(texts.play.instanceDestroyed)
      // Two operations must be ten seconds apart; until then the button counts down.
      await expect(async () => {
        await page.getByRole('button', { name: texts.play.destroy, exact: true }).first().click({ timeout: 12_000 })
        const question = page.locator('.mantine-Popover-dropdown', { hasText: texts.play.destroyAsk })
        await question.getByRole('button', { name: texts.play.destroy, exact: true }).click()
        await expect(gone).toBeVisible({ timeout: 5000 })
      }).toPass({ timeout: 60_000 })
      await expect(page.getByRole('button', { name: texts.play.instanceStart }).first()).toBeVisible()
    })

    if (mode === 'PlatformProxy')
      test('CD-8 CD-26 a challenge of two containers is played through the proxy, a TLS name and the terminal', async () => {
        const path = `/api/edit/games/${game}/challenges`
        const { id } = await sendRequest(admin.page, 'post', path, {
          title: 'Two Berths',
          category: 'Web',
          type: 'DynamicContainer',
        })
        const limits = { cpuCount: 1, memoryLimit: 64, storageLimit: 256 }
        const second = { name: 'second', image: images.second, environment: [], getsFlag: true, ...limits }
        await sendRequest(admin.page, 'put', `${path}/${id}`, {
          ...{ containerImage: images.echo, containerExposePort: 7000, flagTemplate: 'flag{[GUID]}', readyTimeout: 60 },
          ...{ additionalContainers: [second], namedPorts: [{ name: 'second', port: 7001 }], isEnabled: true },
        })
        const { page } = player
        await page.goto(`/games/${game}/Challenges?c=${id}`)
        const panel = page.getByRole('dialog')
        await panel.getByRole('button', { name: texts.play.instanceStart }).locator('visible=true').click()
        await expect(
          panel.getByRole('group', { name: texts.play.entry, exact: true }).locator('visible=true').first(),
        ).toBeVisible()
        await expect(panel.getByRole('button', { name: texts.play.cancelStart })).toHaveCount(0)
        const address = async (label: string) => {
          const group = panel.getByRole('group', { name: label, exact: true }).locator('visible=true').first()
          return /wss?:\/\/\S+/.exec((await group.textContent()) ?? '')?.[0] ?? ''
        }
        const first = await address(texts.play.entry)
        const named = await address(fill(texts.ui.entryOf, { name: 'second' }))
        expect(named).toBe(`${first}/second`)
        const greetings = await Promise.all([first, named].map(greeted))
        expect(greetings[0]).toMatch(/^flag\{[0-9a-f-]{36}\}$/)
        expect(greetings[1]).toBe(greetings[0])
        await panel
          .getByText(fill(texts.ui.connectTo, { name: 'second' }))
          .locator('visible=true')
          .click()
        const command = panel.getByText(/^openssl s_client .*-servername \S+\.tcp\.example\.net /).locator('visible=true')
        await expect(command.last()).toBeVisible()
        await picture(player, 'two-containers-commands')
        expect(await printed((await command.last().textContent()) ?? '')).toBe(greetings[1])
        await panel.getByRole('button', { name: texts.ui.openTerminal, exact: true }).locator('visible=true').last().click()
        const terminal = page.getByRole('dialog').last()
        await expect(terminal.locator('.xterm-rows')).toContainText('flag{')
        await picture(player, 'two-containers-terminal')
        await terminal.getByRole('button', { name: texts.ui.close }).click()
        await sendFlag(player, greetings[1] ?? '')
        await expect(panel.getByRole('status')).toBeVisible()
      })
  })
}
