import {
  answerTo,
  encodeAdditionalAmounts,
  encodeAmount,
  encodeOriginalData,
} from '../src/index.ts'
import { encodePrivateData, encodeReplacementAmount, repeatMti } from '../src/index.ts'
import type { IsoMessage } from '../src/index.ts'
import { between, seededRandom } from './support.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const PRINTABLES = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join(
  '',
)

type Random = () => number

/** Messages as a gateway and a bank exchange them; the same seed gives the same ones. */
export function randomMessages(count: number, seed: number): IsoMessage[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => randomMessage(random))
}

function randomMessage(random: Random): IsoMessage {
  const request = pick(random, [authorization, authorization, advice, reversal, management])(random)
  if (random() < 0.4) return answer(request, random)
  return random() < 0.2 && request.mti !== '0100'
    ? { ...request, mti: repeatMti(request.mti) }
    : request
}

function identity(random: Random): Record<number, string> {
  return {
    7: digits(random, 10),
    11: digits(random, 6),
    32: pick(random, ['1', '400001', '98765432101']),
    41: text(random, LETTERS, 8, 8),
  }
}

function authorization(random: Random): IsoMessage {
  const fields: Record<number, string> = {
    ...identity(random),
    2: digits(random, between(random, 12, 19)),
    3: pick(random, ['000000', '330000', '200000']),
    4: encodeAmount(BigInt(between(random, 0, 2 ** 36))),
    12: digits(random, 6),
    13: digits(random, 4),
    18: digits(random, 4),
    22: pick(random, ['812', '102']),
    25: pick(random, ['59', '08']),
    37: digits(random, 12),
    42: text(random, PRINTABLES, 15, 15),
    43: text(random, PRINTABLES, 40, 40),
    48: encodePrivateData({
      CP: '1',
      CV: digits(random, between(random, 3, 4)),
      EC: '07',
      OR: text(random, PRINTABLES, 1, 40),
    }),
    49: digits(random, 3),
  }
  if (random() < 0.8) fields[14] = digits(random, 4)
  if (random() < 0.5) fields[123] = digits(random, 9) + text(random, PRINTABLES, 0, 20)
  if (random() < 0.1) fields[random() < 0.5 ? 64 : 128] = text(random, '0123456789ABCDEF', 16, 16)
  return { mti: fields[3] === '200000' ? '0200' : '0100', fields }
}

function advice(random: Random): IsoMessage {
  const fields: Record<number, string> = {
    ...identity(random),
    3: pick(random, ['000000', '200000']),
    4: digits(random, 12),
    22: '812',
    25: '59',
    37: digits(random, 12),
    38: text(random, LETTERS, 6, 6),
    42: text(random, PRINTABLES, 15, 15),
    48: encodePrivateData({ SQ: digits(random, 2) }),
    49: digits(random, 3),
    90: originalData(random, '0100'),
  }
  if (fields[3] === '200000') fields[2] = digits(random, between(random, 12, 19))
  return { mti: '0220', fields }
}

function reversal(random: Random): IsoMessage {
  const fields: Record<number, string> = {
    ...identity(random),
    3: '000000',
    4: digits(random, 12),
    25: '59',
    37: digits(random, 12),
    42: text(random, PRINTABLES, 15, 15),
    48: encodePrivateData({ RR: pick(random, ['VD', 'TO', 'AV', 'CV', 'PA', 'EX']) }),
    49: digits(random, 3),
    90: originalData(random, pick(random, ['0100', '0200', '0220'])),
  }
  if (random() < 0.4) fields[95] = encodeReplacementAmount(BigInt(between(random, 1, 2 ** 36)))
  return { mti: '0420', fields }
}

function management(random: Random): IsoMessage {
  return { mti: '0800', fields: { ...identity(random), 70: pick(random, ['001', '002', '301']) } }
}

function answer(request: IsoMessage, random: Random): IsoMessage {
  if (request.mti !== '0100')
    return answerTo(request, { 39: pick(random, ['00', '21', '76', '58']) })
  const currency = request.fields[49] ?? ''
  const fields: Record<number, string> = {
    4: request.fields[4] ?? '',
    38: text(random, LETTERS, 6, 6),
    39: pick(random, ['00', '10', '51', '85']),
    44: pick(random, ['5YM2', '0N00', '5']),
    48: encodePrivateData({ MA: '03', NT: digits(random, 15), PR: 'CREDIT;VISA CLASSIC;CONSUMER' }),
  }
  if (fields[39] === '10') {
    const amount = { accountType: '00', currency, sign: 'C', amountMinor: 5_000n } as const
    fields[54] = encodeAdditionalAmounts([
      { ...amount, amountType: '57' },
      { ...amount, amountType: '02' },
    ])
  }
  if (random() < 0.2)
    Object.assign(fields, { 5: digits(random, 12), 9: digits(random, 8), 50: '978' })
  return answerTo(request, fields)
}

function originalData(random: Random, mti: string): string {
  return encodeOriginalData({
    mti,
    stan: digits(random, 6),
    transmissionTime: digits(random, 10),
    acquirerId: '400001',
  })
}

function digits(random: Random, length: number): string {
  return text(random, '0123456789', length, length)
}

function text(random: Random, characters: string, min: number, max: number): string {
  const length = between(random, min, max)
  return Array.from({ length }, () => characters[between(random, 0, characters.length - 1)]).join(
    '',
  )
}

function pick<Value>(random: Random, values: readonly [Value, ...Value[]]): Value {
  return values[between(random, 0, values.length - 1)] ?? values[0]
}
