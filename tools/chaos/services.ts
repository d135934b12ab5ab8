/** The services other than the database, each behind a line: bucket, mail server, captcha provider and, as root on Debian, a Docker engine. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Engine } from '../../apps/server/src/ports/engine/engine.ts'
import { bucketSettings, startBucket } from '../../apps/server/test/bucket-server.ts'
import { type ReceivedMail, startMailServer } from '../../apps/server/test/mail-server.ts'
import { startDocker } from '../../scripts/docker-engine.mjs'
import { type Line, openLine } from './line.ts'

export interface DockerOfScene {
  readonly line: Line
  /** Name of an image that listens on port 7000. */
  readonly image: string
  readonly settings: Readonly<Record<string, string>>
  /** Pid of the engine; 0: it was not started here, and may have other users. */
  readonly pid: number
  /** Connects without the line. `installation`: the label of the platform on the engine. */
  open(installation: string): Promise<Engine>
  close(): void
}

export interface Services {
  readonly lines: { readonly bucket: Line; readonly mail: Line; readonly captcha: Line }
  readonly settings: Readonly<Record<string, string>>
  readonly mails: readonly ReceivedMail[]
  close(): Promise<void>
}

/** A captcha provider that accepts every token. */
async function startCaptcha() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"success":true}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => void server.close().closeAllConnections() }
}

/** `folder`: where the bucket stores its data. */
export async function openServices(folder: string): Promise<Services> {
  const [bucket, mail, captcha] = [await startBucket(folder), await startMailServer(), await startCaptcha()]
  const line = (port: number) => openLine({ port, host: '127.0.0.1' })
  const lines = { bucket: await line(bucket.port), mail: await line(mail.port), captcha: await line(captcha.port) }
  return {
    lines,
    mails: mail.received,
    settings: {
      ...bucketSettings(lines.bucket.port),
      VEXIL_MAIL_HOST: '127.0.0.1',
      VEXIL_MAIL_PORT: String(lines.mail.port),
      VEXIL_MAIL_SENDER: 'chaos@example.org',
      VEXIL_MAIL_IGNORE_CERTIFICATE: 'true',
      VEXIL_CAPTCHA_PROVIDER: 'CloudflareTurnstile',
      VEXIL_CAPTCHA_SITE_KEY: 'site',
      VEXIL_CAPTCHA_SECRET: 'secret',
      VEXIL_CAPTCHA_VERIFY_URL: `http://127.0.0.1:${lines.captcha.port}/`,
    },
    async close() {
      await Promise.all(Object.values(lines).map((one) => one.close()))
      captcha.close()
      await mail.stop()
      await bucket.close()
    },
  }
}

/** Null if no engine can be started; the reason is printed. */
export async function openEngine(): Promise<DockerOfScene | null> {
  const isGiven = Boolean(process.env.VEXIL_TEST_DOCKER)
  const docker = startDocker((name: string, reason: string) => console.error(`${name}: ${reason}`))
  if (!docker) return null
  process.env.VEXIL_TEST_DOCKER = docker.host
  const { dockerApi, dockerOptions, images, makeImages } = await import('../../apps/server/test/docker.ts')
  const { openDocker } = await import('../../apps/server/src/ports/engine/docker/docker.ts')
  const socket = docker.host.replace('unix://', '')
  const options = dockerOptions({ published: true })
  await makeImages(dockerApi())
  const line = await openLine({ path: socket })
  return {
    line,
    image: images.echo,
    pid: isGiven ? 0 : Number(readFileSync(join(dirname(socket), 'pid'), 'utf8')),
    settings: {
      VEXIL_CONTAINER_PROVIDER: 'Docker',
      VEXIL_CONTAINER_ENTRY: '127.0.0.1',
      VEXIL_DOCKER_HOST: `tcp://127.0.0.1:${line.port}`,
      VEXIL_DOCKER_SUBNETS: options.subnets,
      VEXIL_ISOLATION_PROBE: 'false',
    },
    open: (installation) => openDocker({ ...options, installation }),
    close() {
      void line.close()
      docker.stop()
    },
  }
}
