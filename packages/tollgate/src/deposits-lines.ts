import type {
  BankAccountView,
  BankEntryView,
  BankStatementView,
  ImportedStatement,
  PayerView,
  StatementOutcome,
} from '@tollgate/gateway/operator'
import { amountText } from './batch-agreement-lines.ts'

/** The end of an import of bank statements, in lines for a person. */
export function importLines(outcome: Extract<StatementOutcome, { kind: 'imported' }>): string[] {
  const { copies, counts, notifications, statements } = outcome
  const { completed, deposited, differences, returned } = counts
  const isNew = statements.some(({ isRepeated }) => !isRepeated)
  return [
    ...statements.flatMap(importedLines),
    ...(notifications === 0
      ? []
      : [`${notifications} notifications announce entries; only a statement books them.`]),
    ...(copies === 0 ? [] : [`${copies} statements are copies, and move no money.`]),
    ...(isNew
      ? [`${deposited} payouts deposited, ${returned} returned, ${completed} completed.`]
      : []),
    ...[...differences].map(([code, count]) => `  difference ${code}: ${count}`),
  ]
}

function importedLines(statement: ImportedStatement): string[] {
  const { entries, id, isRepeated, last4, others, repeatedEntries, warnings } = statement
  const name = `Statement ${statement.statement} of the account ending in ${last4}`
  if (isRepeated) return [`${name}: already imported, as bank statement ${id}.`]
  const again = repeatedEntries === 0 ? '' : `, ${repeatedEntries} in an earlier statement`
  return [
    `${name} is bank statement ${id}: ${entries} entries, ${others} of other business${again}.`,
    ...warnings.map((warning) => `  ${warning}`),
  ]
}

/** A bank account with its last balance. */
export function accountLine(account: BankAccountView): string {
  const { closedOn, closingMinor, currency, id, last4, merchantId, reversals, since } = account
  const balance =
    closedOn === null || closingMinor === null
      ? 'no statement yet'
      : `${amountText(closingMinor, currency)} on ${closedOn}`
  return (
    `bank account ${id}: merchant ${merchantId}, ending in ${last4}, ${currency}, ` +
    `reversals ${reversals}, since ${since}: ${balance}`
  )
}

/** How the deposits of a merchant account look. */
export function payerLine(payer: PayerView): string {
  const { currency, merchantAccountId, payerName, referencePattern } = payer
  const marks = [
    ...(payerName === '' ? [] : [`the name "${payerName}"`]),
    ...(referencePattern === '' ? [] : [`references like ${referencePattern}`]),
  ]
  const look = marks.join(' or ')
  return `deposits of merchant account ${merchantAccountId} in ${currency} have ${look}`
}

/** A bank statement, with its balances and counts. */
export function statementLines(statement: BankStatementView): string[] {
  const { closedOn, closingMinor, currency, entries, id, last4, matched, others, unknown } =
    statement
  const show = (minor: bigint): string => amountText(minor, currency)
  return [
    `bank statement ${id}: ${statement.statement} of ${closedOn}, merchant ` +
      `${statement.merchantId}, account ending in ${last4}, imported ` +
      `${statement.importedAt.toISOString()} by ${statement.importedBy}`,
    `  opening ${show(statement.openingMinor)}, closing ${show(closingMinor)}, ` +
      `${entries} entries: ${matched} matched, ${unknown} unknown, ${others} not booked`,
    ...(statement.followsGap ? ['  A gap before this statement was accepted.'] : []),
  ]
}

/** An entry of an acquirer, with its payouts or what it may be. */
export function entryLines(entry: BankEntryView, currency: string): string[] {
  const { amountMinor, bookedOn, chargesMinor, id, isReversal, payouts, proposal, state } = entry
  const facts = [
    `  entry ${id}: ${amountText(amountMinor, currency)} on ${bookedOn}`,
    ...(isReversal ? ['a reversal'] : []),
    ...(chargesMinor === null ? [] : [`bank charges ${amountText(chargesMinor, currency)}`]),
    state,
    ...entry.texts,
  ]
  return [
    facts.join(', '),
    ...payouts.map(({ kind, name, payoutId }) =>
      `    ${kind} of payout ${payoutId} ${name}`.trimEnd(),
    ),
    ...(proposal.length === 0 ? [] : [`    may be payout ${proposal.join(' or ')}`]),
  ]
}
