import type { Operator, ProductSummary } from '@tollgate/gateway/operator'
import {
  readText,
  refuse,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'

const WITHIN = 'Running gateways apply it within 2 seconds.'

const OPTIONS = ['name', 'type', 'metric', 'period', 'price', 'currency'] as const

/** The catalogue of a site. */
export const products: OperatorCommand = {
  name: 'products',
  summary:
    'products <SITE_ID> lists the catalogue; add, activate, deactivate and catalogue change it',
  forms: [
    {
      words: '<SITE_ID>',
      help: 'lists the products of a site',
      run: ({ word }, context) => list(word('SITE_ID'), context),
    },
    {
      words: '<SITE_ID> add <products.json>',
      help: 'adds the products of a file',
      run({ word }, context) {
        const text = readText(word('products.json'))
        return make(context, 'The products were added.', (operator) =>
          operator.products.add(BigInt(word('SITE_ID')), text),
        )
      },
    },
    {
      words: '<SITE_ID> add <PRODUCT_ID>',
      options: [
        '[--name <text>]',
        '[--type <1|2>]',
        '[--metric <D|M|Y>]',
        '[--period <number>]',
        '[--price <amount>]',
        '[--currency <code>]',
      ],
      help: 'adds one product; a membership has all of the options',
      run({ word, option }, context) {
        const id = word('PRODUCT_ID')
        const terms = OPTIONS.map((name) => [name, option(name)] as const)
        const text = JSON.stringify([{ id, ...Object.fromEntries(terms) }])
        return make(context, `Product ${id} was added.`, (operator) =>
          operator.products.add(BigInt(word('SITE_ID')), text),
        )
      },
    },
    {
      words: '<SITE_ID> activate|deactivate <PRODUCT_ID>',
      help: 'activates or deactivates a product',
      run({ word }, context) {
        const id = word('PRODUCT_ID')
        const active = word('activate|deactivate') === 'activate'
        const said = active
          ? `Product ${id} is active again.`
          : `Product ${id} is inactive; its memberships renew as before.`
        return make(context, said, (operator) =>
          operator.products.setActive(BigInt(word('SITE_ID')), id, active),
        )
      },
    },
    {
      words: '<SITE_ID> catalogue open|strict',
      help: 'lets the site sell any product, or only listed ones',
      run({ word }, context) {
        const catalogue = word('open|strict') === 'open' ? 'open' : 'strict'
        return make(context, `The catalogue is ${catalogue}.`, (operator) =>
          operator.products.setCatalogue(BigInt(word('SITE_ID')), catalogue),
        )
      },
    },
  ],
}

async function list(site: string, { env, print, complain }: OperatorContext): Promise<number> {
  const listed = await withOperator(env, (operator) => operator.products.list(BigInt(site)))
  if (listed === null) {
    complain(`Site ${site} does not exist.`)
    return 1
  }
  const rule = listed.catalogue === 'open' ? 'any product can be sold' : 'only these can be sold'
  print(`The catalogue of site ${site} is ${listed.catalogue}: ${rule}.`)
  for (const product of listed.products) print(productLine(product))
  return 0
}

type ProductChange = Awaited<ReturnType<Operator['products']['setActive']>>

async function make(
  { env, print, complain }: OperatorContext,
  said: string,
  work: (operator: Operator) => Promise<ProductChange>,
): Promise<number> {
  const done = await withOperator(env, work)
  if (!done.ok) return refuse(done.faults, complain)
  print(`${said} ${WITHIN}`)
  return 0
}

function productLine({ productId, name, active, terms, memberships }: ProductSummary): string {
  const state = active ? '' : ', not active'
  if (terms === null) return `  ${productId}: ${name || 'no name'}, sold once${state}`
  return `  ${productId}: ${name}, ${terms}, ${memberships} memberships${state}`
}
