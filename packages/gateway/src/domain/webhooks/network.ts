/** A numeric address: IPv4 with 32 bits, IPv6 with 128. */
export interface NumericAddress {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** All addresses that begin with the same bits. */
export interface Network extends NumericAddress {
  readonly prefix: number
}

const DECIMAL = /^(?:0|[1-9]\d{0,2})$/
const HEXADECIMAL = /^[\da-f]{1,4}$/i

/**
 * Reads an address in its usual form: `192.0.2.1` or `2001:db8::1`. Null for everything else, also
 * for octal, hexadecimal and shortened IPv4.
 */
export function readAddress(text: string): NumericAddress | null {
  return text.includes(':') ? readIpv6(text) : readIpv4(text)
}

function readIpv4(text: string): NumericAddress | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => DECIMAL.test(part) && Number(part) < 256))
    return null
  return { bits: 32, value: parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n) }
}

function readIpv6(text: string): NumericAddress | null {
  const halves = text.split('::')
  if (halves.length > 2) return null
  const [head, tail] = [readGroups(halves[0] ?? ''), readGroups(halves[1] ?? '')]
  if (head === null || tail === null) return null
  const missing = 8 - head.length - tail.length
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail]
  return { bits: 128, value: groups.reduce((value, group) => (value << 16n) | group, 0n) }
}

/** The 16-bit groups on one side of `::`; the last 32 bits may be an IPv4 address. */
function readGroups(text: string): bigint[] | null {
  if (text === '') return []
  const groups: bigint[] = []
  const parts = text.split(':')
  for (const [at, part] of parts.entries()) {
    if (HEXADECIMAL.test(part)) groups.push(BigInt(`0x${part}`))
    else {
      const inner = at === parts.length - 1 ? readIpv4(part) : null
      if (inner === null) return null
      groups.push(inner.value >> 16n, inner.value & 0xffffn)
    }
  }
  return groups
}

/** Reads `10.0.0.0/8`, `fd00::/8`, or one address; null for an invalid text. */
export function readNetwork(text: string): Network | null {
  const [addressText = '', prefixText, ...rest] = text.split('/')
  const address = readAddress(addressText)
  if (address === null || rest.length > 0) return null
  if (prefixText === undefined) return { ...address, prefix: address.bits }
  if (!DECIMAL.test(prefixText) || Number(prefixText) > address.bits) return null
  return { ...address, prefix: Number(prefixText) }
}

export function contains({ bits, prefix, value }: Network, address: NumericAddress): boolean {
  if (bits !== address.bits) return false
  const rest = BigInt(bits - prefix)
  return value >> rest === address.value >> rest
}
