import { findCurrency, formatMinor } from '@tollgate/gateway/books'
import type { BatchView } from '@tollgate/gateway/operator'
import { refuse, withOperator, type OperatorCommand } from './operator-commands.ts'

const USAGE = 'Usage: tollgate batches list|close <MERCH_ACCT_ID>'

/** `tollgate batches list|close <MERCH_ACCT_ID>`. */
export const batches: OperatorCommand = async (args, env, { print, complain }) => {
  const [what, account = '', ...rest] = args
  if (
    (what !== 'list' && what !== 'close') ||
    !/^[1-9][0-9]{0,14}$/.test(account) ||
    rest.length > 0
  ) {
    complain(USAGE)
    return 1
  }
  const accountId = BigInt(account)
  if (what === 'list') {
    const listed = await withOperator(env, (operator) => operator.batches.list(accountId))
    if (listed === null) {
      complain(`There is no merchant account ${account}.`)
      return 1
    }
    for (const line of listed.flatMap(batchLines)) print(line)
    return 0
  }
  const closed = await withOperator(env, (operator) => operator.batches.close(accountId))
  if (!closed.ok) return refuse(closed.faults, complain)
  for (const line of batchLines(closed.batch)) print(line)
  print(
    `Batch ${closed.nextId} is open now. Captures in batch ${closed.batch.id} can no longer be voided, only credited.`,
  )
  print('Nothing is sent to the bank by closing a batch.')
  return 0
}

function batchLines({ id, openedAt, closedAt, closedBy, sums }: BatchView): string[] {
  const until =
    closedAt === null
      ? 'open'
      : `closed ${closedAt.toISOString()}${closedBy === '' ? '' : ` by ${closedBy}`}`
  return [
    `batch ${id}: opened ${openedAt.toISOString()}, ${until}`,
    ...sums.map(({ currency, action, brand, transactions, amountMinor, undoneMinor }) => {
      const undone =
        undoneMinor === 0n ? '' : `, ${amountText(undoneMinor, currency)} of it taken back`
      return `  ${brand} ${action}: ${transactions}, ${amountText(amountMinor, currency)}${undone}`
    }),
  ]
}

function amountText(minor: bigint, code: string): string {
  const currency = findCurrency(code)
  return currency === null ? `${minor} ${code}` : `${formatMinor(minor, currency)} ${code}`
}
