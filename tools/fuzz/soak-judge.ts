/** One figure of one process, sampled at equal distances over a whole soak. */
export interface Series {
  readonly name: string
  readonly values: readonly number[]
  /** The growth that is allowed for any size: a connection more is no leak. */
  readonly slack: number
  /**
   * The size that it may keep, at each sample; 0 for a flat series. The bank keeps its books in
   * memory, so that it grows with each order.
   */
  readonly due?: readonly number[]
}

export interface Judgement {
  readonly name: string
  /** Medians of the thirds: warm-up, middle, last. */
  readonly thirds: readonly [number, number, number]
  readonly isFlat: boolean
}

/** The last third may be above the middle one by this part of it. */
export const GROWTH_MAX = 0.1
/** Fewer samples decide nothing. */
export const SAMPLES_MIN = 9

/**
 * The first third is for warming up. A series is flat when its last third exceeds the middle third
 * by at most a tenth and the slack. Medians are compared, after the size that it may keep is taken
 * off. Throws on a series that is too short to judge.
 */
export function judge({ name, values, slack, due }: Series): Judgement {
  if (values.length < SAMPLES_MIN) {
    throw new Error(`${name} has ${values.length} samples, and ${SAMPLES_MIN} are needed at least.`)
  }
  const third = Math.floor(values.length / 3)
  const parts = (list: readonly number[]): [number, number, number] => [
    median(list.slice(0, third)),
    median(list.slice(third, 2 * third)),
    median(list.slice(2 * third)),
  ]
  const thirds = parts(values)
  const [, middle, last] = thirds
  const [, dueMiddle, dueLast] = due === undefined ? [0, 0, 0] : parts(due)
  return { name, thirds, isFlat: last - (dueLast - dueMiddle) <= middle * (1 + GROWTH_MAX) + slack }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}
