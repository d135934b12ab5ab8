/** The additional containers and named ports of a challenge while they are edited. */
import type { AdditionalContainer, NamedPort } from '@vexil/contract/challenges'
import { challengeDefaults, challengeLimits } from '@vexil/core/limits'

/** The key stays while a row is edited, so that its fields keep the focus. Numbers are strings while they are invalid. */
export interface ContainerDraft {
  readonly key: number
  readonly name: string
  readonly image: string
  readonly cpuCount: number | string
  readonly memoryLimit: number | string
  readonly storageLimit: number | string
  /** A variable in each line: `NAME=value`. */
  readonly environment: string
  readonly getsFlag: boolean
}

export interface PortDraft {
  readonly key: number
  readonly name: string
  readonly port: number | string
}

export const containerDrafts = (containers: readonly AdditionalContainer[]): ContainerDraft[] =>
  containers.map(({ name, image, cpuCount, memoryLimit, storageLimit, environment, getsFlag }, key) => ({
    ...{ key, name, image, cpuCount, memoryLimit, storageLimit, getsFlag },
    environment: environment.map((variable) => `${variable.name}=${variable.value}`).join('\n'),
  }))

export const portDrafts = (ports: readonly NamedPort[]): PortDraft[] => ports.map(({ name, port }, key) => ({ key, name, port }))

const nextKey = (rows: readonly { readonly key: number }[]) => Math.max(-1, ...rows.map(({ key }) => key)) + 1

export const newContainer = (rows: readonly ContainerDraft[]): ContainerDraft => ({
  ...{ key: nextKey(rows), name: '', image: '', environment: '', getsFlag: false },
  cpuCount: challengeDefaults.cpuCount,
  memoryLimit: challengeDefaults.memoryLimit,
  storageLimit: challengeDefaults.storageLimit,
})

export const newPort = (rows: readonly PortDraft[]): PortDraft => ({ key: nextKey(rows), name: '', port: '' })

/** Lines without a variable name are undefined. Blank lines are left out. */
const variablesOf = (text: string): ({ name: string; value: string } | undefined)[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*?)\r?$/.exec(line) ?? []
      const isGood = name !== '' && name.length <= challengeLimits.variableNameMax && value.length <= challengeLimits.variableMax
      return isGood ? { name, value } : undefined
    })

export const sentContainers = (drafts: readonly ContainerDraft[]): AdditionalContainer[] =>
  drafts.map(({ key: _key, environment, name, image, cpuCount, memoryLimit, storageLimit, ...rest }) => ({
    ...rest,
    name: name.trim(),
    image: image.trim(),
    cpuCount: Number(cpuCount),
    memoryLimit: Number(memoryLimit),
    storageLimit: Number(storageLimit),
    environment: variablesOf(environment).filter((variable) => variable !== undefined),
  }))

export const sentPorts = (drafts: readonly PortDraft[]): NamedPort[] =>
  drafts.map(({ name, port }) => ({ name: name.trim(), port: Number(port) }))

const isName = (name: string) => /^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) && name.length <= challengeLimits.partNameMax
const isUnique = <T>(value: T, all: readonly T[]) => all.filter((one) => one === value).length === 1
const isWhole = (value: number | string, min: number, max: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max

export type ContainerProblem = Exclude<keyof ContainerDraft, 'key' | 'getsFlag'>

/** Invalid fields of one of the containers. */
export function containerProblems(draft: ContainerDraft, all: readonly ContainerDraft[]): ReadonlySet<ContainerProblem> {
  const { cpuMin, cpuMax, memoryMin, memoryMax, storageMin, storageMax, variablesMax } = challengeLimits
  const name = draft.name.trim()
  const variables = variablesOf(draft.environment)
  const names = variables.map((variable) => variable?.name)
  const isGood: Readonly<Record<ContainerProblem, boolean>> = {
    name:
      isName(name) &&
      isUnique(
        name,
        all.map((one) => one.name.trim()),
      ),
    image: draft.image.trim() !== '',
    cpuCount: isWhole(draft.cpuCount, cpuMin, cpuMax),
    memoryLimit: isWhole(draft.memoryLimit, memoryMin, memoryMax),
    storageLimit: isWhole(draft.storageLimit, storageMin, storageMax),
    environment: names.length <= variablesMax && !names.includes(undefined) && new Set(names).size === names.length,
  }
  return new Set((Object.keys(isGood) as ContainerProblem[]).filter((field) => !isGood[field]))
}

/** Invalid fields of one of the ports. `first`: the port of the challenge. */
export function portProblems(draft: PortDraft, all: readonly PortDraft[], first: number | string): ReadonlySet<'name' | 'port'> {
  const name = draft.name.trim()
  const { portMin, portMax } = challengeLimits
  const goodName =
    isName(name) &&
    isUnique(
      name,
      all.map((one) => one.name.trim()),
    )
  const goodPort = isWhole(draft.port, portMin, portMax) && isUnique(draft.port, [first, ...all.map(({ port }) => port)])
  return new Set([...(goodName ? [] : ['name' as const]), ...(goodPort ? [] : ['port' as const])])
}
