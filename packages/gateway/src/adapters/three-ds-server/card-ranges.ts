import { MESSAGE_VERSIONS, type MessageVersion } from '../../domain/three-ds/trans-status.ts'
import type { RangeList, StoredCardRange } from '../../usecases/three-ds/card-range-store.ts'
import { ProtocolFault, type Message } from './protocol-fault.ts'

interface Span {
  readonly first: string
  readonly last: string
  readonly range: StoredCardRange
}

/** The ranges of one Directory Server, for looking numbers up. */
export interface RangeIndex {
  readonly count: number
  find(pan: string): StoredCardRange | null
  /** Ranges that numbers with these first digits can be in. */
  startingWith(digits: string): StoredCardRange[]
}

/** Ranges by the length of their numbers, sorted. They must not overlap. */
export function indexRanges(ranges: readonly StoredCardRange[]): RangeIndex {
  const byLength = new Map<number, Span[]>()
  for (const range of ranges) {
    const spans = byLength.get(range.start.length) ?? []
    spans.push({ first: range.start, last: range.end, range })
    byLength.set(range.start.length, spans)
  }
  for (const spans of byLength.values())
    spans.sort((left, right) => compare(left.first, right.first))
  return {
    count: ranges.length,
    find(pan) {
      const spans = byLength.get(pan.length) ?? []
      const span = spans[lastStartingBy(spans, pan)]
      return span !== undefined && pan <= span.last ? span.range : null
    },
    startingWith(digits) {
      return [...byLength].flatMap(([length, spans]) => {
        const lowest = digits.padEnd(length, '0')
        const highest = digits.padEnd(length, '9')
        const found: StoredCardRange[] = []
        for (let at = lastStartingBy(spans, highest); at >= 0; at -= 1) {
          const span = spans[at]
          if (span === undefined || span.last < lowest) break
          found.push(span.range)
        }
        return found
      })
    },
  }
}

/**
 * The place of the last span that starts at or before a number of the same length; -1 when none
 * does.
 */
function lastStartingBy(spans: readonly Span[], pan: string): number {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.first ?? '') <= pan) low = middle + 1
    else high = middle
  }
  return low - 1
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * The list after a PRes. If `before` is null or the PReq had no serial number, everything is
 * replaced, and the stated action of each range is ignored. Throws ProtocolFault 203 for an invalid
 * batch: a range ends before it starts, overlaps another, or should be there and is not.
 */
export function applyBatch(before: RangeList | null, pres: Message): RangeList {
  const batch = (pres['cardRangeData'] ?? []) as readonly Message[]
  const ranges = new Map((before?.ranges ?? []).map((range) => [keyOf(range), range]))
  for (const item of batch) {
    const range = rangeOf(item)
    if (range.start.length !== range.end.length || range.start > range.end) throw refused()
    const key = keyOf(range)
    const action = before === null ? 'A' : (item['actionInd'] ?? 'A')
    if (action !== 'A' && !ranges.has(key)) throw refused()
    if (action === 'A' && ranges.has(key) && before === null) throw refused()
    if (action === 'D') ranges.delete(key)
    else ranges.set(key, range)
  }
  const list = [...ranges.values()]
  if (overlap(list)) throw refused()
  return {
    ranges: list,
    serialNum: textOf(pres, 'serialNum'),
    dsFrom: textOf(pres, 'dsStartProtocolVersion') ?? MESSAGE_VERSIONS[0],
    dsTo: textOf(pres, 'dsEndProtocolVersion'),
  }
}

function refused(): ProtocolFault {
  return new ProtocolFault('203', 'cardRangeData')
}

function overlap(ranges: readonly StoredCardRange[]): boolean {
  const sorted = ranges.toSorted(
    (left, right) => left.start.length - right.start.length || compare(left.start, right.start),
  )
  return sorted.some((range, at) => {
    const next = sorted[at + 1]
    return next !== undefined && next.start.length === range.start.length && next.start <= range.end
  })
}

function rangeOf(item: Message): StoredCardRange {
  return {
    start: String(item['startRange']),
    end: String(item['endRange']),
    acsFrom: String(item['acsStartProtocolVersion']),
    acsTo: String(item['acsEndProtocolVersion']),
    methodUrl: textOf(item, 'threeDSMethodURL'),
  }
}

const keyOf = ({ start, end }: StoredCardRange): string => `${start}-${end}`

function textOf(message: Message, name: string): string | null {
  const value = Object.hasOwn(message, name) ? message[name] : undefined
  return typeof value === 'string' ? value : null
}

/**
 * The highest version of ours within all of these spans (`to` null: no limit); null when none is.
 */
export function commonVersion(
  spans: readonly { readonly from: string; readonly to: string | null }[],
): MessageVersion | null {
  const fits = (version: string): boolean =>
    spans.every(
      ({ from, to }) =>
        order(from) <= order(version) && (to === null || order(version) <= order(to)),
    )
  return MESSAGE_VERSIONS.toReversed().find(fits) ?? null
}

/** A version such as 2.10.1 as one number. */
function order(version: string): number {
  return version.split('.').reduce((sum, part) => sum * 1_000 + Number(part), 0)
}
