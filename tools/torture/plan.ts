import type { Chance } from './chance.ts'

/** Kinds of harm to the stage, as the certificate counts them. */
export const HARMS = [
  'kill worker',
  'kill bank',
  'kill PostgreSQL',
  'kill PostgreSQL backend',
  'kill vault',
  'pause worker',
  'pause bank',
  'pause PostgreSQL',
  'pause vault',
  'cut link',
  'slow link',
] as const

export type HarmKind = (typeof HARMS)[number]

const WEIGHTS: Readonly<Record<HarmKind, number>> = {
  'kill worker': 36,
  'kill vault': 8,
  'kill bank': 20,
  'kill PostgreSQL': 4,
  'kill PostgreSQL backend': 8,
  'pause worker': 7,
  'pause bank': 6,
  'pause PostgreSQL': 4,
  'pause vault': 2,
  'cut link': 6,
  'slow link': 5,
}

export interface Harm {
  /** Milliseconds of work that come before it. */
  readonly afterMs: number
  readonly kind: HarmKind
  /** Which one, where there are several: 0 to 1, 1 excluded. */
  readonly which: number
  /** How long a pause or a fault of the link lasts. */
  readonly lastsMs: number
}

/** Everything that is done one after the other, without end, from the seed alone. */
export function* planHarms(chance: Chance): Generator<Harm> {
  for (;;) {
    yield {
      afterMs: chance.between(100, 550),
      kind: chance.weighted(WEIGHTS),
      which: chance.next(),
      // Some pauses are longer than the bank may take to answer.
      lastsMs: chance.happens(0.25) ? chance.between(1_200, 2_500) : chance.between(50, 700),
    }
  }
}
