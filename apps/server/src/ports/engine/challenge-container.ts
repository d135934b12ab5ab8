/** What holds for the container of a challenge on every engine: its name, its labels, what it may, what is read of what it printed. */
import { randomInt } from 'node:crypto'
import type { ContainerSpec } from './engine.ts'

export const labels = {
  /** The installation's id. What carries another one, or none, is never touched. */
  installation: 'vexil.installation',
  /** The id of `ContainerSpec`. */
  container: 'vexil.container',
  /** The storage limit in MB, for engines that do not enforce it. */
  storage: 'vexil.storage',
}

export function labelsOf(spec: ContainerSpec, installation: string): Record<string, string> {
  return {
    ...spec.labels,
    [labels.installation]: installation,
    [labels.container]: spec.id,
    [labels.storage]: String(spec.storageLimit),
  }
}

/** What usual images need that start services under other users, in a chroot, or on a low port. */
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

/** Of what a container printed before it ended. */
export const lastLines = 20
export const logBytes = 16_384

/** `chal-7` becomes `chal-7-k3v9q0x2m1ab`. */
export function nameOf({ name }: Pick<ContainerSpec, 'name'>): string {
  const signs = 'abcdefghijklmnopqrstuvwxyz0123456789'
  return `${name}-${Array.from({ length: 12 }, () => signs[randomInt(signs.length)]).join('')}`
}

/** What a container printed may hold its flag. Short values are words and numbers, and no secrets. */
export function hideValues(text: string, environment: ContainerSpec['environment']): string {
  const values = Object.values(environment).filter((value) => value.length >= 8)
  return values.reduce((hidden, value) => hidden.replaceAll(value, '***'), text)
}
