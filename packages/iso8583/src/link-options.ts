import type { Codec, IsoMessage } from './codec.ts'
import type { BusyReason } from './fair-window.ts'
import type { LinkDownReason } from './link-connection.ts'
import type { MessageNumber } from './link-management.ts'
import type { LinkTls } from './link-tls.ts'
import type { WindowUse } from './link-window.ts'

export type LinkState = 'down' | 'signing_on' | 'up'

/** All in milliseconds. */
export interface LinkTiming {
  readonly connectTimeoutMs: number
  readonly signOnTimeoutMs: number
  /** After so long without a byte from the peer an echo is sent. */
  readonly echoIdleMs: number
  readonly echoTimeoutMs: number
  /** The wait before connecting again doubles from the first to the second of these. */
  readonly reconnectMinMs: number
  readonly reconnectMaxMs: number
  /** How long a message may wait for a place in the window. */
  readonly placeTimeoutMs: number
  /** How long stopping waits for open requests. */
  readonly stopTimeoutMs: number
}

export interface LinkAddress {
  readonly host: string
  readonly port: number
}

/** The state of a link, for operators. */
export interface LinkStatus extends WindowUse {
  readonly state: LinkState
  /** The one in use, or the one tried last. */
  readonly address: LinkAddress
  /** Null while the link is not up. */
  readonly signedOnSince: Date | null
  /** Why it was down last, as a sentence; kept when it is up again. */
  readonly lastError: string | null
}

export interface LinkClientOptions extends LinkAddress {
  /** Tried whenever the other address fails or is lost; the link stays where it came up. */
  readonly standby?: LinkAddress
  /** Plain text unless given. */
  readonly tls?: LinkTls
  readonly codec: Codec
  /** DE 32 of the management messages. */
  readonly acquirerId: string
  /** The secret that a sign-on proves, read for each one; null or none for a host without one. */
  readonly signOnSecret?: () => string | null
  /** Answers without a waiting request: late, repeated, or of another type. It must not throw. */
  readonly onUnmatched: (message: IsoMessage) => void
  /** `reason` says why the link went down, and is null on its way up. It must not throw. */
  readonly onStateChange?: (state: LinkState, reason: LinkDownReason | null) => void
  /** How many messages may wait for their answers at once; 512 by default. */
  readonly window?: number
  /** A sender's message got no place in the window. It must not throw. */
  readonly onRefused?: (sender: string, reason: BusyReason) => void
  /** DE 11 and DE 41 of the management messages; by default, numbers of its own. */
  readonly nextStan?: () => MessageNumber
  readonly timing?: Partial<LinkTiming>
  readonly now?: () => Date
  /** 0 to 1, 1 excluded. */
  readonly random?: () => number
}
