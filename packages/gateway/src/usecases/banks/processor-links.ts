import type { Mode } from '../merchants/merchant-directory.ts'

export interface LinkEndpoint {
  /** A name, or an IP address without brackets. */
  readonly host: string
  readonly port: number
}

/** How messages are written on a link; docs/internals/bank-link.md. */
export type LinkProfile = 'house' | 'house-bcd'

/** A configured link to an acquirer, as it is stored. */
export interface ProcessorLink {
  readonly id: bigint
  readonly name: string
  readonly mode: Mode
  readonly address: LinkEndpoint
  /** Taken when the other one fails. */
  readonly standby: LinkEndpoint | null
  readonly profile: LinkProfile
  /** DE 32 of the link's own messages. */
  readonly institutionId: string
  readonly echoIdleMs: number
  /** How many requests may wait for their answers at once. */
  readonly window: number
  readonly messageTimeoutMs: number
  /** Null for plain text. Certificates are PEM; the key is sealed, bound to the link's name. */
  readonly tls: {
    readonly ca: string
    readonly client: { readonly cert: string; readonly sealedKey: Uint8Array } | null
  } | null
  /** Grows with each change. */
  readonly revision: number
}

/** How one gateway process sees a link now. */
export interface LinkStateView {
  /** Null for the bundled bank. */
  readonly linkId: bigint | null
  readonly name: string
  readonly mode: Mode
  readonly state: 'down' | 'signing_on' | 'up'
  /** host:port in use, or tried last. */
  readonly address: string
  /** Null while it is not up. */
  readonly signedOnSince: Date | null
  /** Why it was down last, for an operator; kept when it is up again. */
  readonly lastError: string | null
  /** Messages that wait for their answers. */
  readonly inFlight: number
  /** Messages that wait for a place in the window. */
  readonly waiting: number
  /**
   * Messages that got no place since the link was opened: their merchant held its share, or no
   * place was free.
   */
  readonly refused: { readonly share: number; readonly window: number }
}

export interface ProcessorLinkStore {
  /** The links that any merchant account uses. */
  findLinksInUse(): Promise<readonly ProcessorLink[]>
  /** Leaves for the command line how this process sees its links; replaces what it left before. */
  reportStates(states: readonly LinkStateView[]): Promise<void>
}

/** As it stands in configuration: an IPv6 address in brackets. */
export function endpointText({ host, port }: LinkEndpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Null for a text that is no host:port. */
export function parseEndpoint(text: string): LinkEndpoint | null {
  const match =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9]|[a-z0-9][a-z0-9.-]{0,251}[a-z0-9])):(\d{1,5})$/i.exec(text)
  if (match === null) return null
  const host = match[1] ?? match[2] ?? ''
  const port = Number(match[3])
  return port >= 1 && port <= 65_535 ? { host, port } : null
}
