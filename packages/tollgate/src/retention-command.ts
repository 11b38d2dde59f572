import {
  RETENTION_KIND_NAMES,
  RETENTION_KINDS,
  type RetentionCounts,
} from '@tollgate/gateway/operator'
import { refuse, requireConfig, withOperator, type OperatorCommand } from './operator-work.ts'
import type { Terminal } from './terminal.ts'

/** The erasure of data after some days. docs/operators/retention.md */
export const retention: OperatorCommand = {
  name: 'retention',
  summary: 'retention [erase|erase-customer <CUST_ID>] shows or erases data after their retention',
  forms: [
    {
      words: '',
      help: 'shows how many rows of each kind would be erased now; erases nothing',
      async run(_, { env, print }) {
        const due = await withOperator(env, (operator) => operator.retention.countDue())
        printCounts(due, 'due now', requireConfig(env).retention, print)
        return 0
      },
    },
    {
      words: 'erase',
      help: 'erases them now, without a wait for the daily job',
      async run(_, { env, print }) {
        const erased = await withOperator(env, (operator) => operator.retention.eraseNow())
        printCounts(erased, 'erased', requireConfig(env).retention, print)
        return 0
      },
    },
    {
      words: 'erase-customer <CUST_ID>',
      help: 'erases the personal data and card numbers of a customer for good; orders stay',
      async run({ word }, { env, print, complain }) {
        const id = word('CUST_ID')
        const erased = await withOperator(env, (operator) =>
          operator.retention.eraseCustomer(BigInt(id)),
        )
        if (!erased.ok) return refuse(erased.faults, complain)
        print(
          `The personal data of customer ${id} was erased. Erased card numbers: ${erased.cards}.`,
        )
        print('Orders and their amounts stay. Backups still have the data until you remove them.')
        return 0
      },
    },
  ],
}

type Days = ReturnType<typeof requireConfig>['retention']

function printCounts(
  counts: RetentionCounts,
  label: string,
  days: Days,
  print: Terminal['print'],
): void {
  for (const kind of RETENTION_KIND_NAMES) {
    const { title, setting } = RETENTION_KINDS[kind]
    const count = counts[kind]
    print(
      count === null
        ? `${title}: kept without end (${setting}=0)`
        : `${title}: ${count} ${label} (${setting}=${days[kind]})`,
    )
  }
}
