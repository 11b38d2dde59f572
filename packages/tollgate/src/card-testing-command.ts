import {
  defaultCardTestingFile,
  type CardTestingSetting,
  type CardTestingView,
  type ReplayResult,
} from '@tollgate/gateway/operator'
import { readText, refuse, withOperator, type OperatorCommand } from './operator-commands.ts'
import type { Terminal } from './terminal.ts'

const USAGE = `Usage: tollgate card-testing show <SITE_ID>
       tollgate card-testing defaults
       tollgate card-testing put <SITE_ID> <file.json>
       tollgate card-testing mode <SITE_ID> off|watch|enforce
       tollgate card-testing try <SITE_ID> <file.json> [days]`

const MODES: readonly string[] = ['off', 'watch', 'enforce']
const TRIED_DAYS = 7

/** `tollgate card-testing`: a site's rules against card testing. */
export const cardTesting: OperatorCommand = async (args, env, terminal) => {
  const [what = '', site = '', ...rest] = args
  const { print, complain } = terminal
  if (what === 'defaults' && args.length === 1) {
    print(defaultCardTestingFile().trimEnd())
    return 0
  }
  const [value = '', days = String(TRIED_DAYS)] = rest
  const command = `${what} ${rest.length}`
  if (!/^[1-9][0-9]{0,14}$/.test(site) || !/^[1-9][0-9]{0,2}$/.test(days)) {
    complain(USAGE)
    return 1
  }
  const siteId = BigInt(site)
  switch (command) {
    case 'show 0':
      return show(siteId, env, terminal)
    case 'put 1':
      return put(siteId, readText(value), env, terminal)
    case 'mode 1':
      if (!MODES.includes(value)) break
      return setMode(siteId, value as CardTestingSetting, env, terminal)
    case 'try 1':
    case 'try 2':
      return tryOut(siteId, readText(value), Number(days), env, terminal)
  }
  complain(USAGE)
  return 1
}

type Environment = Parameters<OperatorCommand>[1]

async function show(
  siteId: bigint,
  env: Environment,
  { print, complain }: Terminal,
): Promise<number> {
  const view = await withOperator(env, (operator) => operator.cardTesting.show(siteId))
  if (view === null) {
    complain(`There is no site ${siteId}.`)
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
      : [`  no address rule for ${exceptAddresses.join(', ')}`]),
  ]
}

async function put(
  siteId: bigint,
  text: string,
  env: Environment,
  { print, complain }: Terminal,
): Promise<number> {
  const done = await withOperator(env, async ({ cardTesting: rules }) => {
    const outcome = await rules.put(siteId, text)
    return outcome.ok ? { ...outcome, mode: (await rules.show(siteId))?.mode ?? 'off' } : outcome
  })
  if (!done.ok) return refuse(done.faults, complain)
  print(`Site ${siteId} has rules of revision ${done.revision}; its mode is ${done.mode}.`)
  if (done.mode === 'off') {
    print(`Nothing is counted before "tollgate card-testing mode ${siteId} watch".`)
  } else print('Gateways that are running know them within 2 seconds.')
  return 0
}

async function setMode(
  siteId: bigint,
  mode: CardTestingSetting,
  env: Environment,
  { print, complain }: Terminal,
): Promise<number> {
  const set = await withOperator(env, (operator) => operator.cardTesting.setMode(siteId, mode))
  if (!set.ok) return refuse(set.faults, complain)
  print(
    `Card testing at site ${siteId}: ${mode} (was: ${set.from}); gateways that are running know it ` +
      'within 2 seconds.',
  )
  return 0
}

async function tryOut(
  siteId: bigint,
  text: string,
  days: number,
  env: Environment,
  { print, complain }: Terminal,
): Promise<number> {
  let told = performance.now()
  const tried = await withOperator(env, async ({ cardTesting: rules }) => {
    if ((await rules.show(siteId)) === null) {
      return { ok: false, faults: [`There is no site ${siteId}.`] } as const
    }
    return rules.tryOut(siteId, text, days, (payments) => {
      if (performance.now() - told < 2_000) return
      told = performance.now()
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
    `Site ${siteId}, last ${days} days: ${payments} payments, ${screened} of them within reach of the rules.`,
    `Refused would have been ${refused}, of which the bank approved ${refusedApproved}.`,
    ...[...byRule].map(
      ([name, of]) => `  ${name}: ${of.refused}, of which the bank approved ${of.refusedApproved}`,
    ),
  ]
}
