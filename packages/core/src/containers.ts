/** Rules of the containers of a challenge. */
import { ChallengeNameRepeated, ChallengePortRepeated } from './rules.ts'

interface Containers {
  readonly port: number
  readonly namedPorts: readonly { readonly name: string; readonly port: number }[]
  readonly additional: readonly { readonly name: string; readonly environment: readonly { readonly name: string }[] }[]
}

/** Ports are unique over all containers, which share a network. @throws ChallengeNameRepeated, ChallengePortRepeated */
export function mustBeGoodContainers({ port, namedPorts, additional }: Containers): void {
  for (const named of [namedPorts, additional, ...additional.map(({ environment }) => environment)]) {
    const name = repeated(named.map((one) => one.name))
    if (name !== undefined) throw new ChallengeNameRepeated({ name })
  }
  const taken = repeated([port, ...namedPorts.map((one) => one.port)])
  if (taken !== undefined) throw new ChallengePortRepeated({ port: taken })
}

const repeated = <T>(values: readonly T[]): T | undefined => values.find((value, at) => values.indexOf(value) < at)
