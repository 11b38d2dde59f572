import type { TypedArguments } from './command.ts'
import { printJson } from './json-lines.ts'
import { siteLine } from './merchant-lines.ts'
import { readId, WRONG_ID } from './merchants-command.ts'
import type { OperatorCommand, OperatorContext } from './operator-work.ts'
import { refuse, withOperator } from './operator-work.ts'

/** The forms of `tollgate sites` that list, create and rename sites. */
export const siteForms: OperatorCommand['forms'] = [
  {
    words: '[list]',
    options: ['[--json]'],
    help: 'lists the sites of all merchants',
    async run({ has }, { env, print }) {
      const listed = await withOperator(env, ({ merchants }) => merchants.listSites(null))
      if (has('json')) printJson(listed, print)
      else for (const site of listed) print(`${siteLine(site)}, merchant ${site.merchantId}`)
      return 0
    },
  },
  {
    words: 'show <SITE_ID>',
    options: ['[--json]'],
    help: 'shows one site',
    run: show,
  },
  {
    words: 'create <merchant> <name>',
    options: ['[--id ID]', '[--currency CODE]', '[--tolerance strict|wide]'],
    help: 'creates a site in test mode; its default currency is USD unless you name one',
    run: create,
  },
  {
    words: 'rename <SITE_ID> <name>',
    help: 'changes the name of a site',
    run: rename,
  },
]

async function show(
  { word, has }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const id = BigInt(word('SITE_ID'))
  const listed = await withOperator(env, ({ merchants }) => merchants.listSites(null))
  const site = listed.find((each) => each.id === id)
  if (site === undefined) {
    complain(`Site ${id} does not exist; "tollgate sites" lists them.`)
    return 1
  }
  if (has('json')) printJson(site, print)
  else print(`${siteLine(site)}, merchant ${site.merchantId}`)
  return 0
}

async function create(
  { word, option }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const id = readId(option('id'))
  if (id === 'wrong') return refuse([WRONG_ID], complain)
  const merchantId = BigInt(word('merchant'))
  const made = await withOperator(env, ({ merchants }) =>
    merchants.createSite(id, {
      merchantId,
      name: word('name'),
      defaultCurrency: option('currency') ?? 'USD',
      tolerance: option('tolerance') === 'wide' ? 'wide' : 'strict',
    }),
  )
  if (!made.ok) return refuse(made.faults, complain)
  print(`Site ${made.id} of merchant ${merchantId} was created, in test mode.`)
  print('Next, give it a merchant account: tollgate accounts put <file.json>')
  return 0
}

async function rename(
  { word }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [id, name] = [BigInt(word('SITE_ID')), word('name')]
  const renamed = await withOperator(env, ({ merchants }) => merchants.renameSite(id, name))
  if (!renamed.ok) return refuse(renamed.faults, complain)
  print(`Site ${id} is now called ${name}.`)
  return 0
}
