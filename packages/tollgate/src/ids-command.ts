import {
  MOST_SKIPPED,
  openIdOperator,
  type Advance,
  type SequenceView,
} from '@tollgate/gateway/operator-ids'
import { WrongUsage } from './command.ts'
import { withOpened, type OperatorCommand } from './operator-work.ts'

/** The sequences of ids, message numbers and batches. docs/operators/backup.md */
export const ids: OperatorCommand = {
  name: 'ids',
  summary: 'ids show | advance: skip ids that were assigned after a restored backup',
  forms: [
    {
      words: 'show',
      help: "lists the sequences with this node's marks; exits with 1 for an older database",
      async run(_given, { env, print, complain }) {
        const views = await withOpened(env, openIdOperator, (operator) => operator.show())
        for (const line of describeSequences(views)) print(line)
        if (!views.some(isBehind)) return 0
        complain(
          'The database is older than the marks of this node. The next start of this node ' +
            'advances the sequences.',
        )
        return 1
      },
    },
    {
      words: 'advance',
      options: ['[--by <ids>]'],
      help: 'skips so many ids of each kind, a million by default',
      async run({ option }, { env, print }) {
        const by = readCount(option('by'))
        const advances = await withOpened(env, openIdOperator, (operator) => operator.advance(by))
        for (const line of advances.map(describeAdvance)) print(line)
        print('Restart every gateway that runs: it still holds ids from before.')
        return 0
      },
    },
  ],
}

function readCount(text: string | undefined): bigint | null {
  if (text === undefined) return null
  if (/^[1-9][0-9]{0,8}$/.test(text) && BigInt(text) <= MOST_SKIPPED) return BigInt(text)
  throw new WrongUsage(`--by is "${text}"; it must be a whole number from 1 to ${MOST_SKIPPED}.`)
}

function isBehind({ assigned, mark }: SequenceView): boolean {
  return mark !== null && mark > assigned
}

/** One line for each sequence. */
export function describeSequences(views: readonly SequenceView[]): string[] {
  return views.map((view) => {
    const mark = view.mark === null ? 'no mark' : `mark ${view.mark}`
    const behind = isBehind(view) ? ', which the database has not assigned' : ''
    return `${view.sequence.padEnd(20)} assigned up to ${view.assigned}, ${mark}${behind}`
  })
}

function describeAdvance({ sequence, from, to }: Advance): string {
  return `${sequence.padEnd(20)} moved from ${from} to ${to}`
}
