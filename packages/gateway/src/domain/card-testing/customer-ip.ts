const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/**
 * The address of a customer, in the one form that equal addresses share. IPv4 stays as it is; IPv6
 * keeps its first 64 bits, because a household has all the rest. Null for an address that cannot be
 * a customer's: an invalid one, or one of a private or local network. A shop whose proxy hides its
 * customers sends its own, the same for all.
 */
export function customerIp(text: string): string | null {
  const trimmed = text.trim()
  if (IPV4.test(trimmed)) return isPrivateIpv4(trimmed) ? null : trimmed
  const groups = ipv6Groups(trimmed)
  if (groups === null) return null
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff])
    return customerIp(bytes.join('.'))
  }
  const [first = 0] = groups
  // Those given out to the public are 2000::/3; the others are local, or none's.
  if (first >> 13 !== 1) return null
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/**
 * RFC 1918, loopback, link-local, shared by carriers inside (RFC 6598), and what is no one host's.
 */
function isPrivateIpv4(text: string): boolean {
  const [a = 0, b = 0] = text.split('.').map(Number)
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true
  if (a === 100) return b >= 64 && b <= 127
  if (a === 169) return b === 254
  if (a === 172) return b >= 16 && b <= 31
  return a === 192 && b === 168
}

function ipv6Groups(text: string): number[] | null {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(':')) return null
  const address = `http://[${text}]/`
  if (!URL.canParse(address)) return null
  // The host comes back in hexadecimal, its longest run of zeros as two colons.
  const [head = '', tail] = new URL(address).hostname.slice(1, -1).split('::')
  const read = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  if (tail === undefined) return read(head)
  const [before, after] = [read(head), read(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return [...before, ...zeros, ...after]
}
