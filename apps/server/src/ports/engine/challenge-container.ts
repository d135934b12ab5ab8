import { randomInt } from 'node:crypto'
import type { AdditionalContainer, ContainerSpec } from './engine.ts'

export const labels = {
  /** The installation's id. Objects with another id, or none, are never touched. */
  installation: 'vexil.installation',
  container: 'vexil.container',
  /** The storage limit in MB, for engines that do not enforce it. */
  storage: 'vexil.storage',
  /** Label of an additional container: `partOf` it. */
  part: 'vexil.part',
  /** Label of an additional container: the engine's name of the first one. */
  beside: 'vexil.beside',
}

export function labelsOf(spec: ContainerSpec, installation: string): Record<string, string> {
  return {
    ...spec.labels,
    [labels.installation]: installation,
    [labels.container]: spec.id,
    [labels.storage]: String(spec.storageLimit),
  }
}

/** The name of an additional container on the engine; the first one is `challenge`. */
export const partOf = ({ name, runsOnce }: Pick<AdditionalContainer, 'name' | 'runsOnce'>): string =>
  `${runsOnce ? oncePrefix : 'additional-'}${name}`

const oncePrefix = 'once-'

/** Whether the end of this container ends the instance. */
export const mustLast = (part: string): boolean => !part.startsWith(oncePrefix)

/** The name of an additional container; null for the first. */
export const nameOfPart = (part: string): string | null => /^(?:additional|once)-(.+)$/.exec(part)?.[1] ?? null

/** The images of the first container and the additional ones, each once. */
export const everyImage = ({ image, additional }: ContainerSpec): string[] => [
  ...new Set([image, ...additional.map((one) => one.image)]),
]

/** Capabilities that common images need to start services as other users, in a chroot, or on a low port. */
export const capabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'SETGID',
  'SETUID',
  'SETPCAP',
  'NET_BIND_SERVICE',
  'SYS_CHROOT',
]

/** User and group of a container with the profile `strict`, which own no file, and MB of its `/tmp`, which count as memory. */
export const strictUser = 65_534
export const strictTmp = 16

/** Number of lines in the message of a container that failed to start. */
export const lastLines = 20
export const logBytes = 16_384

export function nameOf({ name }: Pick<ContainerSpec, 'name'>): string {
  const signs = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return `${name}-${Array.from({ length: 12 }, () => signs[randomInt(signs.length)]).join('')}`
}

/** Hides values of the environments, such as the flag, in the output of a container. Short values are not secrets. */
export function hideValues(text: string, { environment, additional }: ContainerSpec): string {
  const all = [environment, ...additional.map((one) => one.environment)]
  const values = all.flatMap((one) => Object.values(one)).filter((value) => value.length >= 8)
  return values.reduce((hidden, value) => hidden.replaceAll(value, '***'), text)
}
