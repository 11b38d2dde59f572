import type { MerchantSummary, MerchantView } from '@tollgate/gateway/operator'
import type { TypedArguments } from './command.ts'
import { printJson } from './json-lines.ts'
import { accountLine, siteLine } from './merchant-lines.ts'
import {
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'

/** Merchants: create, rename, disable with one command, and enable again. */
export const merchants: OperatorCommand = {
  name: 'merchants',
  summary: 'list merchants; merchants show, create, rename, disable and enable one',
  forms: [
    {
      words: '[list]',
      options: ['[--json]'],
      help: 'lists merchants, with their state and number of sites',
      async run({ has }, { env, print }) {
        const listed = await withOperator(env, (operator) => operator.merchants.listMerchants())
        if (has('json')) printJson(listed, print)
        else if (listed.length === 0) print('There is no merchant; create one.')
        else for (const line of listed.map(summaryLine)) print(line)
        return 0
      },
    },
    {
      words: 'show <MERCHANT_ID>',
      options: ['[--json]'],
      help: 'shows a merchant with its sites, accounts and users',
      run: show,
    },
    {
      words: 'create <name>',
      options: ['[--id ID]', '[--time-zone ZONE]'],
      help: 'creates a merchant; without --id it gets the next one, without --time-zone UTC',
      run: create,
    },
    {
      words: 'rename <MERCHANT_ID> <name>',
      help: 'changes the name of a merchant',
      run: rename,
    },
    {
      words: 'disable <MERCHANT_ID>',
      options: ['--reason <text>'],
      help: 'stops payments, card tokens, renewals and the portal of a merchant',
      run: disable,
    },
    {
      words: 'enable <MERCHANT_ID>',
      help: 'lets a disabled merchant work again',
      run: enable,
    },
  ],
  notes: 'Quote a name or a reason of several words.',
}

async function show(
  { word, has }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const id = BigInt(word('MERCHANT_ID'))
  const found = await withOperator(env, (operator) => operator.merchants.readMerchant(id))
  if (found === null) {
    complain(`Merchant ${id} does not exist; "tollgate merchants" lists them.`)
    return 1
  }
  if (has('json')) printJson(found, print)
  else for (const line of merchantLines(found)) print(line)
  return 0
}

async function create(
  { word, option }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const id = readId(option('id'))
  if (id === 'wrong') return refuse([WRONG_ID], complain)
  const [name, zone] = [word('name'), option('time-zone') ?? 'UTC']
  const made = await withOperator(env, ({ merchants }) => merchants.create(id, name, zone))
  if (!made.ok) return refuse(made.faults, complain)
  print(`Merchant ${made.id} was created.`)
  print(`Next, give it a site: tollgate sites create ${made.id} <name>`)
  return 0
}

async function rename(
  { word }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [id, name] = [BigInt(word('MERCHANT_ID')), word('name')]
  const renamed = await withOperator(env, ({ merchants }) => merchants.rename(id, name))
  if (!renamed.ok) return refuse(renamed.faults, complain)
  print(`Merchant ${id} is now called ${name}.`)
  return 0
}

async function disable(
  { word, option }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [id, reason] = [BigInt(word('MERCHANT_ID')), option('reason') ?? '']
  const disabled = await withOperator(env, ({ merchants }) => merchants.disable(id, reason))
  if (!disabled.ok) return refuse(disabled.faults, complain)
  const { endedSessions } = disabled
  const sessions = endedSessions === 1 ? '1 portal session' : `${endedSessions} portal sessions`
  print(`Merchant ${id} was disabled, and ${sessions} ended.`)
  print(
    'All gateways refuse its payments and card tokens within 2 seconds. Its renewals wait. ' +
      'Queued captures and refunds still go to their bank.',
  )
  return 0
}

async function enable(
  { word }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const id = BigInt(word('MERCHANT_ID'))
  const enabled = await withOperator(env, ({ merchants }) => merchants.enable(id))
  if (!enabled.ok) return refuse(enabled.faults, complain)
  print(`Merchant ${id} was enabled; it was disabled since ${enabled.disabledAt.toISOString()}.`)
  print('Running gateways apply it within 2 seconds. Each missed renewal is charged once.')
  return 0
}

export const WRONG_ID = '--id must be a whole number of 1 to 11 digits, without a leading zero.'

/** The id of an option; null where it was left out. */
export function readId(text: string | undefined): bigint | null | 'wrong' {
  if (text === undefined) return null
  return /^[1-9][0-9]{0,10}$/.test(text) ? BigInt(text) : 'wrong'
}

function summaryLine({ sites, liveSites, ...merchant }: MerchantSummary): string {
  const count = sites === 1 ? '1 site' : `${sites} sites`
  return `${merchant.id} ${merchant.name}: ${stateOf(merchant)}, ${count}, ${liveSites} live`
}

function stateOf({ disabled }: Pick<MerchantSummary, 'disabled'>): string {
  if (disabled === null) return 'enabled'
  const { at, by, reason } = disabled
  return `disabled at ${at.toISOString()} by ${by}: "${reason}"`
}

function merchantLines(merchant: MerchantView): string[] {
  const { apiUsers, portalUsers } = merchant
  return [
    `${merchant.id} ${merchant.name}: ${stateOf(merchant)}`,
    `  created ${merchant.createdAt.toISOString()}, time zone ${merchant.timeZone}`,
    ...merchant.sites.map((site) => `  site ${siteLine(site)}`),
    ...merchant.accounts.map((account) => `  account ${accountLine(account)}`),
    `  API users: ${apiUsers.join(', ') || 'none'}`,
    `  portal users: ${portalUsers.join(', ') || 'none'}`,
  ]
}
