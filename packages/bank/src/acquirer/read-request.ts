import { Iso8583Error, decodeAmount, decodePrivateData } from '@tollgate/iso8583'
import { originalMessageKey } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import { readTest } from '../issuer/bank-test.ts'
import { readAddress } from '../issuer/verification.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** The fields of a message that the bank needs to book it. */
export interface Booking {
  /** Minor units of `currency`, ISO 4217 numeric. */
  readonly amount: bigint
  readonly currency: string
  /** DE 42 without its filling. */
  readonly merchant: string
}

/** A field that must be there. Throws Iso8583Error (`field_missing`) without its value. */
export function requireField({ fields, mti }: IsoMessage, field: number): string {
  const value = fields[field]
  if (value !== undefined) return value
  const text = `A message of type ${mti} has no DE ${field}, which the bank needs.`
  throw new Iso8583Error('field_missing', text, { field })
}

/** Reads the fields of every message that moves money. */
export function readBooking(message: IsoMessage): Booking {
  return {
    amount: decodeAmount(requireField(message, 4)),
    currency: requireField(message, 49),
    merchant: requireField(message, 42).trim(),
  }
}

/** The merchant's batch that a message names in tag BN; null where it names none. */
export function readBatchNumber({ fields }: IsoMessage): string | null {
  const { BN: number } = fields[48] === undefined ? {} : decodePrivateData(fields[48])
  if (number === undefined) return null
  if (/^\d{1,19}$/.test(number)) return number
  const sentence = 'Tag BN of DE 48 is not 1 to 19 digits.'
  throw new Iso8583Error('subfield_invalid', sentence, { field: 48 })
}

const BRAND = /^[A-Z]{1,16}$/

/** The batch and the card brand by which a movement is counted; nothing without a batch. */
export function readCounting(message: IsoMessage): { batch?: string; brand?: string } {
  const batch = readBatchNumber(message)
  if (batch === null) return {}
  const { BR: brand = 'OTHER' } = decodePrivateData(message.fields[48] ?? '')
  if (BRAND.test(brand)) return { batch, brand }
  const sentence = 'Tag BR of DE 48 is not 1 to 16 capitals.'
  throw new Iso8583Error('subfield_invalid', sentence, { field: 48 })
}

/**
 * The key of an advice's original. DE 90 has no terminal: tag OT has it; without the tag it is the
 * advice's own.
 */
export function readOriginalKey(message: IsoMessage): string {
  const { fields, mti } = message
  const terminal = fields[48] === undefined ? undefined : decodePrivateData(fields[48])['OT']
  if (terminal === undefined) return originalMessageKey(message)
  return originalMessageKey({ mti, fields: { ...fields, 41: terminal } })
}

/** Reads a 0100. `isCardCheck` is known from DE 3 already. */
export function readAuthorization(
  message: IsoMessage,
  booking: Booking,
  isCardCheck: boolean,
): AuthorizationRequest {
  const { fields } = message
  const tags = fields[48] === undefined ? {} : decodePrivateData(fields[48])
  const { AU, BD, CA, CI, CP, CV, EC, NO, PA, PM } = tags
  const expiry = fields[14]
  const address = fields[123]
  const test = readTest(message)
  return {
    pan: requireField(message, 2),
    amount: booking.amount,
    currency: booking.currency,
    isCardCheck,
    isMerchantInitiated: CI?.startsWith('M') === true,
    requestsAccountUpdate: AU === '1',
    acceptsPartial: PA === '1',
    ...(BD === undefined ? {} : { businessTime: readBusinessTime(BD) }),
    ...(CA === undefined ? {} : { authentication: readAuthentication(CA, tags) }),
    ...(CI === undefined ? {} : { initiation: CI }),
    ...(EC === undefined ? {} : { eci: EC }),
    ...(NO === undefined ? {} : { firstReference: NO }),
    ...(expiry === undefined ? {} : { expiry }),
    ...(address === undefined ? {} : { address: readAddress(address) }),
    ...(CP === undefined ? {} : { codePresence: CP }),
    ...(CV === undefined ? {} : { securityCode: CV }),
    ...(PM === undefined ? {} : { partialMinimum: readMinimum(PM) }),
    ...(test === null ? {} : { test }),
  }
}

/** The claims that came with a CAVV. A missing id or ECI fits no CAVV. */
function readAuthentication(
  cavv: string,
  tags: Readonly<Record<string, string>>,
): NonNullable<AuthorizationRequest['authentication']> {
  const version = tags['3V']
  if (!/^[0-9A-Fa-f]{40}$/.test(cavv)) {
    const sentence = 'Tag CA of DE 48 is not 40 hexadecimal digits.'
    throw new Iso8583Error('subfield_invalid', sentence, { field: 48 })
  }
  if (version !== undefined && !/^\d\.\d\.\d$/.test(version)) {
    const sentence = 'Tag 3V of DE 48 is no version like 2.2.0.'
    throw new Iso8583Error('subfield_invalid', sentence, { field: 48 })
  }
  return { cavv, eci: tags['EC'] ?? '', dsTransId: tags['DS'] ?? '' }
}

/** Of this century, since an expiry has two digits for its year. */
const BUSINESS_TIME = /^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])([0-5]\d){2}$/

function readBusinessTime(text: string): string {
  if (BUSINESS_TIME.test(text)) return text
  const sentence = 'Tag BD of DE 48 is no time YYYYMMDDhhmmss from 2000 to 2099.'
  throw new Iso8583Error('subfield_invalid', sentence, { field: 48 })
}

function readMinimum(text: string): bigint {
  if (/^\d{1,12}$/.test(text)) return BigInt(text)
  const sentence = 'Tag PM of DE 48 is not 1 to 12 digits of minor units.'
  throw new Iso8583Error('subfield_invalid', sentence, { field: 48 })
}
