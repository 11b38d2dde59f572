import {
  encodeOriginalData,
  encodePrivateData,
  encodeReplacementAmount,
  repeatMti,
  type IsoMessage,
} from '@tollgate/iso8583'
import { invariant } from '../../base/invariant.ts'
import { originalMti } from '../../domain/payments/original-message.ts'
import { reversalCode } from '../../domain/payments/reversal-reason.ts'
import type { AdviceRequest, AuthorizationRequest } from '../../usecases/banks/processor.ts'
import type { Initiation } from '../../usecases/payments/payment-command.ts'
import { retrievalReference, stanAndTerminal, transmissionTime } from './message-identity.ts'

type Fields = Record<number, string>

const TYPED_BY_CUSTOMER = '812'
const ON_FILE = '102'

/** DE 22: how the card got to us. */
export function entryMode(cardOnFile: boolean): string {
  return cardOnFile ? ON_FILE : TYPED_BY_CUSTOMER
}

/** The 0100 or 0200 of a payment, as docs/internals/bank-link.md has it. */
export function authorizationMessage(request: AuthorizationRequest): IsoMessage {
  const { message, account, currency } = request
  const { stan, terminal } = stanAndTerminal(message.number)
  const time = transmissionTime(message.at)
  const fields: Fields = {
    2: request.pan.reveal(),
    3: processingCode(request),
    4: amount(request.amountMinor),
    7: time,
    11: stan,
    12: time.slice(4),
    13: time.slice(0, 4),
    18: account.categoryCode,
    22: entryMode(request.cardOnFile),
    25: request.initiation.initiator === 'merchant' ? '08' : '59',
    32: account.acquirerId,
    37: retrievalReference(message),
    41: terminal,
    42: account.acquirerMerchantId.padEnd(15),
    43: nameAndLocation(request),
    48: encodePrivateData(privateData(request)),
    49: currency.numeric,
  }
  if (request.expiry !== null) {
    const { month, year } = request.expiry
    fields[14] = `${(year % 100).toString().padStart(2, '0')}${month.toString().padStart(2, '0')}`
  }
  if (request.address !== null) fields[123] = addressForVerification(request.address)
  return { mti: originalMti(request.kind), fields }
}

function processingCode(request: AuthorizationRequest): string {
  if (request.kind === 'refund') return '200000'
  return request.amountMinor === 0n ? '330000' : '000000'
}

function privateData(request: AuthorizationRequest): Record<string, string> {
  const tags: Record<string, string> = authenticationTags(request.authentication)
  if (request.kind !== 'refund') {
    tags['AT'] = request.kind === 'sale' ? 'F' : 'P'
    tags['CP'] = request.cvv === null ? '0' : '1'
    if (request.cvv !== null) tags['CV'] = request.cvv.reveal()
  }
  const initiation = initiationCode(request.initiation, request.cardOnFile)
  if (initiation !== null) tags['CI'] = initiation
  const original = printable(request.initiation.originalNetworkTransactionId)
  if (original !== '') tags['NO'] = original
  if (request.requestAccountUpdate) tags['AU'] = '1'
  if (request.partial.allowed) {
    tags['PA'] = '1'
    if (request.partial.minimumMinor !== null) tags['PM'] = request.partial.minimumMinor.toString()
  }
  const reference = printable(request.orderReference).slice(0, 40)
  if (reference !== '') tags['OR'] = reference
  if (request.businessTime !== null) tags['BD'] = businessTime(request.businessTime)
  if (request.bankTest !== null) tags['TT'] = request.bankTest
  return tags
}

/** YYYYMMDDhhmmss, in UTC. */
function businessTime(at: Date): string {
  return at.toISOString().replace(/\D/g, '').slice(0, 14)
}

/** The scale of the link is Visa's, which the bank reads Mastercard's own numbers beside. */
const UNAUTHENTICATED = '07'
const FULL_VERSION = /^[0-9]\.[0-9]\.[0-9]$/

/** An authentication without a CAVV proves nothing, so the message carries none. */
function authenticationTags(
  values: AuthorizationRequest['authentication'],
): Record<string, string> {
  if (values === null || values.cavv === null) return { EC: UNAUTHENTICATED }
  const { cavv, dsTransId, eci, version } = values
  const tags: Record<string, string> = {
    EC: eci || UNAUTHENTICATED,
    CA: Buffer.from(cavv.reveal(), 'base64').toString('hex'),
  }
  if (dsTransId !== '') tags['DS'] = dsTransId
  if (FULL_VERSION.test(version)) tags['3V'] = version
  return tags
}

function initiationCode(initiation: Initiation, cardOnFile: boolean): string | null {
  if (initiation.initiator === 'merchant') {
    if (initiation.instalment) return 'M104'
    return initiation.recurring === 'rebill' ? 'M103' : 'M101'
  }
  if (initiation.recurring === 'first') return 'C103'
  if (initiation.recurring === 'rebill') return initiation.instalment ? 'M104' : 'M103'
  return initiation.initiator === 'customer' || cardOnFile ? 'C101' : null
}

const NAME_WIDTH = 25
const CITY_WIDTH = 13

/**
 * DE 43: name, city or support phone, country; a request's own descriptor replaces the account's.
 */
function nameAndLocation({ account, descriptor }: AuthorizationRequest): string {
  const standard = account.nameAndLocation.padEnd(40)
  if (descriptor.name === '' && descriptor.city === '' && descriptor.phone === '') return standard
  const name = printable(descriptor.name) || standard.slice(0, NAME_WIDTH)
  const place =
    printable(descriptor.phone) ||
    printable(descriptor.city) ||
    standard.slice(NAME_WIDTH, NAME_WIDTH + CITY_WIDTH)
  return (
    name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH) +
    place.slice(0, CITY_WIDTH).padEnd(CITY_WIDTH) +
    standard.slice(NAME_WIDTH + CITY_WIDTH)
  )
}

const POSTAL_WIDTH = 9
const STREET_WIDTH = 20

function addressForVerification(address: { street: string; postalCode: string }): string {
  const postal = printable(address.postalCode).replaceAll(/[\s-]/g, '')
  return (
    postal.slice(0, POSTAL_WIDTH).padEnd(POSTAL_WIDTH, '-') +
    printable(address.street).slice(0, STREET_WIDTH)
  )
}

/** Letters with marks lose them; what is still not printable ASCII becomes a question mark. */
function printable(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\x20-\x7e]/g, '?')
}

/** The 0220 or 0420 of an advice, as docs/internals/bank-link.md has it. */
export function adviceMessage(advice: AdviceRequest): IsoMessage {
  const { message, account, original } = advice
  const { stan, terminal } = stanAndTerminal(message.number)
  const originalMessage = stanAndTerminal(original.number)
  // DE 90 names no terminal, so DE 41 must be the original's. Its STAN then has to be unused there,
  // which message numbers of one terminal guarantee only while both are on the same one.
  const fields: Fields = {
    3: advice.kind === 'refund' ? '200000' : '000000',
    4: amount(advice.amountMinor),
    7: transmissionTime(message.at),
    11: stan,
    25: '59',
    32: account.acquirerId,
    37: retrievalReference(advice.order),
    41: terminal,
    42: account.acquirerMerchantId.padEnd(15),
    49: advice.currency.numeric,
    90: encodeOriginalData({
      mti: original.mti,
      stan: originalMessage.stan,
      transmissionTime: transmissionTime(original.at),
      acquirerId: account.acquirerId,
    }),
  }
  if (advice.kind === 'reversal') {
    invariant(advice.reason !== null, 'a reversal has no reason')
    fields[48] = encodePrivateData({
      ...testTags(advice.bankTest),
      OT: originalMessage.terminal,
      RR: reversalCode(advice.reason),
    })
    if (advice.remainingMinor !== null) fields[95] = encodeReplacementAmount(advice.remainingMinor)
  } else {
    fields[22] = advice.entryMode
    fields[48] = encodePrivateData({
      ...batchTags(advice.batch),
      ...testTags(advice.bankTest),
      OT: originalMessage.terminal,
      SQ: (advice.sequence % 100).toString().padStart(2, '0'),
    })
    if (advice.authCode !== '') fields[38] = advice.authCode
    if (advice.pan !== null) fields[2] = advice.pan.reveal()
  }
  const mti = advice.kind === 'reversal' ? '0420' : '0220'
  return { mti: advice.repeat ? repeatMti(mti) : mti, fields }
}

/** Only the test bank's link lets them pass. */
function testTags(bankTest: string | null): Record<string, string> {
  return bankTest === null ? {} : { TT: bankTest }
}

/** The batch that counts the advice, and the brand by which it does. */
function batchTags(batch: AdviceRequest['batch']): Record<string, string> {
  return batch === null ? {} : { BN: batch.id.toString(), BR: batch.brand }
}

function amount(minor: bigint): string {
  return minor.toString().padStart(12, '0')
}
