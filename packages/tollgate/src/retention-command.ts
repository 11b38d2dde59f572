import {
  RETENTION_KIND_NAMES,
  RETENTION_KINDS,
  type DueNow,
  type OfEachKind,
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
      help: 'shows what would be erased now of each kind, with its oldest day; erases nothing',
      async run(_, { env, print }) {
        const found = await withOperator(env, (operator) => operator.retention.countDue())
        printOfEach(found, requireConfig(env).retention, print, dueText)
        return 0
      },
    },
    {
      words: 'erase',
      help: 'erases them now, without a wait for the daily job',
      async run(_, { env, print }) {
        const erased = await withOperator(env, (operator) => operator.retention.eraseNow())
        printOfEach(erased, requireConfig(env).retention, print, (count) => `${count} erased`)
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

function printOfEach<Value>(
  values: OfEachKind<Value>,
  days: Days,
  print: Terminal['print'],
  textOf: (value: Value) => string,
): void {
  for (const kind of RETENTION_KIND_NAMES) {
    const { title, setting } = RETENTION_KINDS[kind]
    const value = values[kind]
    const text = value === null ? 'kept without end' : textOf(value)
    print(`${title}: ${text} (${setting}=${days[kind]})`)
  }
}

/** Days are those of UTC. */
function dueText({ due, oldest, passedAt }: DueNow): string {
  const since = oldest === null ? '' : `, the oldest since ${dayOf(oldest)}`
  const pass = passedAt === null ? 'no whole pass yet' : `last whole pass ${dayOf(passedAt)}`
  return `${due} due now${since}; ${pass}`
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM-DD'.length)
}
