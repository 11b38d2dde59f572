import { Secret } from '../../base/secret.ts'
import { findCurrency } from '../../domain/currency.ts'
import { CardNumber } from '../../domain/payments/card-number.ts'
import { normalizePan } from '../../domain/payments/card.ts'
import type { PrepareCard, PrepareCommand } from '../../usecases/three-ds/prepare-collection.ts'
import { readSelector } from '../payment/card-request.ts'
import { checkValue } from '../payment/parameter-checks.ts'
import { describeParameter } from '../payment/parameter-names.ts'
import type { Parameter } from '../payment/parameters.ts'
import type { ActionRequest, Reading, RefusedReading } from '../payment/reading.ts'
import { missing, readId, refused } from '../payment/reading.ts'

type Params = ReadonlyMap<string, string>

/** How 3dsrequest.cfm reads a parameter that is read nowhere else, or differently there. */
type OwnForm = Pick<Parameter, 'kind' | 'min' | 'max' | 'values'>

const LEADING_DIGITS: OwnForm = { kind: 'digits', min: 6, max: 8, values: null }

export interface PrepareParameter {
  readonly name: string
  readonly required: boolean
  readonly meaning: string
}

/**
 * What is read, in the order in which forms are checked;
 * docs/integrators/three-d-secure-reference.md lists the same. What else is sent is not looked at.
 */
export const PREPARE_PARAMETERS: readonly PrepareParameter[] = [
  { name: 'REQ_USERNAME', required: true, meaning: "User name of the merchant's service user." },
  { name: 'REQ_PASSWORD', required: true, meaning: 'Password of that user.' },
  {
    name: 'SITE_ID',
    required: false,
    meaning:
      'Web site that the request is for; without it, MERCH_ACCT_ID names a site that has the account.',
  },
  { name: 'REQUEST_API_VERSION', required: false, meaning: '4.14, when it is sent.' },
  { name: 'REQUEST_RESPONSE_FORMAT', required: false, meaning: 'JSON (default), XML or PIPES.' },
  {
    name: 'MERCH_ACCT_ID',
    required: false,
    meaning:
      'Merchant account to use; without it, an account with which the site takes the currency.',
  },
  {
    name: 'REQUEST_CURRENCY',
    required: false,
    meaning: "ISO 4217 code; the site's default if absent. It matters without MERCH_ACCT_ID only.",
  },
  {
    name: 'BILL_ADDR_COUNTRY',
    required: false,
    meaning:
      'ISO 3166-1 alpha-2. Of several accounts for the currency, the one in this country is taken, or else the first.',
  },
  { name: 'PMT_BIN', required: false, meaning: 'The first 6 to 8 digits of the card.' },
  { name: 'PMT_NUMB', required: false, meaning: 'The card number, or its first 6 to 8 digits.' },
  { name: 'TOKEN_GUID', required: false, meaning: 'The card under a token, which stays unused.' },
  { name: 'CUST_ID', required: false, meaning: 'Customer of a saved card.' },
  {
    name: 'PMT_ID',
    required: false,
    meaning:
      'Saved card of that customer; PMT_ID_XTL and PMT_L4 do as well, and without any the card used last.',
  },
  { name: 'PMT_ID_XTL', required: false, meaning: "The merchant's own id of the saved card." },
  { name: 'PMT_L4', required: false, meaning: 'Last four digits of the saved card.' },
]

const CHECKED = PREPARE_PARAMETERS.slice(5).map(({ name }) => name)

/** Reads a request whose sender is known. */
export function readPrepareRequest({
  params,
  requestId,
  site,
  userId,
}: ActionRequest): Reading<PrepareCommand> {
  const fault = findFault(params)
  if (fault !== null) return fault
  const card = readCard(params)
  if (card.kind === 'refused') return card
  return {
    kind: 'command',
    command: {
      requestId,
      userId,
      site,
      merchantAccountId: readId(params, 'MERCH_ACCT_ID'),
      currency: findCurrency(params.get('REQUEST_CURRENCY') ?? site.defaultCurrency),
      country: (params.get('BILL_ADDR_COUNTRY') ?? '').toUpperCase(),
      card,
    },
  }
}

function findFault(params: Params): RefusedReading | null {
  for (const name of CHECKED) {
    const value = params.get(name)
    const form = ownForm(name, value) ?? describeParameter(name)
    if (value === undefined || form === null) continue
    const fault = checkValue(form, value)
    if (fault !== null) return refused(fault, name)
  }
  return null
}

function ownForm(name: string, value: string | undefined): OwnForm | null {
  if (name === 'PMT_BIN') return LEADING_DIGITS
  return name === 'PMT_NUMB' && isLeadingDigits(value ?? '') ? LEADING_DIGITS : null
}

function isLeadingDigits(value: string): boolean {
  return normalizePan(value).length <= LEADING_DIGITS.max
}

/** One way to name the card; a BIN beside a number has to be that number's. */
function readCard(params: Params): PrepareCard | RefusedReading {
  const bin = params.get('PMT_BIN')
  const number = params.get('PMT_NUMB')
  const token = params.get('TOKEN_GUID')
  if (params.has('PMT_ID') && bin !== undefined) return refused('value_invalid', 'PMT_BIN')
  if (params.has('PMT_ID') && number !== undefined) return refused('value_invalid', 'PMT_ID')
  if (token !== undefined) {
    if (number !== undefined || params.has('PMT_ID')) return refused('value_invalid', 'TOKEN_GUID')
    if (bin !== undefined) return refused('value_invalid', 'PMT_BIN')
    return { kind: 'token', token: new Secret(token.toUpperCase()) }
  }
  if (number !== undefined) {
    const digits = normalizePan(number)
    if (bin !== undefined && !digits.startsWith(bin)) return refused('value_invalid', 'PMT_BIN')
    if (isLeadingDigits(number)) return { kind: 'leading digits', digits }
    return { kind: 'number', pan: new CardNumber(digits) }
  }
  if (bin !== undefined) return { kind: 'leading digits', digits: bin }
  const customerId = readId(params, 'CUST_ID')
  if (customerId === null) return missing(params.has('PMT_ID') ? 'CUST_ID' : 'PMT_BIN')
  const selector = readSelector({
    PMT_ID: readId(params, 'PMT_ID') ?? undefined,
    PMT_ID_XTL: params.get('PMT_ID_XTL'),
    PMT_L4: params.get('PMT_L4'),
  })
  return { kind: 'saved', customerId, selector }
}
