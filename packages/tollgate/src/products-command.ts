import type { Operator, ProductSummary } from '@tollgate/gateway/operator'
import { readText, refuse, withOperator, type OperatorCommand } from './operator-commands.ts'

const USAGE =
  'Usage: tollgate products <SITE_ID> [add <file.json> | add <PRODUCT_ID> [--name <text>] [--type 1|2 ' +
  '--metric D|M|Y --period <number> --price <amount> --currency <code>] | activate|deactivate <PRODUCT_ID> | ' +
  'catalogue open|strict]'
const WITHIN = 'Gateways that are running know it within 2 seconds.'

const OPTIONS = ['name', 'type', 'metric', 'period', 'price', 'currency'] as const
type Options = Partial<Record<(typeof OPTIONS)[number], string>>

/** `tollgate products <SITE_ID> ...`: what a site sells. */
export const products: OperatorCommand = async (args, env, { print, complain }) => {
  const [site = '', what, which, ...rest] = args
  const wrong = (): number => {
    complain(USAGE)
    return 1
  }
  if (!/^[1-9][0-9]{0,14}$/.test(site)) return wrong()
  const siteId = BigInt(site)
  if (what === undefined) {
    const listed = await withOperator(env, (operator) => operator.products.list(siteId))
    if (listed === null) {
      complain(`There is no site ${site}.`)
      return 1
    }
    const rule = listed.catalogue === 'open' ? 'any product is sold' : 'only these are sold'
    print(`The catalogue of site ${site} is ${listed.catalogue}: ${rule}.`)
    for (const product of listed.products) print(productLine(product))
    return 0
  }
  if (which === undefined) return wrong()
  const change = changeOf(what, which, rest)
  if (change === null) return wrong()
  const done = await withOperator(env, (operator) => change.make(operator, siteId))
  if (!done.ok) return refuse(done.faults, complain)
  print(`${change.said} ${WITHIN}`)
  return 0
}

type Outcome = Awaited<ReturnType<Operator['products']['setActive']>>

/** What the words ask for; null for nothing that there is. */
function changeOf(
  what: string,
  which: string,
  rest: readonly string[],
): {
  readonly make: (operator: Operator, siteId: bigint) => Promise<Outcome>
  readonly said: string
} | null {
  if (what === 'add') {
    const isFile = rest.length === 0 && which.endsWith('.json')
    const options = isFile ? {} : readOptions(rest)
    if (options === null) return null
    const text = isFile ? readText(which) : JSON.stringify([{ id: which, ...options }])
    return {
      make: (operator, siteId) => operator.products.add(siteId, text),
      said: isFile ? 'The products were added.' : `Product ${which} was added.`,
    }
  }
  if (rest.length > 0) return null
  if (what === 'activate' || what === 'deactivate') {
    const active = what === 'activate'
    const said = active
      ? `Product ${which} is sold again.`
      : `Product ${which} is not sold any more; memberships of it renew as before.`
    return { make: (operator, siteId) => operator.products.setActive(siteId, which, active), said }
  }
  if (what !== 'catalogue' || (which !== 'open' && which !== 'strict')) return null
  return {
    make: (operator, siteId) => operator.products.setCatalogue(siteId, which),
    said: `The catalogue is ${which}.`,
  }
}

function readOptions(words: readonly string[]): Options | null {
  const options: Options = {}
  for (let at = 0; at < words.length; at += 2) {
    const name = OPTIONS.find((option) => `--${option}` === words[at])
    const value = words[at + 1]
    if (name === undefined || value === undefined || options[name] !== undefined) return null
    options[name] = value
  }
  return options
}

function productLine({ productId, name, active, terms, memberships }: ProductSummary): string {
  const state = active ? '' : ', not active'
  if (terms === null) return `  ${productId}: ${name || 'no name'}, sold once${state}`
  return `  ${productId}: ${name}, ${terms}, ${memberships} memberships${state}`
}
