import type { Books } from '../books/books.ts'
import type { DisputeCase } from '../books/dispute-note.ts'
import type { DisputeAccount } from '../books/disputes.ts'
import type { Movement } from '../books/order.ts'
import { ControlRefusal } from '../control/control-request.ts'
import { addDays } from '../settlement/bank-days.ts'
import { brandOf, shortKey } from '../settlement/movement-lines.ts'
import { amountText } from '../settlement/settlement-text.ts'
import { disputeRow } from '../test-data/dispute-amounts.ts'
import type { RaisedCase } from '../test-data/dispute-amounts.ts'
import { openCase, toStage } from './case-steps.ts'
import type { Step } from './case-steps.ts'
import { disputableOf, findCapture } from './disputable.ts'
import type { Disputable, OrderName } from './disputable.ts'

/** The events with which a case can begin. */
export const RAISED = ['inquiry', 'fraud_report', 'chargeback', 'rapid_resolution'] as const

/** A request of the control API; a given amount has no limit. */
export interface RaiseRequest extends OrderName {
  readonly event: RaisedCase['event']
  /** Minor units of the order's currency; null for all that is left. */
  readonly minor: bigint | null
  /** Null for the code of fraud. */
  readonly reason: string | null
  /** An inquiry that becomes a chargeback; null for a new case. */
  readonly case: string | null
}

const FRAUD = { visa: '10.4', other: '4837' }

/** The first step of a new case, or the chargeback of an inquiry. Throws ControlRefusal. */
export function raiseStep(
  books: Books,
  account: DisputeAccount | undefined,
  request: RaiseRequest,
  day: string,
): Step {
  if (request.case !== null) return escalate(books, account, request, request.case, day)
  const { event, merchant, reason } = request
  const capture = findCapture(books, request)
  if (capture === null) {
    const name = request.order ?? `with DE 37 ${request.rrn}`
    throw new ControlRefusal(404, `Merchant ${merchant} has no captured order ${name}.`)
  }
  const left = disputableOf(books, merchant, capture.orderKey, null)
  const minor = request.minor ?? allOf(event, left, capture)
  const fresh = freshCase(capture, caseId(merchant, account?.cases.size ?? 0), minor)
  return openCase({ ...fresh, reason: reason ?? reasonOf(fresh.brand, FRAUD) }, event, day)
}

/**
 * The first steps of the cases of a disputed capture, by the amount of their row. None where
 * nothing of the order is left to dispute.
 */
export function planSteps(
  books: Books,
  merchant: string,
  key: string,
  amount: string,
  day: string,
): Step[] {
  const capture = books.find(key)
  if (capture?.kind !== 'capture') return []
  const left = disputableOf(books, merchant, capture.orderKey, null)?.left ?? 0n
  const known = books.disputes.find(merchant)?.cases.size ?? 0
  return (disputeRow(amount)?.raises ?? []).flatMap((raised, at) => {
    const part = capture.amount / raised.divisor
    const minor = part < left ? part : left
    if (minor <= 0n) return []
    const fresh = freshCase(capture, caseId(merchant, known + at), minor)
    const { chargebackAfterDays: days, event, reasons } = raised
    const chargebackOn = days === undefined ? '' : addDays(day, days)
    const reason = reasonOf(fresh.brand, reasons)
    return [openCase({ ...fresh, reason, chargebackOn }, event, day)]
  })
}

function escalate(
  books: Books,
  account: DisputeAccount | undefined,
  { event, merchant, minor, order, reason, rrn }: RaiseRequest,
  id: string,
  day: string,
): Step {
  const inquiry = account?.cases.get(id)
  const isOrder = order === null || shortKey(inquiry?.order ?? '') === shortKey(order)
  if (inquiry === undefined || !isOrder || (rrn !== null && inquiry.rrn !== rrn)) {
    throw new ControlRefusal(404, `Merchant ${merchant} has no case ${id} of this order.`)
  }
  if (event !== 'chargeback' || inquiry.stage !== 'inquiry') {
    throw new ControlRefusal(
      409,
      `The case ${id} is at ${inquiry.stage} and cannot become ${event}. Only an inquiry can ` +
        'become a chargeback; leave case out for a new one.',
    )
  }
  const left = disputableOf(books, merchant, inquiry.order, id)
  const isTooMuch = left !== null && left.left < BigInt(inquiry.minor)
  const asked = minor ?? (isTooMuch ? whatIsLeft(left, inquiry.currency) : BigInt(inquiry.minor))
  const changed = { ...inquiry, minor: String(asked), reason: reason ?? inquiry.reason }
  return toStage(changed, 'chargeback', day)
}

/** The whole amount of a new case. A fraud report may stand beside a dispute. */
function allOf(event: RaisedCase['event'], left: Disputable | null, capture: Movement): bigint {
  const isReport = event === 'fraud_report'
  return whatIsLeft(
    isReport && left !== null ? { ...left, left: left.captured - left.refunded } : left,
    capture.balance.currency,
  )
}

function whatIsLeft(left: Disputable | null, currency: string): bigint {
  if (left !== null && left.left > 0n) return left.left
  const amount = (minor = 0n) => amountText(minor, currency)
  throw new ControlRefusal(
    409,
    `Nothing of the order is left to dispute: ${amount(left?.captured)} are captured, ` +
      `${amount(left?.refunded)} refunded and ${amount(left?.disputed)} disputed. State minor to ` +
      'dispute more on purpose.',
  )
}

function freshCase(capture: Movement, id: string, minor: bigint): DisputeCase {
  const { balance, key, order, orderKey, rrn } = capture
  return {
    id,
    order: orderKey,
    capture: key,
    rrn,
    brand: brandOf(capture),
    reason: '',
    currency: balance.currency,
    minor: String(minor),
    conversion: order?.conversion ?? '',
    stage: 'inquiry',
    due: '',
    answered: null,
    chargebackOn: '',
    moved: '0',
  }
}

/** The id of the next case; no other case of the bank ever has it. */
function caseId(merchant: string, known: number): string {
  return `C-${merchant}-${known + 1}`
}

function reasonOf(brand: string, reasons: RaisedCase['reasons']): string {
  return brand === 'visa' ? reasons.visa : reasons.other
}
