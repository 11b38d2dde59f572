import { decodeAdditionalAmounts, decodePrivateData, type IsoMessage } from '@tollgate/iso8583'
import { currencyByNumeric } from '../../domain/currency.ts'
import { endingAnswer } from '../../domain/payments/advice-answers.ts'
import { parseCardProduct } from '../../domain/payments/card-product.ts'
import type {
  AdviceOutcome,
  AuthorizationOutcome,
  ProcessorAnswer,
} from '../../domain/payments/processor-outcome.ts'
import type { LateAnswer } from '../../usecases/banks/late-answer.ts'
import type { AdviceRequest, AuthorizationRequest } from '../../usecases/banks/processor.ts'
import { readCardUpdate } from './card-update.ts'
import { messageNumber } from './message-identity.ts'
import { declineCodeOf, processorCodeOf } from './response-codes.ts'

const APPROVED = new Set(['00', '08', '11', '85'])
const PARTIALLY_APPROVED = '10'
/** The bank itself says that it does not know what became of the message. */
const OUTCOME_UNKNOWN = new Set(['68'])
/** DE 54 amount type: what is left on the account. */
const BALANCE_LEFT = '02'

type SentRequest = Pick<AuthorizationRequest, 'amountMinor' | 'authentication' | 'pan'>

/** Reads a 0110 or 0210. An answer that contradicts itself is `unknown`: it gets reversed. */
export function readAuthorizationAnswer(
  message: IsoMessage,
  request: SentRequest,
): AuthorizationOutcome {
  const code = message.fields[39]
  if (code === undefined) return { kind: 'unknown', reason: 'reply_unreadable' }
  if (OUTCOME_UNKNOWN.has(code)) return { kind: 'unknown', reason: 'timeout' }
  let answer: ProcessorAnswer
  try {
    answer = readAnswer(message, code, request)
  } catch {
    // An unreadable answer may hide an approval; the cause is an error of the host, visible in its
    // counter.
    return { kind: 'unknown', reason: 'reply_unreadable' }
  }
  if (code === PARTIALLY_APPROVED || APPROVED.has(code)) {
    const approvedMinor = approvedAmount(message, code, request.amountMinor)
    if (approvedMinor === null) return { kind: 'unknown', reason: 'reply_unreadable' }
    return { kind: 'approved', approvedMinor, answer }
  }
  const { authentication, pan } = request
  const isAuthenticated = authentication !== null && authentication.cavv !== null
  const serviceCode = declineCodeOf(answer.processorCode, code, {
    brand: pan.brand,
    isAuthenticated,
  })
  return { kind: 'declined', serviceCode, answer }
}

/** Null when the amount cannot be true: more than was asked, or less without saying so. */
function approvedAmount(message: IsoMessage, code: string, requestedMinor: bigint): bigint | null {
  const text = message.fields[4]
  if (text === undefined) return null
  const approved = BigInt(text)
  if (code === PARTIALLY_APPROVED)
    return approved > 0n && approved < requestedMinor ? approved : null
  return approved === requestedMinor ? approved : null
}

function readAnswer(message: IsoMessage, code: string, request: SentRequest): ProcessorAnswer {
  const { fields } = message
  const tags: Record<string, string> = fields[48] === undefined ? {} : decodePrivateData(fields[48])
  const results = fields[44] ?? ''
  return {
    responseCode: code,
    ...processorCodeOf(code, { code: tags['PC'], text: tags['PT'] }),
    industryCode: tags['IC'] ?? '',
    industryAdvice: tags['IT'] ?? '',
    authCode: (fields[38] ?? '').trim(),
    networkTransactionId: tags['NT'] ?? '',
    avsCode: readResult(results, 1),
    cvvCode: readResult(results, 2),
    merchantAdvice: /^\d{2}$/.test(tags['MA'] ?? '') ? (tags['MA'] ?? '') : '',
    cardUpdate: 'UR' in tags ? readCardUpdate(tags, request.pan.brand) : null,
    cardProduct: parseCardProduct(tags['PR'] ?? ''),
    cardBalanceMinor: balance(fields[54]),
    settled: conversion(fields),
  }
}

/** DE 44 is coded by position; `0` and a blank stand for nothing. */
function readResult(results: string, position: number): string {
  const result = results[position]
  return result === undefined || result === '0' || result === ' ' ? '' : result
}

function balance(text: string | undefined): bigint | null {
  if (text === undefined) return null
  const left = decodeAdditionalAmounts(text).find((entry) => entry.amountType === BALANCE_LEFT)
  return left === undefined ? null : left.amountMinor
}

function conversion(fields: IsoMessage['fields']): ProcessorAnswer['settled'] {
  const minor = fields[5]
  const rate = fields[9]
  const currency = fields[50] === undefined ? null : currencyByNumeric(fields[50])
  if (minor === undefined || rate === undefined || currency === null) return null
  return { minor: BigInt(minor), currency, rate: rateText(rate) }
}

/** DE 9: the first digit counts the decimals of the seven that follow. */
function rateText(rate: string): string {
  const decimals = Number(rate[0])
  const digits = rate.slice(1).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals).replace(/^0+(?=\d)/, '')
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
}

/**
 * Reads a 0230 or 0430. A repeat has the identity of the first message, so a late answer to an
 * earlier copy matches it. Such an answer names another batch (tag `MB`), and does not say that
 * the bank got the copy that names this one.
 */
export function readAdviceAnswer(
  message: IsoMessage,
  { batch, kind }: Pick<AdviceRequest, 'batch' | 'kind'>,
): AdviceOutcome {
  if (batch !== null && namesOtherBatch(message, batch.id)) {
    return { kind: 'unknown', reason: 'earlier_copy' }
  }
  const responseCode = message.fields[39] ?? ''
  const ending = endingAnswer(kind, responseCode)
  return ending === null
    ? { kind: 'refused', responseCode }
    : { kind: 'acknowledged', responseCode, agreed: ending === 'agreed' }
}

/** An acquirer without the tag, or with private data of its own, names none. */
function namesOtherBatch({ fields }: IsoMessage, batchId: bigint): boolean {
  try {
    const { MB: named } = decodePrivateData(fields[48] ?? '')
    return named !== undefined && named !== batchId.toString()
  } catch {
    return false
  }
}

/** The readable facts of an answer that came for no open message. */
export function readLateAnswer({ mti, fields }: IsoMessage): LateAnswer {
  return {
    mti,
    messageNumber: messageNumber(fields[11] ?? '', fields[41] ?? ''),
    responseCode: fields[39] ?? '',
    authCode: fields[38] ?? '',
  }
}
