/** The network of one container: a separate bridge with eight addresses, selected by the subnetIndex. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isIPv4 } from 'node:net'

/** Prefix of all bridges of containers, used by the rules of firewall.ts. */
export const bridgePrefix = 'vx-'
/** Prefix for isolated containers. No other bridge matches, since `i` is not a hexadecimal digit. */
export const isolatedPrefix = `${bridgePrefix}i`

/** At most 15 characters, the limit of Linux. Does not contain the id: everyone who knows the id can reach the container. */
export function bridgeOf(id: string, isolated: boolean): string {
  return (isolated ? isolatedPrefix : bridgePrefix) + createHash('sha256').update(id).digest('hex').slice(0, 11)
}

/** The n-th network of eight addresses of the pool, such as `100.64.0.8/29`; null beyond its end. */
export function subnetOf(pool: string, subnetIndex: number): string | null {
  const [first] = rangeOf(pool)
  if (subnetIndex < 0 || subnetIndex >= subnetCountOf(pool)) return null
  return `${textOf(first + subnetIndex * 8)}/29`
}

/** The number of networks in the pool. */
export const subnetCountOf = (pool: string): number => 2 ** (29 - rangeOf(pool)[1])

/** A range of IPv4 addresses as the kernel writes it: 10.1.2.3/8 becomes 10.0.0.0/8. */
export function wellFormed(range: string): string {
  const [first, bits] = rangeOf(range)
  return `${textOf(first)}/${bits}`
}

export function isWithin(range: string, address: string): boolean {
  return isIPv4(address) && wellFormed(`${address}/${range.split('/')[1]}`) === wellFormed(range)
}

function rangeOf(text: string): [first: number, bits: number] {
  const [address = '', bits = '32'] = text.split('/')
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(bits))
  return [Math.floor(number / size) * size, Number(bits)]
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}

/** Returns whether this process runs in the network namespace of the engine's bridges. */
export function seesBridge(name: string): boolean {
  return existsSync(`/sys/class/net/${name}`)
}

export function networkBody(name: string, subnet: string, isolated: boolean, labels: Readonly<Record<string, string>>) {
  return {
    Name: name,
    Driver: 'bridge',
    CheckDuplicate: true,
    EnableIPv6: false,
    IPAM: { Config: [{ Subnet: subnet }] },
    Options: {
      'com.docker.network.bridge.name': name,
      // Other containers need masquerading for responses from outside. Isolated ones are confined by the firewall rules.
      'com.docker.network.bridge.enable_ip_masquerade': String(!isolated),
    },
    Labels: labels,
  }
}
