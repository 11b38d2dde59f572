import { BlockList, isIP } from 'node:net'

/**
 * Whether an address is in one of the networks (`10.0.0.0/8`, `2001:db8::/32`); an empty list holds
 * every address. An IPv4 address may come in the form that a server on :: sees.
 */
export function allowedAddresses(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true
  const allowed = new BlockList()
  for (const text of networks) {
    const [network = '', bits = ''] = text.split('/')
    allowed.addSubnet(network, Number(bits), isIP(network) === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    const plain = plainAddress(address)
    const version = isIP(plain)
    return version !== 0 && allowed.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** An IPv4 address without the prefix under which IPv6 sockets show it. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[0-9.]+$)/i, '')
}

/**
 * The unit that failed logins are counted for: an IPv4 address, or the /64 network of an IPv6 one.
 * A single machine has every address of such a network.
 */
export function addressToCount(address: string): string {
  const plain = plainAddress(address)
  if (isIP(plain) !== 6) return plain
  const [head = '', tail] = (plain.split('%')[0] ?? '').toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back]
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
