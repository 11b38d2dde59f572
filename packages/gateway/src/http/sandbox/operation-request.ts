import { contradictionOf, encodeBankTest, readBankTest } from '@tollgate/iso8583'
import { holdsCardSecret } from '../../base/card-masking.ts'
import {
  DISPUTE_EVENTS,
  SANDBOX_OPERATIONS,
  type OperationDescription,
  type OperationMember,
  type OperationName,
  type SandboxOperation,
} from '../../domain/sandbox/sandbox-operation.ts'
import { assertMembers, SandboxRequestError, type Body } from './sandbox-request.ts'

const LONGEST_REASON = 64
/** The text of an answer fits into the body with all else. */
const LONGEST_TEXT = 2_000

/** The operation of a request body, read strictly. Throws SandboxRequestError. */
export function readOperation(name: OperationName, body: Body): SandboxOperation {
  const { needs, takes }: OperationDescription = SANDBOX_OPERATIONS[name]
  assertMembers(body, [...needs, ...takes])
  const id = (member: OperationMember): bigint => idIn(body, member)
  switch (name) {
    case 'close-batch':
    case 'settle':
      return { operation: name, accountId: body['account'] === undefined ? null : id('account') }
    case 'reject':
      return { operation: name, transactionId: id('transaction') }
    case 'dispute':
      return {
        operation: name,
        orderId: id('order'),
        event: wordIn(body, 'event', DISPUTE_EVENTS, 'chargeback'),
        amount: textIn(body, 'amount', 'an amount such as "12.50"', AMOUNT),
        reason: textIn(body, 'reason', 'a reason code such as "10.4"', REASON),
      }
    case 'report-fraud': {
      const amount = textIn(body, 'amount', 'an amount such as "12.50"', AMOUNT)
      return { operation: name, orderId: id('order'), amount }
    }
    case 'answer-dispute':
      return {
        operation: name,
        disputeId: id('dispute'),
        answer: wordIn(body, 'answer', ['accept', 'contest'], null),
        text: textIn(body, 'text', `a text of up to ${LONGEST_TEXT} characters`, TEXT) ?? '',
      }
    case 'decide-dispute':
      return {
        operation: name,
        disputeId: id('dispute'),
        issuer: wordIn(body, 'issuer', ['accepts', 'rejects'], null),
      }
    case 'win-dispute':
    case 'lose-dispute':
      return { operation: name, disputeId: id('dispute') }
    case 'expire-authorization':
      return { operation: name, orderId: id('order') }
    case 'charge-membership':
      return { operation: name, membershipId: id('membership'), bankTest: testIn(body) }
  }
}

const AMOUNT = /^[0-9]{1,12}(\.[0-9]{1,3})?$/
const REASON = new RegExp(`^[\\x21-\\x7e]{1,${LONGEST_REASON}}$`)
const TEXT = new RegExp(`^[^\\0]{0,${LONGEST_TEXT}}$`, 'su')

/** A number as answers of the payment interface have them, or the same digits as text. */
function idIn(body: Body, member: OperationMember): bigint {
  const found = body[member]
  if (typeof found === 'number' && Number.isSafeInteger(found) && found > 0) return BigInt(found)
  if (typeof found === 'string' && /^[1-9][0-9]{0,17}$/.test(found)) return BigInt(found)
  throw wrong(member, found, 'a whole number above zero, as answers have it')
}

function wordIn<Word extends string>(
  body: Body,
  member: OperationMember,
  words: readonly Word[],
  absent: Word | null,
): Word {
  const { [member]: found = absent } = body
  const word = words.find((one) => one === found)
  if (word !== undefined) return word
  throw wrong(member, found ?? undefined, `one of ${words.join(', ')}`)
}

/** Null without the member. */
function textIn(
  body: Body,
  member: OperationMember,
  expected: string,
  form: RegExp,
): string | null {
  const { [member]: found } = body
  if (found === undefined) return null
  if (typeof found === 'string' && form.test(found)) {
    if (!holdsCardSecret(found)) return found
    const fault = `${member} has what may be a card number or a security code. Leave it out.`
    throw new SandboxRequestError(member, fault)
  }
  throw wrong(member, found, expected)
}

/** The words of a test for the authorization that a charge sends; null without the member. */
function testIn(body: Body): string | null {
  const { test } = body
  if (test === undefined) return null
  if (typeof test !== 'string') throw wrong('test', test, 'words such as "de39=51; mac=03"')
  const reading = readBankTest(test)
  if (reading.kind === 'refused') throw new SandboxRequestError('test', reading.reason)
  const contradiction = contradictionOf(reading.words, 'authorization')
  if (contradiction !== null) throw new SandboxRequestError('test', contradiction)
  return encodeBankTest(reading.words)
}

/** The value itself is not repeated: it may be a card number in the wrong place. */
function wrong(member: OperationMember, found: unknown, expected: string): SandboxRequestError {
  const what = found === undefined ? 'missing' : `${kindOf(found)} of another form`
  return new SandboxRequestError(member, `${member} is ${what}. Expected ${expected}.`)
}

function kindOf(found: unknown): string {
  if (found === null) return 'null, or a value'
  if (Array.isArray(found)) return 'a list'
  return (
    { string: 'a text', number: 'a number', boolean: 'true or false' }[typeof found as 'string'] ??
    'an object'
  )
}
