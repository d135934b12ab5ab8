/** Bucket, mail server, captcha provider and container engine that are unavailable, slow or send garbage. */
import type { Line, Manner } from '../line.ts'
import { instanceStarts, mailArrives } from '../probes.ts'
import type { Scene } from '../scene.ts'
import type { Fault } from './fault.ts'

const withoutEngine = ({ engine }: Scene) => (engine ? null : 'only root on Debian can start a Docker engine')

/** Each with the check for it. `sparesOthers`: other requests must not be slower during the fault. */
const services: Readonly<Record<string, { line(scene: Scene): Line } & Pick<Fault, 'missing' | 'works' | 'sparesOthers'>>> = {
  bucket: { line: ({ lines }) => lines.bucket },
  mail: { line: ({ lines }) => lines.mail, works: mailArrives, sparesOthers: true },
  captcha: { line: ({ lines }) => lines.captcha, sparesOthers: true },
  engine: { line: ({ engine }) => engine!.line, missing: withoutEngine, works: instanceStarts, sparesOthers: true },
}
const manners: readonly Manner[] = ['refused', 'slow', 'silent', 'garbage']

const disturbed = (service: string, manner: Manner): Fault => {
  const { line, ...rest } = services[service]!
  return {
    ...rest,
    name: `${service}-${manner}`,
    how: `the line to the ${service}: ${manner}, then open`,
    seconds: 4,
    async plant(scene) {
      await line(scene).set(manner)
      return () => line(scene).set('open')
    },
  }
}

const stoppedEngine: Fault = {
  name: 'stop-engine',
  how: 'SIGSTOP to the Docker engine, SIGCONT after 5 s',
  seconds: 5,
  missing: (scene) => withoutEngine(scene) ?? (scene.engine?.pid ? null : 'an engine that was not started here is not stopped'),
  works: instanceStarts,
  sparesOthers: true,
  async plant({ engine }) {
    process.kill(engine!.pid, 'SIGSTOP')
    return async () => process.kill(engine!.pid, 'SIGCONT')
  },
}

export const serviceFaults: readonly Fault[] = [
  ...Object.keys(services).flatMap((service) => manners.map((manner) => disturbed(service, manner))),
  stoppedEngine,
]
