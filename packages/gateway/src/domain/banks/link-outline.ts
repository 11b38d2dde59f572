/** A processor link without the key of its client certificate. */
export interface LinkOutline {
  readonly name: string
  readonly mode: 'test' | 'live'
  /** One or two, as host:port. */
  readonly addresses: readonly string[]
  readonly profile: 'house' | 'house-bcd'
  readonly institutionId: string
  readonly echoIdleSeconds: number
  readonly window: number
  readonly messageTimeoutMs: number
  readonly batchAgreement: boolean
  /** Certificates as PEM. Null for plain text; `cert` is null without a client certificate. */
  readonly tls: { readonly ca: string; readonly cert: string | null } | null
}

/** The key of a client certificate, sealed for the link. */
export interface SealedLinkKey {
  readonly ciphertext: Uint8Array
  readonly dataKeyId: number
}

/** A link, and its key apart from it; null without a client certificate. */
export interface SealedLink {
  readonly link: LinkOutline
  readonly key: SealedLinkKey | null
}
