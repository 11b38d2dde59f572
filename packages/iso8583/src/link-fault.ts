import type { LinkDownReason } from './link-connection.ts'
import type { LinkReply } from './link-reply.ts'

/**
 * Why a link is down, as a sentence for operators. `detail` is the text of the system, of TLS or of
 * the host's answer; nothing of a message is in it.
 */
export function describeLinkFault(
  reason: LinkDownReason,
  detail: string | null,
  duringSignOn: boolean,
): string {
  const said = detail === null ? '' : ` (${detail})`
  switch (reason) {
    case 'connect_failed':
      return `The connection could not be made${said || ' in time'}.`
    case 'tls_failed':
      return `TLS could not be agreed on${said || ': the host sent no handshake in time'}.`
    case 'sign_on_failed':
      return `The host did not take the sign-on${said}.`
    case 'peer_closed':
      return duringSignOn
        ? `The host closed the connection during the sign-on${said}: its profile may be another, ` +
            'or it wants TLS or another certificate.'
        : `The host closed the connection${said}.`
    case 'reply_unreadable':
      return 'The host sent what this profile cannot read.'
    case 'echo_missed':
      return 'The host left three echoes without an answer.'
    case 'stopped':
      return 'The link was stopped.'
  }
}

/** Why a sign-on failed: what was answered, if anything was. */
export function describeRefusal(reply: LinkReply): string {
  return reply.kind === 'reply'
    ? `it answered ${reply.message.fields[39] ?? 'without a code'}`
    : 'no answer'
}
