import { APPROVING_CODES, decodePrivateData, encodeAdditionalAmounts } from '@tollgate/iso8583'
import { encodeAmount, encodePrivateData } from '@tollgate/iso8583'
import type { AdditionalAmount } from '@tollgate/iso8583'
import { productText } from '../issuer/card-product.ts'
import type { CardProduct } from '../issuer/card-product.ts'
import { decimalsOf } from '../issuer/currencies.ts'
import type { Decision } from '../issuer/decision.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** DE 44 position 1: the issuer itself has answered. */
const ANSWERED_BY_ISSUER = '5'
/** The network has, since the issuer could not be reached. */
const ANSWERED_BY_NETWORK = '4'

export interface AnswerContext {
  /** The number of this answer's record; codes and references come from it. */
  readonly seq: number
  /** UTC, ISO 8601. */
  readonly at: string
  /** The payment's business time, or the time of its record; YYYYMMDD. */
  readonly day: string
  /** DE 7 of the request. */
  readonly transmissionTime: string
  readonly product: CardProduct | null
  /** A test has a token of the card network stand for the number. */
  readonly isTokenized: boolean
  /** The balance left on a prepaid card, in minor units; null for others. */
  readonly balanceLeft: bigint | null
}

/** The fields of a 0110 that are not repeated from its request. */
export function authorizationAnswer(
  request: AuthorizationRequest,
  decision: Decision,
  context: AnswerContext,
): Record<number, string> {
  const { approved, avs, byStandIn, cavv, conversion, cvv, responseCode } = decision
  const source = byStandIn === true ? ANSWERED_BY_NETWORK : ANSWERED_BY_ISSUER
  const isGood = isApproval(request, decision)
  const answer: Record<number, string> = {
    4: encodeAmount(approved > 0n ? approved : request.amount),
    39: responseCode,
    44: `${source}${avs}${cvv}${cavv}`,
  }
  if (isGood) answer[38] = authorizationCode(context.seq)
  const tags = privateTags(decision, isGood, context)
  if (tags !== '') answer[48] = tags
  if (conversion !== undefined) {
    answer[5] = encodeAmount(convert(approved, request.currency, conversion), 5)
    answer[9] = `6${conversion.rateMillionths.toString().padStart(7, '0')}`
    answer[50] = conversion.currency
  }
  const amounts = additionalAmounts(request, decision, context)
  if (amounts.length > 0) answer[54] = encodeAdditionalAmounts(amounts)
  return answer
}

/** Whether it is approved; a card check is without an approved amount. */
export function isApproval(
  { isCardCheck }: Pick<AuthorizationRequest, 'isCardCheck'>,
  { approved, responseCode }: Pick<Decision, 'approved' | 'responseCode'>,
): boolean {
  if (approved > 0n || responseCode === '85') return true
  return isCardCheck && APPROVING_CODES.has(responseCode)
}

let lastBatch = { day: '', number: '' }

/** The bank's open batch on a UTC day: days since 1970, six digits. */
export function batchNumber(at: string): string {
  const day = at.slice(0, 10)
  if (lastBatch.day !== day) {
    lastBatch = { day, number: (Date.parse(day) / 86_400_000).toString().padStart(6, '0') }
  }
  return lastBatch.number
}

/** DE 38: six capitals and digits, different for each record. */
function authorizationCode(seq: number): string {
  return seq.toString(36).toUpperCase().padStart(6, '0').slice(-6)
}

function privateTags(decision: Decision, isGood: boolean, context: AnswerContext): string {
  const { at } = context
  const product = productText(context.product, context.isTokenized)
  const { issuer, merchantAdvice, processor, update } = decision
  const tags: Record<string, string> = { BN: batchNumber(at) }
  if (issuer !== undefined) tags['IC'] = issuer.code
  if (issuer?.text !== undefined) tags['IT'] = issuer.text
  if (merchantAdvice !== undefined) tags['MA'] = merchantAdvice
  if (isGood) tags['NT'] = networkReference(context)
  if (processor !== undefined) tags['PC'] = processor.code
  if (product !== null) tags['PR'] = product
  if (processor?.text !== undefined) tags['PT'] = processor.text
  if (update !== undefined) {
    tags['UR'] = update.result
    if (update.expiry !== undefined) tags['UX'] = update.expiry
    if (update.result !== 'V' && update.result !== 'P') tags['UD'] = context.day
  }
  return encodePrivateData(tags)
}

/** The network's id of a payment: the day, then a number that no other record has. */
export function networkReference({
  seq,
  transmissionTime,
}: Pick<AnswerContext, 'seq' | 'transmissionTime'>): string {
  return transmissionTime.slice(0, 4) + seq.toString().padStart(11, '0')
}

/** The answer with the number that has replaced the card's, which no record may have. */
export function withNewNumber(
  answer: Readonly<Record<number, string>>,
  number: string,
): Readonly<Record<number, string>> {
  const tags = { ...decodePrivateData(answer[48] ?? ''), UN: number }
  return { ...answer, 48: encodePrivateData(tags) }
}

/**
 * The answer with the batch that this copy of the advice named. Two copies may name different
 * batches, and only the sender knows which answer came for which.
 */
export function withNamedBatch(
  answer: Readonly<Record<number, string>>,
  batch: string | null,
): Readonly<Record<number, string>> {
  if (batch === null) return answer
  const tags = { ...decodePrivateData(answer[48] ?? ''), MB: batch }
  return { ...answer, 48: encodePrivateData(tags) }
}

/** Minor units of the settlement currency, rounded half up. */
function convert(
  amount: bigint,
  from: string,
  { currency, rateMillionths }: NonNullable<Decision['conversion']>,
): bigint {
  const scale = 10n ** BigInt(6 + decimalsOf(from))
  const scaled = amount * rateMillionths * 10n ** BigInt(decimalsOf(currency))
  return (scaled + scale / 2n) / scale
}

function additionalAmounts(
  request: AuthorizationRequest,
  decision: Decision,
  { balanceLeft }: AnswerContext,
): AdditionalAmount[] {
  const { amount, currency } = request
  const amounts: AdditionalAmount[] = []
  if (decision.responseCode === '10') {
    amounts.push({ accountType: '00', amountType: '57', currency, sign: 'D', amountMinor: amount })
  }
  if (balanceLeft !== null) {
    const isOwed = balanceLeft < 0n
    amounts.push({
      accountType: '00',
      amountType: '02',
      currency,
      sign: isOwed ? 'D' : 'C',
      amountMinor: isOwed ? -balanceLeft : balanceLeft,
    })
  }
  return amounts
}
