import {
  REFUSAL_CODES,
  type DifferenceView,
  type ImportOutcome,
  type PayoutView,
  type SettlementFileView,
  type SettlementTotals,
} from '@tollgate/gateway/operator'
import { amountText } from './batch-agreement-lines.ts'

/** The end of an import, in lines for a person. */
export function outcomeLines(outcome: ImportOutcome): string[] {
  switch (outcome.kind) {
    case 'booked': {
      const { differences, id, lines, payouts, rejected, settled } = outcome.file
      return [
        `Settlement file ${id} is booked: ${lines} lines, ${settled} settled, ` +
          `${rejected} rejected, ${payouts} payouts.`,
        ...[...differences].map(([code, count]) => `  difference ${code}: ${count}`),
      ]
    }
    case 'repeated':
      return [`already imported, as settlement file ${outcome.fileId}`]
    case 'busy':
      return ['Another process imports a file of this source now. Try again when it has finished.']
    case 'refused': {
      const { code, line, reason } = outcome.refusal
      return [
        `${code} in line ${line}: ${reason}`,
        REFUSAL_CODES[code],
        'Nothing of the file was booked.',
      ]
    }
  }
}

/** A file, with its sums by kind. */
export function fileLines(file: SettlementFileView): string[] {
  const { account, bookedAt, bookedBy, businessDate, currency, id, mapping, sender, seq } = file
  const show = (minor: bigint): string => amountText(minor, currency)
  const state =
    bookedAt === null ? 'not booked yet' : `booked ${bookedAt.toISOString()} by ${bookedBy}`
  const by = mapping === null ? '' : `, mapping ${mapping.name} version ${mapping.version}`
  return [
    `settlement file ${id}: ${sender} ${account} ${currency} ${seq} of ${businessDate}, ` +
      `merchant account ${file.merchantAccountId}, ${state}${by}`,
    `  opening ${show(file.openingMinor)}, gross ${show(file.grossMinor)}, ` +
      `fees ${show(file.feesMinor)}, closing ${show(file.closingMinor)}, ${file.lines} lines`,
    ...file.byKind.map(({ count, kind, netMinor }) => `  ${kind}: ${count}, ${show(netMinor)}`),
  ]
}

/** A payout, with its parts. */
export function payoutLines(payout: PayoutView): string[] {
  const show = (minor: bigint): string => amountText(minor, payout.currency)
  const parts: readonly (readonly [string, bigint])[] = [
    ['carried', payout.carriedMinor],
    ['sales', payout.grossMinor],
    ['refunds', payout.refundsMinor],
    ['chargebacks', payout.chargebacksMinor],
    ['fees', payout.feesMinor],
    ['reserve', payout.reserveMinor],
    ['other', payout.otherMinor],
    ['left', payout.leftMinor],
  ]
  const name = payout.payout ?? `of line ${payout.line}`
  const trace = payout.trace === null ? '' : `, trace ${payout.trace}`
  const arrives = payout.arrives === null ? '' : `, arrives ${payout.arrives}`
  return [
    `  payout ${name}: ${show(payout.netMinor)}, ${payout.state}${trace}${arrives}`,
    ...parts
      .filter(([, minor]) => minor !== 0n)
      .map(([part, minor]) => `    ${part} ${show(minor)}`),
  ]
}

/** The standing of captures and refunds of an account. */
export function totalsLines(totals: SettlementTotals): string[] {
  const { currency, merchantAccountId, mode } = totals
  const text = (name: string, { count, minor }: SettlementTotals['settled']): string =>
    `${name} ${count}, ${amountText(minor, currency)}`
  return [
    `merchant account ${merchantAccountId} (${mode}) ${currency}: ` +
      [
        text('settled', totals.settled),
        text('rejected', totals.rejected),
        text('waiting', totals.waiting),
        text('differing', totals.differing),
      ].join('; '),
  ]
}

/** A difference on one line. */
export function differenceLine(difference: DifferenceView): string {
  const { ageBankDays, bank, code, end, fileId, here, id, line, orderId, owner, since } = difference
  const side = (found: DifferenceView['here']): string =>
    found === null ? 'nothing' : amountText(found.minor, found.currency)
  const place = fileId === null ? placeOf(difference) : `file ${fileId} line ${line}`
  const order = orderId === null ? '' : `, order ${orderId}`
  const proposal =
    difference.proposal.length === 0 ? '' : `, together: ${difference.proposal.join(' + ')}`
  const standing =
    end === null
      ? `open for ${ageBankDays} bank days, ${owner === '' ? 'no owner' : `owner ${owner}`}`
      : `ended as ${end.as}`
  return (
    `difference ${id}: ${code}, ${place}${order}: here ${side(here)}, ` +
    `bank ${side(bank)}${proposal}; since ${since}, ${standing}`
  )
}

/** The payout and the entry of a difference without a line. */
function placeOf({ disputeId, entryId, payoutId }: DifferenceView): string {
  const parts = [
    ...(payoutId === null ? [] : [`payout ${payoutId}`]),
    ...(entryId === null ? [] : [`bank entry ${entryId}`]),
    ...(disputeId === null ? [] : [`dispute ${disputeId}`]),
  ]
  return parts.length === 0 ? 'in no file' : parts.join(', ')
}
