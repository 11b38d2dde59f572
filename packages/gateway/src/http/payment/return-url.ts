import type { Site } from '../../usecases/merchants/merchant-directory.ts'

const LONGEST = 2048
/**
 * Browsers forgive blanks, backslashes and letters of other scripts, and then go somewhere else.
 */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/
const AUTHORITY = /^(https?):\/\/([^/?#]+)/i
const DEFAULT_PORTS: Readonly<Record<string, string>> = { https: ':443', http: ':80' }

/**
 * Whether a text is an absolute address to which a browser can be sent. It must name its host as
 * the browser will read it: no user name, no host in disguise.
 */
export function isReturnUrl(text: string): boolean {
  return readReturnUrl(text) !== null
}

function readReturnUrl(text: string): URL | null {
  if (text.length > LONGEST || !PLAIN.test(text)) return null
  const [, scheme = '', authority = ''] = AUTHORITY.exec(text) ?? []
  const url = URL.parse(text)
  if (url === null || authority === '') return null
  const port = DEFAULT_PORTS[scheme.toLowerCase()] ?? ''
  // A user name is part of the one and not of the other.
  const named = authority.toLowerCase()
  return named === url.host || named === url.host + port ? url : null
}

/** Whether a site may have browsers sent there: plain HTTP in test mode only, listed hosts only. */
export function mayReturnTo(site: Site, text: string): boolean {
  const url = readReturnUrl(text)
  if (url === null) return false
  if (url.protocol !== 'https:' && site.mode !== 'test') return false
  const hosts = site.threeDs.returnHosts
  return hosts.length === 0 || hosts.includes(url.hostname)
}

/** Whether a text is a host as an address names it: in lower case, without a port. */
export function isReturnHost(text: string): boolean {
  return URL.parse(`https://${text}/`)?.hostname === text
}
