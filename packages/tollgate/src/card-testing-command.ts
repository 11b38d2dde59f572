import {
  defaultCardTestingFile,
  type CardTestingSetting,
  type CardTestingView,
  type ReplayResult,
} from '@tollgate/gateway/operator'
import {
  readText,
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'

const TRIED_DAYS = 7

/** A site's rules against card testing. docs/operators/card-testing.md */
export const cardTesting: OperatorCommand = {
  name: 'card-testing',
  summary: "show or change a site's rules against card testing",
  forms: [
    {
      words: 'show <SITE_ID>',
      help: 'shows the mode, the rules, and their hits in the last day',
      run: ({ word }, context) => show(BigInt(word('SITE_ID')), context),
    },
    {
      words: 'defaults',
      help: 'prints the default rules as a file',
      run(_, { print }) {
        print(defaultCardTestingFile().trimEnd())
        return 0
      },
    },
    {
      words: 'put <SITE_ID> <file.json>',
      help: 'replaces the rules of a site by those of a file',
      run: ({ word }, context) =>
        put(BigInt(word('SITE_ID')), readText(word('file.json')), context),
    },
    {
      words: 'mode <SITE_ID> off|watch|enforce',
      help: 'disables the rules, counts only, or refuses payments',
      run: ({ word }, context) =>
        setMode(BigInt(word('SITE_ID')), word('off|watch|enforce') as CardTestingSetting, context),
    },
    {
      words: 'try <SITE_ID> <file.json> [<days>]',
      help: 'shows which past payments the rules of a file would have refused',
      run: ({ word }, context) =>
        tryOut(
          BigInt(word('SITE_ID')),
          readText(word('file.json')),
          Number(word('days') || TRIED_DAYS),
          context,
        ),
    },
  ],
}

async function show(siteId: bigint, { env, print, complain }: OperatorContext): Promise<number> {
  const view = await withOperator(env, (operator) => operator.cardTesting.show(siteId))
  if (view === null) {
    complain(`Site ${siteId} does not exist.`)
    return 1
  }
  for (const line of viewLines(siteId, view)) print(line)
  return 0
}

function viewLines(
  siteId: bigint,
  { mode, revision, rules, exceptAddresses, hits }: CardTestingView,
): string[] {
  if (revision === 0) return [`Site ${siteId}: off, no rules.`]
  const hit = (name: string): string => {
    const found = hits.find(({ rule }) => rule === name)
    if (found === undefined) return 'no hits in the last 24 hours'
    const { lastHour, lastDay, refused, lastAt, lastTransactionId } = found
    return (
      `${lastHour} hits in the last hour, ${lastDay} in the last 24 (${refused} refused, ` +
      `${lastDay - refused} watched), the last at ${lastAt.toISOString()}, TRANS_ID ${lastTransactionId}`
    )
  }
  const gone = hits.filter(({ rule }) => !rules.some(({ name }) => name === rule))
  return [
    `Site ${siteId}: ${mode}, rules of revision ${revision}.`,
    ...rules.flatMap(({ name, subject, counts, limit, windowSeconds, code }) => [
      `  ${name}: ${limit} ${counts} of each ${subject} in ${windowSeconds} s, else SERVICE ${code}`,
      `    ${hit(name)}`,
    ]),
    ...gone.flatMap(({ rule }) => [`  ${rule}: no longer a rule`, `    ${hit(rule)}`]),
    ...(exceptAddresses.length === 0
      ? []
      : [`  excepted from address rules: ${exceptAddresses.join(', ')}`]),
  ]
}

async function put(
  siteId: bigint,
  text: string,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const done = await withOperator(env, async ({ cardTesting: rules }) => {
    const outcome = await rules.put(siteId, text)
    return outcome.ok ? { ...outcome, mode: (await rules.show(siteId))?.mode ?? 'off' } : outcome
  })
  if (!done.ok) return refuse(done.faults, complain)
  print(`Site ${siteId} has the rules of revision ${done.revision}; its mode is ${done.mode}.`)
  if (done.mode === 'off') {
    print(`Counting starts with "tollgate card-testing mode ${siteId} watch".`)
  } else print('Running gateways apply them within 2 seconds.')
  return 0
}

async function setMode(
  siteId: bigint,
  mode: CardTestingSetting,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const set = await withOperator(env, (operator) => operator.cardTesting.setMode(siteId, mode))
  if (!set.ok) return refuse(set.faults, complain)
  print(
    `Card testing at site ${siteId}: ${mode} (was: ${set.from}); running gateways apply it ` +
      'within 2 seconds.',
  )
  return 0
}

async function tryOut(
  siteId: bigint,
  text: string,
  days: number,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  let reportedAt = performance.now()
  const tried = await withOperator(env, async ({ cardTesting: rules }) => {
    if ((await rules.show(siteId)) === null) {
      return { ok: false, faults: [`Site ${siteId} does not exist.`] } as const
    }
    return rules.tryOut(siteId, text, days, (payments) => {
      if (performance.now() - reportedAt < 2_000) return
      reportedAt = performance.now()
      complain(`${payments} payments so far ...`)
    })
  })
  if (!tried.ok) {
    for (const fault of tried.faults) complain(fault)
    return 1
  }
  for (const line of resultLines(siteId, days, tried.result)) print(line)
  return 0
}

function resultLines(siteId: bigint, days: number, result: ReplayResult): string[] {
  const { payments, screened, refused, refusedApproved, byRule } = result
  return [
    `Site ${siteId}, last ${days} days: ${payments} payments; the rules apply to ${screened} of them.`,
    `The rules would have refused ${refused}, of which the bank approved ${refusedApproved}.`,
    ...[...byRule].map(
      ([name, of]) => `  ${name}: ${of.refused}, of which the bank approved ${of.refusedApproved}`,
    ),
  ]
}
