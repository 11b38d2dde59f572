import { BYPASSED_PAN, INSISTING_PANS, faultPan } from './cards.ts'
import type { Version } from './field-rule.ts'
import { VERSIONS } from './field-rule.ts'
import type { Message } from './protocol-error.ts'

/** A range of card numbers, with the versions and 3DS Method of its ACS. */
export interface CardRange {
  readonly startRange: string
  readonly endRange: string
  readonly from: Version
  readonly to: Version
  /** Whether there is a 3DS Method for it. */
  readonly hasMethod: boolean
}

const OLD = { from: '2.1.0', to: '2.1.0', hasMethod: true } as const
const BOTH = { from: '2.1.0', to: '2.2.0', hasMethod: true } as const
const NEW = { from: '2.2.0', to: '2.2.0', hasMethod: true } as const

type Manner = Pick<CardRange, 'from' | 'to' | 'hasMethod'>

function range(startRange: string, endRange: string, manner: Manner): CardRange {
  return { startRange, endRange, ...manner }
}

function oneCard(pan: string, manner: Manner): CardRange {
  return range(pan, pan, manner)
}

function rangesOf(front: string): CardRange[] {
  const hole = Number(BYPASSED_PAN.slice(-4))
  return [
    range(`${front}1000`, `${front}1999`, OLD),
    range(`${front}2000`, `${front}${hole - 1}`, BOTH),
    range(`${front}${hole + 1}`, `${front}2999`, BOTH),
    range(`${front}9020`, `${front}9999`, NEW),
  ]
}

/** Every range that a test card is in. */
const RANGES: readonly CardRange[] = [
  ...['400000000000', '520000000000', '34000000000', '601100000000'].flatMap(rangesOf),
  ...(['visa', 'mastercard', 'amex'] as const).flatMap((brand) => [
    oneCard(faultPan(brand, 0), OLD),
    oneCard(faultPan(brand, 1), { ...NEW, hasMethod: false }),
  ]),
  range('3338000000000000', '3338000000000999', BOTH),
  // Narrow, because public test numbers of these brands lie beside them.
  range('36000000000100', '36000000000199', BOTH),
  range('6200000000000100', '6200000000000199', BOTH),
  range('6304000000000100', '6304000000000199', BOTH),
  ...INSISTING_PANS.map((pan) => oneCard(pan, BOTH)),
]

/** Ranges without test cards, which the second batch changes, removes and adds. */
const CHANGED = range('4000000000003000', '4000000000003999', OLD)
const GONE = range('4000000000004000', '4000000000004999', BOTH)
const ADDED = range('4000000000005000', '4000000000005999', BOTH)

/** Serial numbers of the two batches. */
export const FIRST_SERIAL = '1'
export const LAST_SERIAL = '2'

/** The range of a card as the DS sees it, after both batches. */
export function findRange(pan: string): CardRange | null {
  const now = [...RANGES, { ...CHANGED, to: '2.2.0' as const }, ADDED]
  return (
    now.find(
      ({ endRange, startRange }) =>
        pan.length === startRange.length && pan >= startRange && pan <= endRange,
    ) ?? null
  )
}

/**
 * The elements of a PRes: the first batch without a serial number, the changes since then with the
 * first serial number, nothing with the second. Null for a serial number that was never issued.
 */
export function rangeElements(
  serialNum: string | undefined,
  version: Version,
  methodUrl: string,
): Message | null {
  const show = (found: CardRange, actionInd?: 'A' | 'D' | 'M'): Message => ({
    startRange: found.startRange,
    endRange: found.endRange,
    ...(actionInd === undefined ? {} : { actionInd }),
    acsStartProtocolVersion: found.from,
    acsEndProtocolVersion: found.to,
    ...(found.hasMethod ? { threeDSMethodURL: methodUrl } : {}),
    ...(version === '2.1.0' ? {} : { acsInfoInd: ['01', '02'] }),
  })
  const versions = {
    dsStartProtocolVersion: VERSIONS[0],
    dsEndProtocolVersion: VERSIONS[VERSIONS.length - 1],
  }
  switch (serialNum) {
    case undefined:
      return {
        serialNum: FIRST_SERIAL,
        ...versions,
        cardRangeData: [...RANGES, CHANGED, GONE].map((found) => show(found)),
      }
    case FIRST_SERIAL:
      return {
        serialNum: LAST_SERIAL,
        ...versions,
        cardRangeData: [show({ ...CHANGED, to: '2.2.0' }, 'M'), show(GONE, 'D'), show(ADDED, 'A')],
      }
    case LAST_SERIAL:
      return { serialNum: LAST_SERIAL, ...versions }
    default:
      return null
  }
}
