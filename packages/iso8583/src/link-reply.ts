import type { IsoMessage } from './codec.ts'
import type { Iso8583Error } from './iso8583-error.ts'

/**
 * The outcome of a message that was handed to the link. `not_sent`: none of it reached the peer.
 * `unknown`: it may have, so the sender has to find out or to reverse it.
 */
export type LinkReply =
  | { readonly kind: 'reply'; readonly message: IsoMessage }
  | {
      readonly kind: 'not_sent'
      readonly reason: 'link_down' | 'link_busy' | 'message_invalid'
      /** The reason why the message is invalid; its text holds no values. */
      readonly error?: Iso8583Error
    }
  | { readonly kind: 'unknown'; readonly reason: 'timeout' | 'link_lost' | 'reply_unreadable' }
