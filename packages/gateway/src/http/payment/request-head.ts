import { Secret } from '../../base/secret.ts'
import { findOperation } from './actions.ts'
import type { Echo } from './answer.ts'
import type { Form } from './form.ts'
import { readFormat, type Format } from './formats/format.ts'
import type { Operation } from './parameters.ts'
import { withoutOwnNumber } from './pasted-numbers.ts'

type Params = ReadonlyMap<string, string>

/** In the order in which a missing one is reported. */
const REQUIRED = [
  'REQ_USERNAME',
  'REQ_PASSWORD',
  'SITE_ID',
  'REQUEST_API_VERSION',
  'REQUEST_ACTION',
] as const

type RequiredName = (typeof REQUIRED)[number]

/** The part of a request that every action has, read once. A text that was not sent is ''. */
export interface RequestHead {
  readonly username: string
  readonly password: Secret
  /** As it was sent: its form is not checked. */
  readonly siteId: string
  /** As it was sent: its form is not checked. */
  readonly merchantAccountId: string
  readonly version: string
  /** In upper case. */
  readonly action: string
  /** Null for an action that this gateway does not take. */
  readonly operation: Operation | null
  /** The usual one where none was asked for; null for an unknown one. */
  readonly format: Format | null
  /** The required parameters that were not sent, in the order in which they are reported. */
  readonly missing: readonly RequiredName[]
  /** The values that an answer repeats. */
  readonly echo: Omit<Echo, 'requestId'>
}

/** A form of an address that merchants' servers call, with its head. */
export interface MerchantForm extends Form {
  readonly head: RequestHead
  /**
   * The form in ISO-8859-1, which only wide sites accept. Null unless its bytes are no UTF-8 and no
   * charset was declared.
   */
  readonly inLatin1: MerchantForm | null
}

/** Values are repeated up to here: a longer one is refused anyway. */
const ECHOED = 255
const LONGEST_ACTION = 64

/** Throws never. `usual`: the format of an answer where the request asks for none. */
export function readHead(params: Params, usual: Format): RequestHead {
  const read = (name: string): string => params.get(name) ?? ''
  const repeat = (value: string): string =>
    withoutOwnNumber(params, value.slice(0, 2 * ECHOED)).slice(0, ECHOED)
  const action = read('REQUEST_ACTION').toUpperCase()
  const merchantAccountId = read('MERCH_ACCT_ID')
  return {
    username: read('REQ_USERNAME'),
    password: new Secret(read('REQ_PASSWORD')),
    siteId: read('SITE_ID'),
    merchantAccountId,
    version: read('REQUEST_API_VERSION'),
    action,
    operation: findOperation(action, read('FORCE_CREDIT') === '1'),
    format: readFormat(read('REQUEST_RESPONSE_FORMAT'), action, usual),
    missing: REQUIRED.filter((name) => !params.has(name)),
    echo: {
      action: repeat(action).slice(0, LONGEST_ACTION),
      customerReference: repeat(read('XTL_CUST_ID')),
      orderReference: repeat(read('XTL_ORDER_ID')),
      merchantAccountId: repeat(merchantAccountId),
    },
  }
}
