import { adviceInvariants } from './advice-invariants.ts'
import { depositInvariants } from './deposit-invariants.ts'
import { disputeInvariants } from './dispute-invariants.ts'
import { eventInvariants } from './event-invariants.ts'
import { feeInvariants } from './fee-invariants.ts'
import { idInvariants } from './id-invariants.ts'
import type { Invariant } from './invariant.ts'
import { ledgerInvariants } from './ledger-invariants.ts'
import { mailInvariants } from './mail-invariants.ts'
import { membershipInvariants } from './membership-invariants.ts'
import { moneyInvariants } from './money-invariants.ts'
import { recordInvariants } from './record-invariants.ts'
import { settlementInvariants } from './settlement-invariants.ts'
import { threeDsInvariants } from './three-ds-invariants.ts'

/** Every invariant, in the sequence in which it is checked. */
export const INVARIANTS: readonly Invariant[] = [
  ...moneyInvariants,
  ...ledgerInvariants,
  ...settlementInvariants,
  ...depositInvariants,
  ...disputeInvariants,
  ...recordInvariants,
  ...adviceInvariants,
  ...feeInvariants,
  ...idInvariants,
  ...threeDsInvariants,
  ...membershipInvariants,
  ...eventInvariants,
  ...mailInvariants,
]
