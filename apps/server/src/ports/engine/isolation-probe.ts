/** What the isolation probe tries, and what its output proves. Its program is deploy/probe/probe.c. */
import type { ContainerNetwork, IsolationResult, IsolationTarget } from '@vexil/core/vocabulary'

export interface Target {
  readonly name: IsolationTarget
  /** `tcp` connects, `dns` queries a name server, `link` connects to hosts on the link at their IPv6 link-local addresses. */
  readonly kind: 'tcp' | 'dns' | 'link'
  /** An IP address, `gateway` or `resolver`, which the program finds; empty for `link`. */
  readonly address: string
  readonly port: number
  /** The only network that must not reach it; absent: none may. */
  readonly network?: ContainerNetwork
}

export interface Outcome {
  readonly result: IsolationResult
  /** The address that was tried; `-` if there was none. */
  readonly address: string
}

export interface Attempt extends Outcome {
  readonly network: ContainerNetwork
  readonly target: IsolationTarget
  readonly port: number
}

/** The TCP port on which the program accepts connections. */
export const probePort = 7000

/** The environment that the program reads. `wait`: seconds before the first try. Without `port` it accepts no connections. */
export function probeEnvironment(targets: readonly Target[], { port = 0, wait = 0 } = {}): Record<string, string> {
  const words = targets.map(({ kind, address, port }) => (kind === 'link' ? `link,${port}` : `${kind},${address},${port}`))
  return { VEXIL_PROBE: words.join(' '), VEXIL_PROBE_PORT: String(port), VEXIL_PROBE_WAIT: String(wait) }
}

export const targetsOf = (targets: readonly Target[], network: ContainerNetwork): Target[] =>
  targets.filter((target) => (target.network ?? network) === network)

/** One outcome per target, in their order; a target without a line is untried. null while the program is at work. */
export function readOutcomes(output: string, targets: readonly Target[]): Outcome[] | null {
  const lines = output.split('\n')
  if (!lines.includes('done')) return null
  return targets.map((_, number) => {
    const line = lines.find((one) => one.startsWith(`${number} `)) ?? ''
    const [, result = 'untried', address = '-'] = line.split(' ')
    return { result: result as IsolationResult, address }
  })
}

/** A refusal counts only where the control reached the same target. What was reached is reached, whatever the control did. */
export function judge(
  network: ContainerNetwork,
  targets: readonly Target[],
  ours: readonly Outcome[],
  control: readonly Outcome[],
): Attempt[] {
  return targets.map(({ name, port }, at) => {
    const { result, address } = ours[at] as Outcome
    const counts = result === 'reached' || control[at]?.result === 'reached'
    return { network, target: name, address, port, result: counts ? result : 'untried' }
  })
}
