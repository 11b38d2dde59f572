import type { DisputeView, NoticeImport, RatioView, WholeDispute } from '@tollgate/gateway/operator'
import { amountText as money } from './batch-agreement-lines.ts'

/** One line for a dispute in a list. */
export function disputeLine(dispute: DisputeView): string {
  const { amountMinor, brand, caseId, currency, id, orderId, reason, reasonName, state } = dispute
  const why = reason === null ? '' : `, ${reason}${reasonName === null ? '' : ` ${reasonName}`}`
  const order = orderId === null ? 'no order fits' : `order ${orderId}`
  return (
    `dispute ${id}: ${state}, ${money(amountMinor, currency)}, ${brand}${why}, ${order}, ` +
    `case ${caseId}${dueText(dispute)}${answerText(dispute)}`
  )
}

function dueText({ daysLeft, isOverdue, networkDue, respondBy }: DisputeView): string {
  if (respondBy === null) return ''
  const left = isOverdue ? 'overdue' : `${daysLeft} days left`
  return `, answer by ${respondBy} (${left}; network ${networkDue})`
}

function answerText({ answer, answerState }: DisputeView): string {
  return answer === null ? '' : `, answer: ${answer} ${answerState}`
}

/** A dispute with its history, money, evidence and answers. */
export function wholeDisputeLines(dispute: WholeDispute): string[] {
  const { answers, compellingPair, evidenceHint, files, lossMinor, movements, notices } = dispute
  const isRapid = notices.some(({ event }) => event === 'rapid_resolution')
  return [
    disputeLine(dispute),
    ...(evidenceHint === null ? [] : [`  evidence that usually wins: ${evidenceHint}`]),
    ...(compellingPair === null
      ? []
      : [
          `  Compelling Evidence 3.0: orders ${compellingPair.sales
            .map(({ orderId }) => orderId)
            .join(' and ')} have the same ${compellingPair.equal.join(', ')}`,
        ]),
    ...notices.map(
      ({ amountMinor, at, currency, event, n }) =>
        `  notice ${n} of ${at.toISOString()}: ${event}, ${money(amountMinor, currency)}`,
    ),
    ...movements.map(
      ({ currency, feeMinor, fileId, kind, line, takenMinor }) =>
        `  line ${line} of file ${fileId}: ${kind}, taken ${money(takenMinor, currency)}, ` +
        `fee ${money(feeMinor, currency)}`,
    ),
    ...lossMinor.map(
      ({ currency, minor }) => `  ${isRapid ? 'refund' : 'loss'} ${money(minor, currency)}`,
    ),
    ...files.map(
      ({ answerId, bytes, id, isErased, name, type }) =>
        `  file ${id}: ${name}, ${type}, ${bytes} bytes` +
        `${answerId === null ? '' : `, in answer ${answerId}`}${isErased ? ', erased' : ''}`,
    ),
    ...answers.map(
      ({ answer, id, madeAt, madeBy, refusedReason, state }) =>
        `  answer ${id} of ${madeAt.toISOString()} by ${madeBy}: ${answer}, ${state}` +
        `${refusedReason === null ? '' : `: ${refusedReason}`}`,
    ),
  ]
}

/** The result of an import that was not refused. */
export function noticeImportLine(
  outcome: Extract<NoticeImport, { readonly kind: 'recorded' }>,
): string {
  const { account, recorded, repeated, withoutOrder } = outcome
  return (
    `Merchant account ${account}: ${recorded} notices recorded, ${repeated} were there before, ` +
    `${withoutOrder} new cases without an order.`
  )
}

/** A month of a brand with its standing in each programme. */
export function ratioLines(ratio: RatioView): string[] {
  const { amounts, brand, disputes, fraudReports, merchantAccountId, month, sales } = ratio
  const sums = amounts.map(({ currency, minor }) => money(minor, currency)).join(', ')
  return [
    `account ${merchantAccountId}, ${month.slice(0, 7)}, ${brand}: ${disputes} disputes` +
      `${sums === '' ? '' : ` (${sums})`}, ${fraudReports} fraud reports, ${sales} sales settled`,
    ...ratio.standings.map(
      ({ events, percent, programme, ratioBasisPoints, warning }) =>
        `  ${programme.name}: ${events} of ${programme.events} events, ratio ` +
        `${ratioText(ratioBasisPoints)} of ${ratioText(programme.ratioBasisPoints)}, ` +
        `${percent} % of both limits${warning === null ? '' : `: WARNING at ${warning} %`}`,
    ),
  ]
}

function ratioText(basisPoints: number | null): string {
  return basisPoints === null ? 'unknown' : `${(basisPoints / 100).toFixed(2)} %`
}
