import { adviceInvariants } from './advice-invariants.ts'
import { ledgerInvariants } from './ledger-invariants.ts'
import { membershipInvariants } from './membership-invariants.ts'
import { moneyInvariants } from './money-invariants.ts'
import { recordInvariants } from './record-invariants.ts'
import { threeDsInvariants } from './three-ds-invariants.ts'

/** Something that holds in the database at every moment, whatever runs. */
export interface Invariant {
  readonly name: string
  /** What holds, as a sentence. */
  readonly sentence: string
  /** A query that gives a row for each breach, its id first. One statement, so one moment. */
  readonly sql: string
  /** A breach is worth a look, and no fault yet. */
  readonly isWarning?: boolean
  /** The query's `$1` is how long, in milliseconds, a transaction may run. */
  readonly takesLongestRun?: boolean
}

/** Every invariant, in the sequence in which it is checked. */
export const INVARIANTS: readonly Invariant[] = [
  ...moneyInvariants,
  ...ledgerInvariants,
  ...recordInvariants,
  ...adviceInvariants,
  ...threeDsInvariants,
  ...membershipInvariants,
]
