/**
 * The reach of a page: the frames it opens, and the addresses its forms are sent to. A path is an
 * address of the gateway itself.
 */
export interface PageReach {
  readonly frames?: readonly string[]
  readonly forms?: readonly string[]
  /** The addresses whose servers its script looks for. */
  readonly looksFor?: readonly string[]
  /** Real issuers lead browsers on to others; the simulated one does not. */
  readonly anyHttps?: boolean
}

/** An origin that a policy may name: nothing in it ends a directive. IPv6 is not accepted. */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::[0-9]{1,5})?$/

/**
 * Headers of the pages that stand in frames of shops. Any page may hold them: a policy would have
 * to name all the pages around, and of those the gateway knows none. So nothing in them changes
 * anything. No Referrer-Policy of `no-referrer`: the Origin of their forms would be `null`.
 */
export function pageHeaders(nonce: string, reach: PageReach): Readonly<Record<string, string>> {
  const beyond = reach.anyHttps === true ? ['https:'] : []
  return {
    'cache-control': 'no-store',
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      `connect-src ${sources(['/', ...(reach.looksFor ?? [])], [], [])}`,
      // They lead back to the gateway's own pages.
      `frame-src ${sources(reach.frames, beyond, ["'self'"])}`,
      `form-action ${sources(reach.forms, beyond, [])}`,
      "base-uri 'none'",
      'frame-ancestors *',
    ].join('; '),
    'referrer-policy': 'strict-origin',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  }
}

function sources(
  urls: readonly string[] = [],
  beyond: readonly string[],
  own: readonly string[],
): string {
  const origins = urls.map(originOf).filter((origin) => origin !== null)
  if (origins.length === 0) return "'none'"
  return [...new Set([...own, ...origins, ...beyond])].join(' ')
}

/** The origin, or its scheme alone where a policy cannot name the host; null for no page. */
function originOf(url: string): string | null {
  if (/^\/(?!\/)/.test(url)) return "'self'"
  if (!URL.canParse(url)) return null
  const { origin, protocol } = new URL(url)
  if (ORIGIN.test(origin)) return origin
  return protocol === 'https:' || protocol === 'http:' ? protocol : null
}
