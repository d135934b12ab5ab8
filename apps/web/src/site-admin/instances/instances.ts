import type { ContainerInstance } from '@vexil/contract/instances'

/** Ids as strings; null shows all. */
export interface InstanceFilter {
  readonly team: string | null
  readonly challenge: string | null
}

export const instancePage = 50

export const filterInstances = (instances: readonly ContainerInstance[], { team, challenge }: InstanceFilter) =>
  instances.filter(
    (one) => (team === null || String(one.team?.id) === team) && (challenge === null || String(one.challenge?.id) === challenge),
  )

export interface Choice {
  readonly value: string
  readonly label: string
}

/** Options of a filter, by name, each once. A selected option stays when its last instance no longer exists; `names` keeps its name. */
export function choicesOf(
  named: readonly ({ readonly id: number; readonly name: string } | null)[],
  chosen: string | null,
  names: Map<string, string>,
): Choice[] {
  const values = new Set(chosen === null ? [] : [chosen])
  for (const one of named) {
    if (!one) continue
    values.add(String(one.id))
    names.set(String(one.id), one.name)
  }
  return [...values]
    .map((value) => ({ value, label: names.get(value) ?? `#${value}` }))
    .sort((a, b) => a.label.localeCompare(b.label))
}
