/** The list of instances: whose and of what they are, and which of them are shown. */
import type { ContainerInstance } from '@vexil/contract/instances'

/** Numbers as texts; null shows all. */
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

/** What a filter offers, by name, each once. What was chosen stays on offer when its last instance is gone; `names` remembers how it is called. */
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
