/** The names of the write-ahead log in a store begin so. */
export const LOG = 'log/'

const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/
const HISTORY = /^([0-9A-F]{8})\.history$/
const LOG_BYTES = 0x1_0000_0000

/** A segment of the write-ahead log. `number` counts from the log's first byte. */
export interface Segment {
  readonly timeline: number
  readonly number: number
}

/** Null for a name that is not of a segment. */
export function readSegment(name: string, segmentBytes: number): Segment | null {
  const [, timeline, high, low] = SEGMENT.exec(name) ?? []
  if (timeline === undefined || high === undefined || low === undefined) return null
  const perLog = LOG_BYTES / segmentBytes
  return { timeline: hex(timeline), number: hex(high) * perLog + hex(low) }
}

export function segmentName({ number, timeline }: Segment, segmentBytes: number): string {
  const perLog = LOG_BYTES / segmentBytes
  return [timeline, Math.floor(number / perLog), number % perLog].map(digits).join('')
}

/** The timeline that a history file describes; null for another name. */
export function historyTimeline(name: string): number | null {
  const [, timeline] = HISTORY.exec(name) ?? []
  return timeline === undefined ? null : hex(timeline)
}

export function historyName(timeline: number): string {
  return `${digits(timeline)}.history`
}

/** A stretch of the log: from its first segment on, it is on this timeline. */
export interface Stretch {
  readonly timeline: number
  readonly from: number
}

/**
 * The timelines that lead to one, oldest first.
 * @param history the content of its history file: a line for each ancestor, with the position at
 * which the next one begins
 */
export function readHistory(history: string, timeline: number, segmentBytes: number): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0
  for (const line of history.split('\n')) {
    const [, ancestor, high, low] = /^\s*(\d+)\s+([0-9A-F]+)\/([0-9A-F]+)/i.exec(line) ?? []
    if (ancestor === undefined || high === undefined || low === undefined) continue
    stretches.push({ timeline: Number(ancestor), from })
    from = Math.floor((hex(high) * LOG_BYTES + hex(low)) / segmentBytes)
  }
  return [...stretches, { timeline, from }]
}

/** The part of the log that a recovery can read. */
export interface LogReach {
  /** The last segment without a gap before it; null where the first one is missing. */
  readonly last: Segment | null
  /** The missing segment that later ones follow; null for none. */
  readonly gap: Segment | null
}

/** Follows the log from a segment on, over the timelines that lead to the latest one. */
export function followLog(
  names: ReadonlySet<string>,
  first: Segment,
  stretches: readonly Stretch[],
  segmentBytes: number,
): LogReach {
  const newest = Math.max(
    ...[...names].map((name) => readSegment(name, segmentBytes)?.number ?? -1),
    -1,
  )
  let last: Segment | null = null
  for (let number = first.number; number <= newest; number += 1) {
    const found = choices(number, first.timeline, stretches).find((segment) =>
      names.has(segmentName(segment, segmentBytes)),
    )
    if (found === undefined) return { last, gap: gapAt(number, newest) }
    last = found
  }
  return { last, gap: null }

  /** Segments beyond the fork of an abandoned timeline are no gap. */
  function gapAt(number: number, end: number): Segment | null {
    const [wanted = first] = choices(number, first.timeline, stretches)
    for (let later = number + 1; later <= end; later += 1) {
      const name = segmentName({ timeline: wanted.timeline, number: later }, segmentBytes)
      if (names.has(name)) return { timeline: wanted.timeline, number }
    }
    return number === first.number ? first : null
  }
}

/**
 * The segments of this number that a recovery tries: of the newest timeline first. The segment of
 * a fork may be on both timelines; the ones behind it are on the newer one only.
 */
function choices(number: number, oldest: number, stretches: readonly Stretch[]): Segment[] {
  return stretches
    .filter(({ from, timeline }, at) => {
      const end = stretches[at + 1]?.from ?? Number.POSITIVE_INFINITY
      return from <= number && number <= end && timeline >= oldest
    })
    .toReversed()
    .map(({ timeline }) => ({ timeline, number }))
}

function hex(text: string): number {
  return Number.parseInt(text, 16)
}

function digits(value: number): string {
  return value.toString(16).toUpperCase().padStart(8, '0')
}
