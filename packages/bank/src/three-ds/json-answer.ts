import type { MessageType } from './answer-fields.ts'
import type { Leg, Version } from './field-rule.ts'
import type { HttpsReply } from './https-listener.ts'
import type { PostResult } from './post-json.ts'
import { ProtocolError } from './protocol-error.ts'
import type { Message } from './protocol-error.ts'
import { checkMessage, parseMessage } from './read-message.ts'

/** A message as an HTTP answer. */
export function asJson(message: Message): HttpsReply {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(message),
  }
}

/**
 * The message in an answer; an Erro passes as one. Throws ProtocolError 402 and 405 where there is
 * none, and the message's own error otherwise. A `version` of null checks only its JSON.
 */
export function readAnswer(
  result: PostResult,
  type: MessageType,
  leg: Leg,
  version: Version | null,
): Message {
  if (result.kind === 'timeout') throw new ProtocolError('402', 'No answer in time.')
  if (result.kind !== 'answer') throw new ProtocolError('405', 'No connection.')
  if (result.status !== 200) throw new ProtocolError('405', `HTTP ${result.status}.`)
  const message = parseMessage(result.text)
  if (message['messageType'] === 'Erro') return message
  if (version !== null) checkMessage(message, result.text, { type, leg, version })
  return message
}
