import type { Secret } from '../../base/secret.ts'

/** The operator's receiver of the audit log. */
export interface Receiver {
  /** `syslog+tls:`, `syslog+tcp:`, `https:` or `http:`. */
  readonly url: URL
  /** PEM of the authorities that sign for the receiver; null for the public ones. */
  readonly ca: string | null
  /** Sent as bearer over HTTP; null for none. */
  readonly secret: Secret | null
  /** For one batch, with the connection, in milliseconds. */
  readonly exchangeMs: number
  /** Over syslog, between the last byte of a batch and the end, in milliseconds. */
  readonly settleMs: number
}
