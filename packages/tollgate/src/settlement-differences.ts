import { DIFFERENCE_CODES, DIFFERENCE_ENDS, type DifferenceEnd } from '@tollgate/gateway/operator'
import { WrongUsage, type Form, type TypedArguments } from './command.ts'
import { refuse, withOperator, type OperatorContext } from './operator-work.ts'
import { differenceLine } from './settlement-lines.ts'

const MOST_SHOWN = 200
const ENDS = Object.keys(DIFFERENCE_ENDS) as DifferenceEnd[]

/** `tollgate settlement differences …`. */
export const differenceForms: readonly Form<OperatorContext>[] = [
  {
    words: 'differences list',
    options: ['[--merchant-account <id>]', '[--state open|ended]'],
    help: 'lists differences, the oldest first; open ones without --state',
    run: runList,
  },
  {
    words: 'differences show <n>',
    help: 'shows a difference with its notes',
    run: runShow,
  },
  {
    words: 'differences assign <n> <owner>',
    help: 'gives a difference to a portal user, by e-mail address, or to an operator, by name',
    run: (given, context) =>
      change(context, given, (settlement, id) => settlement.assign(id, given.word('owner'))),
  },
  {
    words: 'differences note <n> <text>',
    help: 'adds a note, which never changes',
    run: (given, context) =>
      change(context, given, (settlement, id) => settlement.note(id, given.word('text'))),
  },
  {
    words: `differences end <n> ${ENDS.join('|')} <reason>`,
    help: 'ends a difference; written_off posts the amount as a loss or a gain',
    run(given, context) {
      const as = ENDS.find((end) => given.word(ENDS.join('|')) === end) ?? 'corrected_here'
      return change(context, given, (settlement, id) =>
        settlement.end(id, as, given.word('reason')),
      )
    },
  },
]

type Settlement = Parameters<Parameters<typeof withOperator>[1]>[0]['settlement']

async function change(
  { complain, env, print }: OperatorContext,
  { word }: TypedArguments,
  work: (settlement: Settlement, id: bigint) => ReturnType<Settlement['assign']>,
): Promise<number> {
  const id = BigInt(word('n'))
  return withOperator(env, async ({ settlement }) => {
    const done = await work(settlement, id)
    if (!done.ok) return refuse(done.faults, complain)
    const changed = await settlement.readDifference(id)
    if (changed !== null) print(differenceLine(changed))
    return 0
  })
}

async function runList(
  { option }: TypedArguments,
  { env, print }: OperatorContext,
): Promise<number> {
  const account = option('merchant-account')
  if (account !== undefined && !/^[1-9][0-9]{0,14}$/.test(account)) {
    throw new WrongUsage('--merchant-account needs the id of a merchant account.')
  }
  const filter = {
    merchantId: null,
    merchantAccountId: account === undefined ? null : BigInt(account),
    state: option('state') === 'ended' ? ('ended' as const) : ('open' as const),
  }
  const listed = await withOperator(env, ({ settlement }) =>
    settlement.listDifferences(filter, MOST_SHOWN),
  )
  for (const each of listed) print(differenceLine(each))
  if (listed.length === MOST_SHOWN) print(`Only the oldest ${MOST_SHOWN} are listed.`)
  return 0
}

async function runShow(
  { word }: TypedArguments,
  { complain, env, print }: OperatorContext,
): Promise<number> {
  const id = BigInt(word('n'))
  const shown = await withOperator(env, ({ settlement }) => settlement.readDifference(id))
  if (shown === null) {
    complain(`Difference ${id} does not exist.`)
    return 1
  }
  print(differenceLine(shown))
  print(`  ${shown.code}: ${DIFFERENCE_CODES[shown.code]}`)
  if (shown.end !== null) {
    const { as, at, by, reason } = shown.end
    print(`  ended ${at.toISOString()} by ${by} as ${as} (${DIFFERENCE_ENDS[as]}): ${reason}`)
  }
  for (const { at, author, text } of shown.notes) {
    print(`  note of ${at.toISOString()} by ${author}: ${text}`)
  }
  return 0
}
