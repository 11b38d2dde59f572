import type { Random } from './random.ts'

/**
 * The frequency of each fault, in percent of the occasions. With zero everywhere, nothing fails.
 */
export interface Weather {
  /** A step of the database: not taken, and the caller receives an error. */
  readonly stepFails: number
  /** Taken, and the caller receives an error all the same. */
  readonly stepAnswerLost: number
  /** The caller receives an error first, and then the step is taken. */
  readonly stepComesLate: number
  /** The answer of a step is there, but its process stands still for minutes. */
  readonly stalls: number
  /** The next id has to be fetched from the database. */
  readonly idsRunOut: number
  readonly crashes: number
  readonly mostCrashes: number
  readonly requestLost: number
  readonly answerLost: number
  /** A message or an answer is on its way for seconds or minutes. */
  readonly slow: number
  readonly twice: number
  readonly linkLost: number
  readonly bankBusy: number
  /** Seconds that the bank, or the database, is away for at a time; 0 for never. */
  readonly bankAwayS: number
  readonly databaseAwayS: number
  /** The clock jumps past the end of authorizations while requests are under way. */
  readonly clockJumps: number
}

export const FINE: Weather = {
  stepFails: 0,
  stepAnswerLost: 0,
  stepComesLate: 0,
  stalls: 0,
  idsRunOut: 0,
  crashes: 0,
  mostCrashes: 0,
  requestLost: 0,
  answerLost: 0,
  slow: 0,
  twice: 0,
  linkLost: 0,
  bankBusy: 0,
  bankAwayS: 0,
  databaseAwayS: 0,
  clockJumps: 0,
}

/** A schedule's weather: some of the faults at a time, because too many hide each other. */
export function drawWeather(random: Random): Weather {
  const database = random.chance(50)
  const network = random.chance(70)
  return {
    stepFails: database ? random.below(6) : 0,
    stepAnswerLost: database ? random.below(6) : 0,
    stepComesLate: database ? random.below(4) : 0,
    stalls: random.chance(30) ? random.between(1, 4) : 0,
    idsRunOut: random.chance(30) ? random.between(1, 5) : 0,
    crashes: random.chance(70) ? random.between(1, 6) : 0,
    mostCrashes: random.between(1, 4),
    requestLost: network ? random.below(20) : 0,
    answerLost: network ? random.below(20) : 0,
    slow: network ? random.below(20) : 0,
    twice: network ? random.below(25) : 0,
    linkLost: network ? random.below(10) : 0,
    bankBusy: network ? random.below(10) : 0,
    bankAwayS: random.chance(15) ? random.between(1, 90) : 0,
    databaseAwayS: random.chance(10) ? random.between(1, 10) : 0,
    clockJumps: random.chance(10) ? 100 : 0,
  }
}
