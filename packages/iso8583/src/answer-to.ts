import type { IsoMessage } from './codec.ts'
import { answerMti } from './mti.ts'

/** Fields that every answer repeats from its request if present: its identity and its subject. */
const ECHOED = [3, 7, 11, 32, 37, 41, 70] as const

/**
 * The answer to a request or an advice: its MTI, the echoed fields, and `fields` on top. Throws
 * Iso8583Error (`mti_has_no_answer`) for a message that is an answer itself.
 */
export function answerTo(
  request: IsoMessage,
  fields: Readonly<Record<number, string>>,
): IsoMessage {
  const answer: IsoMessage = { mti: answerMti(request.mti), fields: {} }
  for (const field of ECHOED) {
    const value = request.fields[field]
    if (value !== undefined) answer.fields[field] = value
  }
  Object.assign(answer.fields, fields)
  return answer
}
