/** Address ranges such as `10.0.0.0/8` or `fd00::/8`, and which contain which. */
import { BlockList, isIPv4 } from 'node:net'

export interface Range {
  readonly text: string
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

export function rangeOf(text: string): Range {
  const [address = '', bits] = text.split('/')
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  return { text, address, bits: Number(bits ?? (family === 'ipv4' ? 32 : 128)), family }
}

/** Returns whether `outer` contains all addresses of `inner`. True for equal ranges. */
export function within(inner: Range, outer: Range): boolean {
  if (inner.family !== outer.family || inner.bits < outer.bits) return false
  const list = new BlockList()
  list.addSubnet(outer.address, outer.bits, outer.family)
  return list.check(inner.address, inner.family)
}
