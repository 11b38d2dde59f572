import { Iso8583Error, messageKey } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import { delayOf, readTest } from '../issuer/bank-test.ts'
import type { BankTest } from '../issuer/bank-test.ts'
import type { FaultStep } from '../test-data/fault-amounts.ts'
import type { Fault } from './fault.ts'
import { readOriginalKey } from './read-request.ts'

/** Payments whose later messages a test concerns; the oldest are forgotten beyond it. */
const MOST_REMEMBERED = 10_000
const LATE_MS = 1_000
const OVERTAKEN_MS = 2_000
/** Codes of an advice that end it, and that the bank gives for what it has done. */
const DONE_CODES: ReadonlySet<string> = new Set(['00', '21', '25'])
const REFUSED_ADVICE = '76'

/**
 * The faults that messages ask for themselves, in tag TT. An advice is misled once: its repeats are
 * processed like any other, so that each test ends in agreement.
 */
export class TestFaults {
  /** By message key of the payment. Forgotten when the bank stops, as scripted faults are. */
  readonly #later = new Map<string, BankTest>()

  /**
   * The fault of a message; null for none. Undefined where no test concerns it, so that rules and
   * amounts may.
   */
  faultOf(message: IsoMessage, step: FaultStep): Fault | null | undefined {
    try {
      const test = readTest(message)
      if (step === 'request') {
        if (test === null) return undefined
        this.#remember(message, test)
        return linkFault(test)
      }
      if (step === 'reconciliation') return undefined
      const isRepeat = message.mti[3] === '1'
      if (test !== null) return isRepeat ? null : (linkFault(test) ?? adviceFault(test, step))
      return this.#laterFault(message, step, isRepeat)
    } catch (error) {
      // The host itself answers an unreadable message.
      if (error instanceof Iso8583Error) return null
      throw error
    }
  }

  #remember(message: IsoMessage, test: BankTest): void {
    if (test.reversal === undefined && test.settlement === undefined) return
    this.#later.set(messageKey(message), test)
    for (const oldest of this.#later.keys()) {
      if (this.#later.size <= MOST_REMEMBERED) break
      this.#later.delete(oldest)
    }
  }

  #laterFault(
    message: IsoMessage,
    step: Exclude<FaultStep, 'request' | 'reconciliation'>,
    isRepeat: boolean,
  ): Fault | undefined {
    if (this.#later.size === 0) return undefined
    const test = this.#later.get(readOriginalKey(message))
    if (step === 'capture' && test?.settlement !== undefined)
      return { kind: 'settlement_rejection' }
    if (step !== 'reversal' || test?.reversal === undefined || isRepeat) return undefined
    return codeFault(test.reversal)
  }
}

/** The fault of the link that a test asks for. */
function linkFault(test: BankTest): Fault | null {
  const delayMs = delayOf(test)
  switch (test.answer) {
    case 'lost':
      return { kind: 'silent', applied: true }
    case 'lost-unbooked':
      return { kind: 'silent', applied: false }
    case 'late':
      return { kind: 'late', delayMs: delayMs ?? LATE_MS }
    case 'held-back':
      return { kind: 'held_back', delayMs: delayMs ?? OVERTAKEN_MS }
    case 'overtaken':
      return { kind: 'late_start', delayMs: delayMs ?? OVERTAKEN_MS }
    case 'twice':
      return { kind: 'twice' }
    case 'closed':
      return { kind: 'close' }
    case 'torn':
      return { kind: 'torn' }
    case 'reset':
      return { kind: 'reset', others: 50 }
    case 'wrong-stan':
      return { kind: 'wrong_stan' }
    case 'wrong-amount':
      return { kind: 'wrong_amount' }
    case 'wrong-bitmap':
      return { kind: 'wrong_bitmap' }
    default:
      if (test.issuer !== undefined) return { kind: 'stand_in', approves: test.issuer !== 'down' }
      return delayMs === null ? null : { kind: 'slow', delayMs }
  }
}

/** The code with which a test has an advice answered. A fault of the link comes before it. */
function adviceFault(
  test: BankTest,
  step: Exclude<FaultStep, 'request' | 'reconciliation'>,
): Fault | null {
  if (step === 'capture' && test.settlement !== undefined) return { kind: 'settlement_rejection' }
  if (test.refund !== undefined) return codeFault(REFUSED_ADVICE)
  return test.de39 === undefined ? null : codeFault(test.de39)
}

function codeFault(code: string): Fault {
  return { kind: 'code', code, applied: DONE_CODES.has(code) }
}
