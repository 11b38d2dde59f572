import type { Parameter } from '../../packages/gateway/src/http/payment/parameters.ts'
import type { Chance } from '../torture/chance.ts'

/** Public test numbers: of unlimited money, with an address, prepaid, and one of no brand. */
const CARDS = [
  '4111111111111111',
  '5555555555554444',
  '4012889000000012',
  '378282246310005',
  '9999999999999995',
] as const

const DIGITS = [...'0123456789']
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz']
const PRINTABLES = [...DIGITS, ...LETTERS, ...' !"#$%&\'()*+,-./:;<=>?@[]^_{|}~éß漢字😀']

/** Amounts on purpose: everyday ones, and at times one that makes the bank misbehave. */
const FAULT_AMOUNTS = ['9000.05', '9100.03', '9101.00', '9102.01', '9103.00', '9104.00', '9107.00']

function text(chance: Chance, signs: readonly string[], length: number): string {
  return Array.from({ length }, () => chance.pick(signs)).join('')
}

/** A value that the parameter's check lets through. */
export function validValue(parameter: Parameter, chance: Chance): string {
  const { kind, values } = parameter
  if (values !== null) return chance.pick(values)
  const min = Math.max(parameter.min, 1)
  const length = chance.between(min, Math.max(min, Math.min(parameter.max, 24)))
  switch (kind) {
    case 'text':
      return text(chance, PRINTABLES, length)
    case 'printable':
      return text(chance, PRINTABLES, length)
    case 'unbroken':
      return text(
        chance,
        PRINTABLES.filter((sign) => sign !== ' '),
        length,
      )
    case 'digits':
      return text(chance, DIGITS, length)
    case 'amount':
      if (chance.happens(0.03)) return chance.pick(FAULT_AMOUNTS)
      return (chance.between(1, 20_000) / 100).toFixed(2)
    case 'letters':
      return text(chance, LETTERS, length)
    case 'phone':
      return text(chance, [...DIGITS, ...'+().- '], length)
    case 'date':
      return `0${chance.between(1, 9)}-1${chance.between(0, 9)}-19${chance.between(10, 99)}`
    case 'card_number':
      return chance.pick(CARDS)
    case 'expiry':
      return chance.pick(['122040', '12/2040', '012031', '112020'])
    case 'password':
      return `Aa1${text(chance, PRINTABLES, chance.between(7, 20))}`
    case 'count':
      return String(chance.between(1, 99))
    case 'wait':
      return String(chance.between(30, 600))
    case 'period':
      return String(chance.between(1, 9999))
    case 'minutes':
      return String(chance.between(-840, 840))
    case 'address':
      return `https://shop.example/${text(chance, LETTERS, length)}`
    case 'cavv':
      return `${text(chance, [...DIGITS, ...LETTERS, '+', '/'], 27)}=`
  }
}

/** A value with one thing about it that is not as it should be, or only just is. */
export function almostValidValue(parameter: Parameter, chance: Chance): string {
  const value = validValue(parameter, chance)
  const at = chance.between(0, value.length)
  const changes: readonly (() => string)[] = [
    () => '',
    () => value.slice(0, -1),
    () => text(chance, PRINTABLES, parameter.max + 1),
    () => value.padEnd(parameter.max, '1'),
    () => value.padEnd(parameter.max + 1, '1'),
    () => '9'.repeat(Math.min(parameter.max, 400)),
    () => `${value} `,
    () => ` ${value}`,
    () => `-${value}`,
    () => `+${value}`,
    () => value.slice(0, at) + chance.pick(ODD_SIGNS) + value.slice(at),
    () => value.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    () => value.replace('.', ','),
    () => `${value}.`,
    () => `.${value}`,
    () => `${value}1`,
    () => value.toLowerCase(),
    () => `0${value}`,
    () => '0',
    () => '0.00',
    () => '1e2',
    () => '0x10',
    () => value + value,
  ]
  return chance.pick(changes)()
}

const ODD_SIGNS = [
  '\t',
  '\r',
  '\n',
  '\u0001',
  '\u007f',
  '\u0085',
  '\u00a0',
  '\u00ad',
  '\u200b',
  '\u202e',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\ufffe',
  '\uffff',
  '\u0301',
  '😀',
  '\u{10ffff}',
  '<',
  '&',
  '"',
  '|',
  '=',
  '%',
]

const ABSURD: readonly string[] = [
  ']]>',
  '<![CDATA[x]]>',
  '<!DOCTYPE a [<!ENTITY b "c">]>&b;',
  '&#0;',
  '&#x1F;',
  '</RESPONSE>',
  '||TRANS_STATUS_NAME=APPROVED',
  '|',
  '||',
  'a|\r\n|b',
  'x"},{"API_RESPONSE":"0',
  '\\u0000',
  '\\',
  '\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK',
  '\u2028\u2029',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  "'; drop table orders; --",
  '${7*7}',
  '{{7*7}}',
  '%n%s',
  '../../etc',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '9007199254740993',
  '9223372036854775808',
  '-1',
  'null',
  'undefined',
  'true',
  '[object Object]',
  '{}',
  '[]',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
]

/** An absurd value: markup, separators, commands, numbers past every end, sheer length. */
export function absurdValue(chance: Chance): string {
  const kind = chance.between(0, 5)
  if (kind <= 2) return chance.pick(ABSURD)
  if (kind === 3) return text(chance, ODD_SIGNS, chance.between(1, 40))
  const sign = chance.pick(['9', 'A', '😀', ' ', '|', '<', '%', '\u0301'])
  return sign.repeat(chance.pick([100, 256, 1_000, 2_049, 8_000]))
}
