import { ACTION_NAMES } from '../../packages/gateway/src/http/payment/actions.ts'
import { PARAMETERS, type Parameter } from '../../packages/gateway/src/http/payment/parameters.ts'
import { credentials } from '../../test/support/running-gateway.ts'
import type { Chance } from '../torture/chance.ts'
import { absurdValue, almostValidValue, validValue } from './wild-values.ts'

/** One pair of a form. `raw`: name and value are on the wire as they stand, byte for character. */
export interface Pair {
  readonly name: string
  readonly value: string
  readonly raw?: boolean
}

/** A form that is sent to the payment address. */
export interface FormCase {
  readonly pairs: readonly Pair[]
  readonly contentType: string | null
}

type Site = 1001 | 1002 | 1003
const SITES: readonly Site[] = [1001, 1001, 1001, 1002, 1003]

/** Ids from answers, so that later forms mean something. */
export interface KnownIds {
  /** Orders by the merchant of their site; the sites 1001 and 1003 are one merchant's. */
  readonly orders: ReadonlyMap<string, readonly string[]>
  readonly customers: readonly string[]
  readonly lines: readonly string[]
}

/** The merchant of a site. */
export function merchantOf(site: string): string {
  return site === '1002' ? 'other' : 'demo'
}

const BY_NAME = new Map(PARAMETERS.map((parameter) => [parameter.name, parameter]))
const ADJUSTMENTS = ['CCCAPTURE', 'CCCREDIT', 'CCREVERSE', 'CCREVERSECAP']

/** A form that is valid except for random changes. */
export function makeForm(chance: Chance, known: KnownIds): FormCase {
  const site = chance.pick(SITES)
  const action = chooseAction(chance)
  let pairs: Pair[] = [
    ...Object.entries(credentials(site)).map(([name, value]) => ({ name, value })),
    { name: 'REQUEST_ACTION', value: action },
    {
      name: 'REQUEST_RESPONSE_FORMAT',
      value: chance.pick(['JSON', 'XML', 'PIPES', 'json', 'Xml']),
    },
    ...actionPairs(action, site, chance, known),
  ]
  for (let more = chance.between(0, 4); more > 0; more -= 1) pairs.push(morePair(chance))
  // Most of them once at most: behind the first fault nothing else is looked at.
  const changes = chance.happens(0.6) ? 0 : chance.between(1, 3)
  for (let change = changes; change > 0; change -= 1) pairs = damage(pairs, chance)
  return { pairs, contentType: chance.happens(0.9) ? FORM : chance.pick(CONTENT_TYPES) }
}

const FORM = 'application/x-www-form-urlencoded'
const CONTENT_TYPES = [
  null,
  `${FORM}; charset=ISO-8859-1`,
  `${FORM};charset="utf-8"`,
  `${FORM}; charset=utf-16`,
  `${FORM}; charset=`,
  `${FORM};;;`,
  FORM.toUpperCase(),
  'text/plain',
  'multipart/form-data',
  ';',
  'a',
  'application/json',
  `${FORM}, ${FORM}`,
  `${FORM}; charset=utf-8; charset=iso-8859-1`,
]

function chooseAction(chance: Chance): string {
  const kind = chance.next()
  if (kind < 0.4) return chance.pick(['CCAUTHORIZE', 'CCAUTHCAP'])
  if (kind < 0.7) return chance.pick(ADJUSTMENTS)
  if (kind < 0.97) return chance.pick(ACTION_NAMES)
  return chance.pick([
    '',
    'ccauthorize',
    'DCAUTHORIZE',
    'CCAUTHORIZE ',
    '__proto__',
    'TESTGW\u0000',
  ])
}

function actionPairs(action: string, site: Site, chance: Chance, known: KnownIds): Pair[] {
  const pairs: Pair[] = []
  const add = (name: string, value: string): void => void pairs.push({ name, value })
  if (action === 'CCAUTHORIZE' || action === 'CCAUTHCAP') {
    const customer = chance.happens(0.25) ? pickOr(chance, known.customers) : null
    if (customer === null || chance.happens(0.1)) {
      add('PMT_NUMB', valueOf('PMT_NUMB', chance))
      add('PMT_EXPIRY', '122040')
    }
    if (customer !== null) add('CUST_ID', customer)
    add('LI_VALUE_1', valueOf('LI_VALUE_n', chance))
    if (chance.happens(0.3)) add('XTL_ORDER_ID', `fuzz-${chance.between(1, 200)}`)
    if (chance.happens(0.3)) addLines(pairs, chance)
    if (chance.happens(0.15)) addRebill(pairs, chance)
    if (chance.happens(0.15)) addThreeDs(pairs, chance)
  } else if (ADJUSTMENTS.includes(action)) {
    add('REQUEST_REF_PO_ID', chooseOrder(chance, site, known))
    if (chance.happens(0.85)) add('LI_VALUE_1', (chance.between(0, 3_000) / 100).toFixed(2))
    if (chance.happens(0.15)) add('REQUEST_REF_PO_LI_ID', pickOr(chance, known.lines) ?? '1')
    if (chance.happens(0.2)) add('CREDIT_ON_FAIL', '1')
    if (action === 'CCCREDIT' && chance.happens(0.1)) {
      add('FORCE_CREDIT', '1')
      add('PMT_NUMB', valueOf('PMT_NUMB', chance))
      add('PMT_EXPIRY', '122040')
    }
  } else if (action === 'CCSTATUS' || action === 'CCTRANSUPDATE') {
    add('REQUEST_REF_PO_ID', chooseOrder(chance, site, known))
    if (action === 'CCTRANSUPDATE') add('TRANS_CUSTOMER_RECEIPT', absurdValue(chance))
  } else if (action.startsWith('SUB_')) {
    // The first ids of memberships, so that some exist.
    add('REQUEST_REF_MBSHP_ID', String(chance.between(4_990, 5_100)))
    for (const name of ['SUB_CANCEL_TYPE', 'SUB_UPDATE_PROD_ID', 'SUB_UPDATE_PMT_ID', 'CUST_ID']) {
      if (chance.happens(0.3)) add(name, valueOf(name, chance))
    }
  }
  return pairs
}

function addLines(pairs: Pair[], chance: Chance): void {
  const count = chance.pick([2, 3, 5, 99, 100])
  for (let line = 2; line <= count; line += 1) {
    pairs.push({ name: `LI_VALUE_${line}`, value: '1.00' })
    if (chance.happens(0.2))
      pairs.push({ name: `LI_COUNT_${line}`, value: String(chance.between(0, 101)) })
  }
}

function addRebill(pairs: Pair[], chance: Chance): void {
  const names = [
    'REQUEST_INITATOR',
    'REQUEST_REBILL',
    'REQUEST_INSTALLMENT',
    'TRANS_REBILL_TYPE',
    'MBSHP_ID_XTL',
    'ORIG_CARD_BRAND_TRANSID',
    'PROD_NAME',
    'PROD_TYPE',
    'PROD_REBILL_METRIC',
    'PROD_REBILL_PERIOD',
  ]
  for (const name of names) {
    if (chance.happens(0.5)) pairs.push({ name, value: valueOf(name, chance) })
  }
}

const BROWSER = ['P3DS_BROWSER_LANGUAGE', 'USER_AGENT_XTL', 'P3DS_BROWSER_HEADER']

/**
 * An enrolment, a final call or an outside result; a part of it may be missing, or another's be
 * there.
 */
function addThreeDs(pairs: Pair[], chance: Chance): void {
  const names = chance.pick([
    ['REQUEST_ENROLLMENT', 'DDC_REFERENCEID', 'P3DS_RETURN_URL', ...BROWSER],
    ['P3DS_PROCTRANSID', 'REQUEST_PARES'],
    ['P3DS_ECI', 'P3DS_CAVV', 'P3DS_TRANSID', 'P3DS_VERSION'],
  ])
  for (const name of names) {
    if (chance.happens(0.9)) pairs.push({ name, value: valueOf(name, chance) })
  }
}

function chooseOrder(chance: Chance, site: Site, known: KnownIds): string {
  const kind = chance.next()
  const own = known.orders.get(merchantOf(String(site))) ?? []
  const others = known.orders.get(site === 1002 ? 'demo' : 'other') ?? []
  if (kind < 0.8) return pickOr(chance, own) ?? '1'
  if (kind < 0.9) return pickOr(chance, others) ?? '2'
  return chance.pick(['0', '1', '999999999999999999', '9223372036854775807', '-1', '1.0', ' 1'])
}

function pickOr(chance: Chance, from: readonly string[]): string | null {
  return from.length === 0 ? null : chance.pick(from)
}

function valueOf(name: string, chance: Chance): string {
  const parameter = BY_NAME.get(name)
  if (parameter === undefined) throw new Error(`There is no parameter ${name}.`)
  const kind = chance.next()
  if (kind < 0.94) return validValue(parameter, chance)
  return kind < 0.98 ? almostValidValue(parameter, chance) : absurdValue(chance)
}

/** Any parameter of the interface with a value that is right, nearly right or absurd. */
function morePair(chance: Chance): Pair {
  const parameter: Parameter = chance.pick(PARAMETERS)
  const name = parameter.name.replace(
    /_n$/,
    () => `_${chance.pick(['1', '1', '1', '1', '2', '0', '01', '100', '99'])}`,
  )
  const alias =
    parameter.aliases.length > 0 && chance.happens(0.3) ? chance.pick(parameter.aliases) : name
  const kind = chance.next()
  const value =
    kind < 0.85
      ? validValue(parameter, chance)
      : kind < 0.95
        ? almostValidValue(parameter, chance)
        : absurdValue(chance)
  return { name: chance.happens(0.2) ? alias.toLowerCase() : alias, value }
}

/** Wrong escapes, bytes that are no UTF-8, NUL, and invalid pairs; sent unchanged. */
export const RAW_PAIRS: readonly Pair[] = [
  ['XTL_UDF01', '%'],
  ['XTL_UDF01', '%4'],
  ['XTL_UDF01', '%zz'],
  ['XTL_UDF01', '%u0041'],
  ['XTL_UDF01', '%00'],
  ['XTL_UDF01', 'a\u0000b'],
  ['XTL_UDF01', '%ff%fe'],
  ['XTL_UDF01', '\u00ff'],
  ['XTL_UDF01', '%c0%80'],
  ['XTL_UDF01', '%ed%a0%80'],
  ['XTL_UDF01', '%f4%90%80%80'],
  ['XTL_UDF01', '%ed%b0%80%ed%a0%80'],
  ['XTL_UDF01', '%ef%bf%bf'],
  ['XTL_UDF01', '%e2%80%ae'],
  ['%ff', 'x'],
  ['%00', 'x'],
  ['%', 'x'],
  ['', 'x'],
  ['', ''],
  ['+', '+'],
  ['XTL_UDF01%20', 'x'],
  ['__proto__', 'x'],
  ['a[b]', 'x'],
  ['LI_VALUE_1%00', '1.00'],
  ['LI_VALUE_9999999999999999', '1'],
  ['li_value_1', '2.00'],
  ['LI_VALUE_1', '1.00=1.00'],
  ['xtl_udf01', '\r\n'],
].map(([name = '', value = '']) => ({ name, value, raw: true }))

function damage(pairs: readonly Pair[], chance: Chance): Pair[] {
  const at = chance.between(0, pairs.length - 1)
  const pair = pairs[at]
  if (pair === undefined) return [...pairs]
  const replaced = (other: Pair): Pair[] => [...pairs.slice(0, at), other, ...pairs.slice(at + 1)]
  // A wrong password costs a slow hash, so it is rarer than the rest.
  const isSecret = pair.name.startsWith('REQ_') && chance.happens(0.8)
  switch (isSecret ? chance.between(4, 6) : chance.between(0, 8)) {
    case 0:
      return [...pairs.slice(0, at), ...pairs.slice(at + 1)]
    case 1:
      return [...pairs, pair]
    case 2:
      return replaced({ ...pair, value: absurdValue(chance) })
    case 3: {
      const parameter = BY_NAME.get(pair.name.replace(/_\d+$/, '_n'))
      return parameter === undefined
        ? [...pairs]
        : replaced({ ...pair, value: almostValidValue(parameter, chance) })
    }
    case 4:
      return replaced({ ...pair, name: pair.name.toLowerCase() })
    case 5:
      return [...pairs, chance.pick(RAW_PAIRS)]
    case 6:
      return [...pairs].reverse()
    case 7:
      return replaced({ ...pair, name: chance.pick(PARAMETERS).name })
    default: {
      if (chance.happens(0.8)) return [...pairs, chance.pick(RAW_PAIRS)]
      const count = chance.pick([999, 1_000, 1_001, 3_000])
      return [...pairs, ...Array.from({ length: count }, (_, n) => ({ name: `x${n}`, value: '' }))]
    }
  }
}

/** The body of a form as bytes. */
export function encodeForm(pairs: readonly Pair[]): Buffer {
  const written = pairs.map(({ name, value, raw }) =>
    raw === true ? `${name}=${value}` : `${escapeBytes(name)}=${escapeBytes(value)}`,
  )
  return Buffer.from(written.join('&'), 'latin1')
}

function escapeBytes(text: string): string {
  let out = ''
  for (const byte of Buffer.from(text)) {
    const sign = String.fromCharCode(byte)
    out += /[A-Za-z0-9._-]/.test(sign) ? sign : `%${byte.toString(16).padStart(2, '0')}`
  }
  return out
}

/** A whole HTTP request around a body. */
export function requestBytes(body: Buffer, contentType: string | null): Buffer {
  const head = [
    'POST /payment/pmt_service.cfm HTTP/1.1',
    'Host: localhost',
    ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body])
}
