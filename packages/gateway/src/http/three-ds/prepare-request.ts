import { findCurrency } from '../../domain/currency.ts'
import { normalizePan } from '../../domain/payments/card.ts'
import type { PrepareCard, PrepareCommand } from '../../usecases/three-ds/prepare-collection.ts'
import { readSelector } from '../payment/card-request.ts'
import { checkValue } from '../payment/parameter-checks.ts'
import { PARAMETERS_BY_NAME } from '../payment/parameters.ts'
import type { ActionRequest, Reading, RefusedReading } from '../payment/reading.ts'
import { missing, refused } from '../payment/reading.ts'
import { digits, type ValueForm } from '../payment/value-forms.ts'

export interface PrepareParameter {
  readonly name: string
  readonly required: boolean
  readonly meaning: string
}

/**
 * The parameters, in the order in which forms are checked;
 * docs/integrators/three-d-secure-reference.md lists the same. All others are ignored.
 */
export const PREPARE_PARAMETERS: readonly PrepareParameter[] = [
  { name: 'REQ_USERNAME', required: true, meaning: "User name of the merchant's API user." },
  { name: 'REQ_PASSWORD', required: true, meaning: 'Password of that user.' },
  {
    name: 'SITE_ID',
    required: false,
    meaning: 'Site of the request; without it, the gateway uses a site that has MERCH_ACCT_ID.',
  },
  { name: 'REQUEST_API_VERSION', required: false, meaning: '4.14, if it is sent.' },
  { name: 'REQUEST_RESPONSE_FORMAT', required: false, meaning: 'JSON (default), XML or PIPES.' },
  {
    name: 'MERCH_ACCT_ID',
    required: false,
    meaning:
      'Merchant account of the payment; without it, an account of the site for the currency.',
  },
  {
    name: 'REQUEST_CURRENCY',
    required: false,
    meaning: "ISO 4217 code; the site's default if absent. Read only without MERCH_ACCT_ID.",
  },
  {
    name: 'BILL_ADDR_COUNTRY',
    required: false,
    meaning:
      'ISO 3166-1 alpha-2. Selects the account in this country if several have the currency; otherwise the first.',
  },
  { name: 'PMT_BIN', required: false, meaning: 'The first 6 to 8 digits of the card.' },
  { name: 'PMT_NUMB', required: false, meaning: 'The card number, or its first 6 to 8 digits.' },
  { name: 'TOKEN_GUID', required: false, meaning: 'Card token; it stays unused.' },
  { name: 'CUST_ID', required: false, meaning: 'Customer of a saved card.' },
  {
    name: 'PMT_ID',
    required: false,
    meaning:
      'Saved card of that customer. PMT_ID_XTL and PMT_L4 select it too; without any, the card used last.',
  },
  { name: 'PMT_ID_XTL', required: false, meaning: "The merchant's own id of the saved card." },
  { name: 'PMT_L4', required: false, meaning: 'Last four digits of the saved card.' },
]

type NumberOrDigits = Extract<PrepareCard, { kind: 'number' | 'leading digits' }>

const LEADING_DIGITS = { min: 6, max: 8 }
const leadingDigits: ValueForm<string> = digits(LEADING_DIGITS.max, LEADING_DIGITS.min)
const onlyLeadingDigits: ValueForm<NumberOrDigits> = {
  ...leadingDigits,
  parse: (sent) => ({ kind: 'leading digits', digits: sent }),
}
const wholeNumber = PARAMETERS_BY_NAME.PMT_NUMB
const numberOnly: ValueForm<NumberOrDigits> = {
  ...wholeNumber,
  parse(sent) {
    const pan = wholeNumber.parse(sent)
    return pan === undefined ? undefined : { kind: 'number', pan }
  },
}

/**
 * The forms of the parameters of a known sender, in the order of the checks: those of the payment
 * itself, except for the leading digits.
 */
const FORMS = {
  MERCH_ACCT_ID: PARAMETERS_BY_NAME.MERCH_ACCT_ID,
  REQUEST_CURRENCY: PARAMETERS_BY_NAME.REQUEST_CURRENCY,
  BILL_ADDR_COUNTRY: PARAMETERS_BY_NAME.BILL_ADDR_COUNTRY,
  PMT_BIN: leadingDigits,
  PMT_NUMB: numberOnly,
  TOKEN_GUID: PARAMETERS_BY_NAME.TOKEN_GUID,
  CUST_ID: PARAMETERS_BY_NAME.CUST_ID,
  PMT_ID: PARAMETERS_BY_NAME.PMT_ID,
  PMT_ID_XTL: PARAMETERS_BY_NAME.PMT_ID_XTL,
  PMT_L4: PARAMETERS_BY_NAME.PMT_L4,
}

type FormName = keyof typeof FORMS
type SentPreparation = {
  readonly [Name in FormName]?: (typeof FORMS)[Name] extends ValueForm<infer Value> ? Value : never
}

/** Reads a request whose sender is known. */
export function readPrepareRequest({
  params,
  requestId,
  site,
  userId,
}: ActionRequest): Reading<PrepareCommand> {
  const sent = parse(params)
  if ('kind' in sent) return sent
  const card = readCard(sent)
  if (card.kind === 'refused') return card
  return {
    kind: 'command',
    command: {
      requestId,
      userId,
      site,
      merchantAccountId: sent.MERCH_ACCT_ID ?? null,
      currency: findCurrency(sent.REQUEST_CURRENCY ?? site.defaultCurrency),
      country: sent.BILL_ADDR_COUNTRY ?? '',
      card,
    },
  }
}

/** Each value that is read, parsed once; or the first, in the order of the table, that is wrong. */
function parse(params: ReadonlyMap<string, string>): SentPreparation | RefusedReading {
  const sent: Record<string, unknown> = {}
  for (const name of Object.keys(FORMS) as FormName[]) {
    const value = params.get(name)
    if (value === undefined) continue
    const form = formOf(name, value)
    const fault = checkValue(form, value)
    if (fault !== null) return refused(fault, name)
    sent[name] = form.parse(value)
  }
  return sent
}

/** PMT_NUMB takes the leading digits as well. */
function formOf(name: FormName, value: string): ValueForm<unknown> {
  const isShort = name === 'PMT_NUMB' && normalizePan(value).length <= LEADING_DIGITS.max
  return isShort ? onlyLeadingDigits : FORMS[name]
}

/** One way to name the card; a BIN beside a number has to be that number's. */
function readCard(sent: SentPreparation): PrepareCard | RefusedReading {
  const { PMT_BIN: bin, PMT_NUMB: number, TOKEN_GUID: token, PMT_ID: savedCard } = sent
  if (savedCard !== undefined && bin !== undefined) return refused('value_invalid', 'PMT_BIN')
  if (savedCard !== undefined && number !== undefined) return refused('value_invalid', 'PMT_ID')
  if (token !== undefined) {
    if (number !== undefined || savedCard !== undefined) {
      return refused('value_invalid', 'TOKEN_GUID')
    }
    if (bin !== undefined) return refused('value_invalid', 'PMT_BIN')
    return { kind: 'token', token }
  }
  if (number !== undefined) {
    const begins = number.kind === 'number' ? number.pan : number.digits
    if (bin !== undefined && !begins.startsWith(bin)) return refused('value_invalid', 'PMT_BIN')
    return number
  }
  if (bin !== undefined) return { kind: 'leading digits', digits: bin }
  const { CUST_ID: customerId } = sent
  if (customerId === undefined) return missing(savedCard === undefined ? 'PMT_BIN' : 'CUST_ID')
  return { kind: 'saved', customerId, selector: readSelector(sent) }
}
