import type { FastifyInstance } from 'fastify'
import { BlockList, isIP } from 'node:net'

/**
 * Checks whether a connection comes from this machine or from one of the addresses or CIDR
 * ranges.
 */
export function trustedPeers(ranges: readonly string[]): (address: string) => boolean {
  return addressRanges(['127.0.0.0/8', '::1', ...ranges])
}

/** Answers plain HTTP to this machine and to trusted proxies only. */
export function refuseOtherPeers(app: FastifyInstance, ranges: readonly string[]): void {
  const isTrusted = trustedPeers(ranges)
  app.addHook('onRequest', (request, reply, done) => {
    if (isTrusted(request.socket.remoteAddress ?? '')) return done()
    void reply.code(403).type('text/plain; charset=utf-8')
    void reply.send('Plain HTTP is answered to the trusted proxy only. Use HTTPS.')
  })
}

/**
 * Makes a check whether an address is one of the addresses and CIDR ranges. Throws for an invalid
 * range, so that a typing error never admits a client.
 */
export function addressRanges(ranges: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList()
  for (const range of ranges) {
    const [network = '', bits, ...rest] = range.split('/')
    const version = isIP(network)
    const longest = version === 4 ? 32 : 128
    const prefix = bits === undefined ? longest : Number(bits)
    const isLength = bits === undefined || /^[0-9]{1,3}$/.test(bits)
    if (version === 0 || !isLength || prefix > longest || rest.length > 0) {
      throw new Error(
        `${range} is no address of a proxy. Expected an IP address or a range such as 10.0.0.0/8 in TRUST_PROXY.`,
      )
    }
    trusted.addSubnet(network, prefix, version === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    // A server on :: sees IPv4 peers in this form.
    const plain = address.replace(/^::ffff:/i, '')
    const version = isIP(plain)
    return version !== 0 && trusted.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }
}
