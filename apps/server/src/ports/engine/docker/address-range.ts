/** Ranges of addresses as `10.0.0.0/8` or `fd00::/8`, and which of them contain which. */
import { BlockList, isIPv4 } from 'node:net'

export interface Range {
  readonly text: string
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

/** Of a range that was checked before. */
export function rangeOf(text: string): Range {
  const [address = '', bits] = text.split('/')
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  return { text, address, bits: Number(bits ?? (family === 'ipv4' ? 32 : 128)), family }
}

/** Is every address of the inner one in the outer one? The same range is. */
export function within(inner: Range, outer: Range): boolean {
  if (inner.family !== outer.family || inner.bits < outer.bits) return false
  const list = new BlockList()
  list.addSubnet(outer.address, outer.bits, outer.family)
  return list.check(inner.address, inner.family)
}
