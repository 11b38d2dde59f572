import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IsoMessage } from './codec.ts'
import { Iso8583Error } from './iso8583-error.ts'
import { NETWORK_CODES } from './link-management.ts'
import { messageKey } from './message-key.ts'
import { decodePrivateData, encodePrivateData } from './private-data.ts'

/** The tag of DE 48 that carries the proof of a sign-on. */
const TAG = 'SP'

/**
 * The proof that the sender of a sign-on knows the secret: an HMAC of the message's key. The secret
 * itself never travels. The value is right for this one message, and for a copy of it.
 */
function proofOf(message: IsoMessage, secret: string): string {
  return createHmac('sha256', secret)
    .update(`sign-on ${messageKey(message)}`)
    .digest('hex')
}

/** Adds the proof to a sign-on; other messages, and all without a secret, stay as they are. */
export function withSignOnProof(message: IsoMessage, secret: string | null): IsoMessage {
  if (secret === null || message.fields[70] !== NETWORK_CODES.signOn) return message
  const tags = encodePrivateData({ [TAG]: proofOf(message, secret) })
  return { mti: message.mti, fields: { ...message.fields, 48: tags } }
}

/** Whether a sign-on carries the proof. */
export function hasSignOnProof(message: IsoMessage, secret: string): boolean {
  const sent = Buffer.from(sentProof(message))
  const right = Buffer.from(proofOf(message, secret))
  return sent.length === right.length && timingSafeEqual(sent, right)
}

function sentProof({ fields }: IsoMessage): string {
  try {
    return decodePrivateData(fields[48] ?? '')[TAG] ?? ''
  } catch (error) {
    if (error instanceof Iso8583Error) return ''
    throw error
  }
}
