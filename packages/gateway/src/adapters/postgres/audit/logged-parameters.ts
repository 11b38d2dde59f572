/**
 * Values of past requests, read from the request log. It keeps the parameters of a request under
 * their names of the interface; no other code behind `http` knows these names.
 */

/** Each takes the name that the table of requests has in a statement, and gives SQL. */
export const loggedCardNumber = (requests: string): string => of(requests, 'PMT_NUMB')

/** Whether a request called itself a renewal. */
export const saidRenewal = (requests: string): string =>
  `(${of(requests, 'REQUEST_REBILL')} = '1' or upper(${of(requests, 'TRANS_REBILL_TYPE')}) = 'REBILL')`

/** Whether a request said that the merchant began the payment. */
export const saidByMerchant = (requests: string): string =>
  `coalesce(upper(${of(requests, 'REQUEST_INITATOR')}) like 'M%', false)`

/** Whether a security code came with a request, or its absence is to be explained. */
export const expectsSecurityCode = (requests: string): string =>
  `(coalesce(${of(requests, 'PMT_KEY')}, '') <> ''
    or (coalesce(${of(requests, 'CUST_ID')}, '') = '' and not ${saidByMerchant(requests)}))`

/** Whether a request brought its own rules for the checks of address and code. */
export const hasOwnChecks = (requests: string): string =>
  `coalesce(${['CHKAVS', 'CHKCVV', 'AVSMATCHSET', 'CVVMATCHSET']
    .map((name) => of(requests, name))
    .join(', ')}) is not null`

/** Whether a request asked about an order, and moved nothing. */
export const isInquiry = (requests: string): string =>
  `${requests}.action in ('CCSTATUS', 'CCTRANSUPDATE')`

/** Whether it changed nothing either. */
export const isLookUp = (requests: string): string => `${requests}.action = 'CCSTATUS'`

function of(requests: string, name: string): string {
  return `${requests}.parameters ->> '${name}'`
}

/** The values of a payment's request about its card and its initiator. */
export interface LoggedPayment {
  readonly hasNewCard: boolean
  readonly onFileElsewhere: boolean
  readonly hasSecurityCode: boolean
  readonly byMerchant: boolean
  readonly isRenewal: boolean
  readonly rebillType: string
  /** The first six digits; null where the log has none. */
  readonly bin: string | null
  readonly ipAddress: string
}

/** Reads the parameters of a logged payment; what is no text counts as not sent. */
export function readLoggedPayment(parameters: Readonly<Record<string, unknown>>): LoggedPayment {
  const sent = (name: string): string => {
    const value = parameters[name]
    return typeof value === 'string' ? value : ''
  }
  const number = sent('PMT_NUMB')
  return {
    hasNewCard: number !== '' || sent('TOKEN_GUID') !== '',
    onFileElsewhere: sent('PMT_NUMB_COF') === '1',
    hasSecurityCode: sent('PMT_KEY') !== '',
    byMerchant: sent('REQUEST_INITATOR').toUpperCase().startsWith('M'),
    isRenewal: sent('REQUEST_REBILL') === '1',
    rebillType: sent('TRANS_REBILL_TYPE').toUpperCase(),
    bin: /^[0-9]{6}/.exec(number.replaceAll(/[ -]/g, ''))?.[0] ?? null,
    ipAddress: sent('XTL_IP'),
  }
}
