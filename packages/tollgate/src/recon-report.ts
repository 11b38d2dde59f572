import {
  findCurrency,
  formatMinor,
  howOften,
  UNKNOWN_ORDER,
  type AdviceFacts,
  type CurrencyTotals,
  type Difference,
  type DifferenceReason,
  type NotedReconciliation,
  type OrderFigures,
  type OrderInBooks,
  type Reconciliation,
} from '@tollgate/gateway/books'
import { adviceForLostOperations, adviceForLostOrder } from './recon-advice.ts'

/** A page has room for so many; `--json` has them all. */
const MOST_SHOWN = 100

/** The result of a full run, or of one that goes on from another. */
type Found = Reconciliation & Partial<Pick<NotedReconciliation, 'sinceLast'>>

/** The report for a person: totals by currency, then each difference with its reasons. */
export function describeReconciliation(found: Found): string {
  const { differences, totals } = found
  const shown = differences.slice(0, MOST_SHOWN)
  const more = differences.length - shown.length
  const count = differences.length
  const end =
    count === 0
      ? `Gateway, ledger and bank agree about every one of ${found.orders} orders.`
      : `${count} of ${found.orders} orders ${count === 1 ? 'differs' : 'differ'}.`
  return [
    ...totals.flatMap(describeTotals),
    ...shown.flatMap(describeDifference),
    ...(more > 0 ? [`${more} more orders differ; --json lists all.`, ''] : []),
    end,
    ...describeLeftOut(found),
    '',
  ].join('\n')
}

function describeLeftOut({ orders, sinceLast = null }: Found): string[] {
  if (sinceLast === null) return []
  const compared = `${orders} ${orders === 1 ? 'order' : 'orders'}`
  return [
    `Compared ${compared} that may have changed since the run of ${sinceLast.since.toISOString()}.`,
    'A full run finds what this one cannot see: older orders that were changed by hand or by a',
    'disk. The totals are those of the compared orders.',
    'Run "tollgate recon" without --since-last once a week.',
  ]
}

/**
 * The report for a program, one JSON object. Amounts are minor units as decimal text. `nextSteps`
 * of a difference are the sentences of the page.
 */
export function reconciliationJson(found: Found): string {
  const differences = found.differences.map((each) => ({
    ...each,
    nextSteps: nextStepsOf(each.order, each.reasons),
  }))
  const { sinceLast = null, ...books } = found
  const report = {
    agrees: differences.length === 0,
    ...books,
    differences,
    ...(sinceLast === null ? {} : { sinceLast }),
  }
  const asText = (_: string, value: unknown): unknown =>
    typeof value === 'bigint' ? String(value) : value
  return `${JSON.stringify(report, asText)}\n`
}

function describeTotals({ currency, orders, gateway, ledger, bank }: CurrencyTotals): string[] {
  return [
    `${currency}, ${orders} ${orders === 1 ? 'order' : 'orders'}`,
    describeFigures('gateway', gateway, currency),
    describeFigures('ledger', ledger, currency),
    describeFigures('bank', bank, currency),
    '',
  ]
}

function describeDifference({ order, reasons }: Difference): string[] {
  const { bank, bankCurrency, bankKey, currency, gateway, ledger, orderId } = order
  const name = orderId === null ? `Bank order ${bankKey}` : `Order ${orderId}`
  return [
    currency === '' ? name : `${name}, ${currency}`,
    describeFigures('gateway', gateway, currency),
    describeFigures('ledger', ledger, currency),
    describeFigures('bank', bank, bankCurrency ?? currency),
    ...reasons.map((reason) => `  ${describeReason(reason, currency, bankCurrency)}`),
    ...nextStepsOf(order, reasons).map((line) => `  ${line}`),
    '',
  ]
}

/** The next steps for money that the bank has and the gateway does not, as after a restore. */
function nextStepsOf(order: OrderInBooks, reasons: readonly DifferenceReason[]): readonly string[] {
  const { bank, bankCurrency, currency } = order
  const kinds = new Set(reasons.map(({ kind }) => kind))
  const amount = (minor: bigint): string =>
    `${amountText(minor, bankCurrency ?? currency)} ${bankCurrency ?? currency}`
  if (kinds.has('unknown_to_gateway') && bank !== null) return [adviceForLostOrder(bank, amount)]
  return kinds.has('unexplained') ? adviceForLostOperations(order, amount) : []
}

function describeFigures(book: string, figures: OrderFigures | null, currency: string): string {
  const label = `  ${book.padEnd(8)}`
  if (figures === null) return `${label}  nothing`
  const { approvedMinor, capturedMinor, refundedMinor } = figures
  const column = (name: string, minor: bigint): string =>
    `  ${name} ${amountText(minor, currency).padStart(14)}`
  return (
    label +
    column('approved', approvedMinor) +
    column('captured', capturedMinor) +
    column('refunded', refundedMinor)
  )
}

function describeReason(
  reason: DifferenceReason,
  currency: string,
  bankCurrency: string | null,
): string {
  switch (reason.kind) {
    case 'unknown_to_gateway':
    case 'unknown_to_bank':
      return UNKNOWN_ORDER[reason.kind]
    case 'ledger_differs':
      return 'The ledger and the order disagree; run "tollgate verify".'
    case 'currency_differs':
      return `The bank has this order in ${bankCurrency}, the gateway in ${currency}.`
    case 'transaction_running':
      return `Its transaction is still running, for ${describeAge(reason.ageMs)}.`
    case 'advice_queued':
    case 'reversal_pending':
      return `${describeAdvice(reason.advice, currency)} ${describeWait(reason.advice)}.`
    case 'advice_refused':
      return (
        `${describeAdvice(reason.advice, currency)}, queued ` +
        `${describeAge(reason.advice.ageMs)} ago, was refused by the bank with code ${reason.advice.responseCode}.`
      )
    case 'unexplained':
      return 'No queued advice or running transaction explains it.'
  }
}

function describeAdvice({ sequence, kind, amountMinor }: AdviceFacts, currency: string): string {
  return `Advice ${sequence} (${kind} of ${amountText(amountMinor, currency)})`
}

function describeWait({ ageMs, tries }: AdviceFacts): string {
  return `has waited ${describeAge(ageMs)} for the bank, sent ${howOften(tries)}`
}

/** '3 s', '5 min', '2 h', '4 days': one unit is enough to know whom to call. */
export function describeAge(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

function amountText(minor: bigint, code: string): string {
  const currency = findCurrency(code)
  return currency === null ? `${minor} minor` : formatMinor(minor, currency)
}
