import { z } from 'zod'
import { readJson } from '../../base/json-faults.ts'
import { refused, type Result } from '../../base/refusal.ts'
import { findCurrency } from '../../domain/currency.ts'
import { REQUIRED_FIELDS } from '../../domain/merchants/account-demands.ts'
import { nameAndLocationOf, type AccountDetails } from '../../domain/merchants/account-details.ts'
import type { AccountThreeDs } from '../../domain/merchants/account-three-ds.ts'
import { MOST_ID } from '../../domain/merchants/site-settings.ts'
import { CARD_BRANDS } from '../../domain/payments/card.ts'
import type { AccountDraft } from '../../usecases/merchants/operator.ts'

function id(what: string) {
  const error = `${what}: a whole number from 1 to ${MOST_ID}`
  return z.number({ error }).int({ error }).positive({ error }).max(Number(MOST_ID), { error })
}

function text(error: string, pattern: RegExp) {
  return z.string({ error }).regex(pattern, { error })
}

function printable(most: number) {
  return text(`1 to ${most} printable ASCII characters`, new RegExp(`^[\\x20-\\x7e]{1,${most}}$`))
}

const CURRENCIES = 'a list of ISO 4217 codes such as ["USD", "EUR"]'

const BRANDS = `a list of card brands, at least one of ${CARD_BRANDS.join(', ')}`
const FIELDS = `a list with none or some of ${REQUIRED_FIELDS.join(', ')}`

const REQUESTOR_URL = 'an absolute https address of at most 2048 characters'

/** How Directory Servers know the merchant. */
const THREE_DS = z.strictObject(
  {
    requestorId: printable(35),
    requestorUrl: z
      .string({ error: REQUESTOR_URL })
      .max(2048, { error: REQUESTOR_URL })
      .refine((url) => URL.parse(url)?.protocol === 'https:', { error: REQUESTOR_URL }),
  },
  { error: 'an object with requestorId and requestorUrl' },
)

const SCHEMA = z.strictObject({
  id: id('the MERCH_ACCT_ID'),
  merchantId: id("the merchant's id"),
  mode: z.enum(['test', 'live'], { error: '"test" or "live"' }),
  link: z.string({ error: 'the name of a processor link' }).nullable().default(null),
  processorName: printable(60),
  acquirerId: text('text of 1 to 11 digits, the first not 0', /^[1-9][0-9]{0,10}$/)
    .nullable()
    .default(null),
  acquirerMerchantId: printable(15),
  categoryCode: text('text of 4 digits', /^[0-9]{4}$/),
  name: printable(25),
  city: printable(13),
  country: text('2 capital letters', /^[A-Z]{2}$/),
  currencies: z
    .array(z.string({ error: CURRENCIES }), { error: CURRENCIES })
    .min(1, { error: CURRENCIES })
    .refine((codes) => codes.every((code) => findCurrency(code) !== null), { error: CURRENCIES }),
  unreferencedCredits: z.boolean({ error: 'true or false' }).optional(),
  brands: z
    .array(z.enum(CARD_BRANDS, { error: BRANDS }), { error: BRANDS })
    .min(1, { error: BRANDS })
    .nullable()
    .optional(),
  requiredFields: z.array(z.enum(REQUIRED_FIELDS, { error: FIELDS }), { error: FIELDS }).optional(),
  standsFor: id('the id of a test account').nullable().default(null),
  threeDs: THREE_DS.nullable().optional(),
  sites: z.array(id('the id of a site'), { error: 'a list of site ids' }).default([]),
})

/** Reads a registration for 3-D Secure, as `threeDs` of the description has it. */
export function readThreeDsText(text: string): Result<{ readonly threeDs: AccountThreeDs }> {
  const read = readJson(text, THREE_DS)
  return read.ok ? { ok: true, threeDs: read.value } : read
}

const DETAILS = SCHEMA.pick({
  categoryCode: true,
  name: true,
  city: true,
  country: true,
  currencies: true,
})

/** Reads the details of an account, as its description has them. */
export function readDetailsText(text: string): Result<{ readonly details: AccountDetails }> {
  const read = readJson(text, DETAILS)
  if (!read.ok) return read
  const { currencies } = read.value
  return { ok: true, details: { ...read.value, currencies: [...new Set(currencies)] } }
}

/** Reads the description of a merchant account. */
export function readAccountFile(file: string): Result<{ readonly account: AccountDraft }> {
  const read = readJson(file, SCHEMA)
  if (!read.ok) return read
  const { name, city, country, ...account } = read.value
  const faults: string[] = []
  if (account.mode === 'live' && account.link === null) {
    faults.push('link is missing; a live account must name the processor link that it uses.')
  }
  if (account.mode === 'test' && account.standsFor !== null) {
    faults.push('standsFor is for live accounts; take it out of a test account.')
  }
  if (account.link === null && account.acquirerId === null) {
    faults.push('acquirerId is missing; without a link there is none to take it from.')
  }
  if (faults.length > 0) return refused('invalid', faults)
  const nameAndLocation = nameAndLocationOf({ name, city, country })
  return { ok: true, account: { ...account, nameAndLocation } }
}
