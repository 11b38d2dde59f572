import type { BatchView } from '@tollgate/gateway/operator'
import { agreementLines, amountText } from './batch-agreement-lines.ts'
import { refuse, withOperator, type OperatorCommand } from './operator-work.ts'

/** Batches of a merchant account. */
export const batches: OperatorCommand = {
  name: 'batches',
  summary:
    'batches list|show|close lists the batches of an account, shows one, or closes the open one',
  forms: [
    {
      words: 'list <MERCH_ACCT_ID>',
      help: 'lists the batches of an account, with their sums',
      async run({ word }, { env, print, complain }) {
        const account = word('MERCH_ACCT_ID')
        const listed = await withOperator(env, (operator) => operator.batches.list(BigInt(account)))
        if (listed === null) {
          complain(`Merchant account ${account} does not exist.`)
          return 1
        }
        for (const line of listed.flatMap(batchLines)) print(line)
        return 0
      },
    },
    {
      words: 'show <BATCH_ID>',
      help: 'shows a batch, its totals here and at the bank, and the rows that differ',
      async run({ word }, { env, print, complain }) {
        const id = word('BATCH_ID')
        const shown = await withOperator(env, (operator) => operator.batches.show(BigInt(id)))
        if (shown === null) {
          complain(`Batch ${id} does not exist.`)
          return 1
        }
        for (const line of batchLines(shown.batch)) print(line)
        for (const line of agreementLines(shown.agreement)) print(line)
        return shown.batch.state === 'differing' ? 1 : 0
      },
    },
    {
      words: 'close <MERCH_ACCT_ID>',
      help: 'closes the open batch; its captures can no longer be voided',
      async run({ word }, { env, print, complain }) {
        const accountId = BigInt(word('MERCH_ACCT_ID'))
        const closed = await withOperator(env, (operator) => operator.batches.close(accountId))
        if (!closed.ok) return refuse(closed.faults, complain)
        for (const line of batchLines(closed.batch)) print(line)
        print(
          `Batch ${closed.nextId} is open now. Captures in batch ${closed.batch.id} can no longer be voided, only refunded.`,
        )
        print('The gateways agree its totals with the bank: see batches show.')
        return 0
      },
    },
  ],
}

function batchLines({ id, openedAt, closedAt, closedBy, state, sums }: BatchView): string[] {
  const by = closedBy === '' ? '' : ` by ${closedBy}`
  const agreement = state === 'closed' ? 'without agreement' : state
  const until = closedAt === null ? 'open' : `closed ${closedAt.toISOString()}${by}, ${agreement}`
  return [
    `batch ${id}: opened ${openedAt.toISOString()}, ${until}`,
    ...sums.map(({ currency, action, brand, transactions, amountMinor, voidedMinor }) => {
      const voided = voidedMinor === 0n ? '' : `, ${amountText(voidedMinor, currency)} of it voided`
      return `  ${brand} ${action}: ${transactions}, ${amountText(amountMinor, currency)}${voided}`
    }),
  ]
}
