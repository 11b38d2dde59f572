import { invariant } from '../../base/invariant.ts'
import { contains, readAddress, readNetwork, type Network, type NumericAddress } from './network.ts'

/** The addresses that requests of the gateway may go to. */
export interface OutwardRules {
  /** Whether HTTP and HTTPS to this machine are allowed, at any port. */
  readonly allowsLoopback: boolean
  /** Networks of the operator that are reached although they are not public. */
  readonly allowed: readonly Network[]
  /** Networks of the operator that are never reached. */
  readonly refused: readonly Network[]
  /** The ports that are allowed beside those of this machine. */
  readonly ports: readonly number[]
}

const LONGEST_URL = 2_000

const networks = (texts: readonly string[]): readonly Network[] =>
  texts.map((text) => {
    const network = readNetwork(text)
    invariant(network !== null, `${text} is no network`)
    return network
  })

/** The registries of IANA for special purposes, and what never is a public server. */
const NOT_PUBLIC = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
])
/** Everything outside of it is no public address of IPv6. */
const GLOBAL_IPV6 = networks(['2000::/3'])
/** Services of clouds that give secrets to the machine: no setting allows them. */
const METADATA = networks(['100.100.100.200', '168.63.129.16', '169.254.169.254', 'fd00:ec2::254'])
const LOOPBACK = networks(['127.0.0.0/8', '::1'])
/** IPv4 within IPv6: mapped, and translated by NAT64. */
const CARRIES_IPV4 = networks(['::ffff:0:0/96', '64:ff9b::/96'])

const isIn = (list: readonly Network[], address: NumericAddress): boolean =>
  list.some((network) => contains(network, address))

/** Why no connection to an address is made, as the end of a sentence; null if one may be made. */
export function addressFault(text: string, rules: OutwardRules): string | null {
  const read = readAddress(text)
  if (read === null) return 'is no numeric address'
  const address = isIn(CARRIES_IPV4, read)
    ? { bits: 32 as const, value: read.value & 0xffffffffn }
    : read
  if (isIn(METADATA, address)) return 'is the address of a metadata service'
  if (isIn(rules.refused, address)) return 'is refused by the operator'
  if (isIn(rules.allowed, address)) return null
  if (isIn(LOOPBACK, address)) {
    return rules.allowsLoopback ? null : 'is an address of the machine itself'
  }
  const isPublic = !isIn(NOT_PUBLIC, address) && (address.bits === 32 || isIn(GLOBAL_IPV6, address))
  return isPublic ? null : 'is no public address'
}

/** The host of a URL as a resolver takes it: without the brackets of IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

const isNumeric = (host: string): boolean => readAddress(host) !== null
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|svc|home\.arpa)\.?$/i

/**
 * Why nothing is sent to a URL, as a sentence; null if it may be used. A name is judged again by
 * the addresses that it resolves to.
 */
export function urlFault(text: string, rules: OutwardRules): string | null {
  if (text.length > LONGEST_URL) return `The URL has more than ${LONGEST_URL} characters.`
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'The URL must be complete, such as https://shop.example/webhooks.'
  if (url.username !== '' || url.password !== '') return 'The URL must have no user and password.'
  if (text.includes('#')) return 'The URL must have no fragment.'
  const host = hostOf(url)
  const isNamedLoopback = /^localhost\.?$/i.test(host)
  const isOwn =
    isNamedLoopback || (isNumeric(host) && isIn(LOOPBACK, readAddress(host) as NumericAddress))
  if (isNumeric(host)) {
    const fault = addressFault(host, rules)
    if (fault !== null) return `The host ${host} ${fault}.`
  }
  if (isOwn && rules.allowsLoopback) return null
  if (url.protocol !== 'https:') return 'The URL must begin with https://.'
  const port = url.port === '' ? 443 : Number(url.port)
  if (!rules.ports.includes(port)) return `The port ${port} is not allowed.`
  if (isNumeric(host)) return null
  if (isNamedLoopback) return 'The host localhost is the machine itself.'
  const isLocal = !host.replace(/\.$/, '').includes('.') || LOCAL_NAME.test(host)
  if (isLocal && rules.allowed.length === 0) return `The host ${host} is no public name.`
  return null
}
