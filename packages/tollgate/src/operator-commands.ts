import type { GatewayConfig } from '@tollgate/gateway/config'
import type { LinkSummary } from '@tollgate/gateway/operator'
import { dirname } from 'node:path'
import {
  readText,
  refuse,
  requireConfig,
  withOperator,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'
import { siteForms } from './site-forms.ts'
import { siteTokenForms } from './site-token-commands.ts'

/** Processor links. docs/operators/processor-links.md */
export const links: OperatorCommand = {
  name: 'links',
  summary: 'list processor links; links put <file.json> creates or changes one',
  forms: [
    {
      words: '',
      help: 'lists the links, with their state in each gateway',
      async run(_, { env, print }) {
        const listed = await withOperator(env, (operator) => operator.listLinks())
        print(`the bundled bank: ${bundledBankText(requireConfig(env))}`)
        for (const line of listed.flatMap(linkLines)) print(line)
        return 0
      },
    },
    {
      words: 'put <file.json>',
      help: 'creates a link, or changes the one of that name',
      async run({ word }, { env, print, complain }) {
        const path = word('file.json')
        const text = readText(path)
        const put = await withOperator(env, (operator) => operator.putLink(text, dirname(path)))
        if (!put.ok) return refuse(put.faults, complain)
        for (const warning of put.warnings) complain(`Warning: ${warning}`)
        print(`Link ${put.name} was ${put.created ? 'created' : 'changed'}.`)
        print('Running gateways connect it within seconds, once an account uses it.')
        return 0
      },
    },
  ],
}

/** Sites: creation, mode, token key and origins. */
export const sites: OperatorCommand = {
  name: 'sites',
  summary: 'list sites; sites create, rename, set-mode, key and origins change them',
  forms: [
    ...siteForms,
    {
      words: 'set-mode <SITE_ID> test|live',
      help: 'moves a site to test or live mode',
      run: ({ word }, context) =>
        setSiteMode(word('SITE_ID'), word('test|live') as 'test' | 'live', context),
    },
    ...siteTokenForms,
  ],
}

async function setSiteMode(
  site: string,
  mode: 'test' | 'live',
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const set = await withOperator(env, (operator) => operator.setSiteMode(Number(site), mode))
  if (!set.ok) return refuse(set.faults, complain)
  const { from, routes } = set.change
  print(`Site ${site} is in ${mode} mode; running gateways apply it within 2 seconds.`)
  for (const { currency, from: before, to } of routes)
    print(`  ${currency}: ${to} (was: ${before})`)
  print(
    `Orders, customers, saved cards and order references of ${from} mode are not visible to it now; ` +
      `they return with ${from} mode. Queued messages still go to their bank.`,
  )
  return 0
}

function bundledBankText({ bank: { host, port }, bundledBank }: GatewayConfig): string {
  if (bundledBank === 'off')
    return 'none (BANK=off), so messages of test accounts without a link are not sent'
  const at = port === 0 ? `${host}, any free port` : `${host}:${port}`
  const shared = bundledBank === 'shared' ? ', shared with the node that runs it' : ''
  return `test, ${at}, profile house, TLS off${shared}`
}

function linkLines({ states, ...link }: LinkSummary): string[] {
  const used = link.accounts.length === 0 ? 'no account' : `accounts ${link.accounts.join(', ')}`
  const head =
    `${link.name}: ${link.mode}, ${link.addresses.join(' and ')}, profile ${link.profile}, ` +
    `institution ${link.institutionId}, TLS ${link.tls}, ${used}`
  if (states.length === 0) return [head, '  no gateway has connected it']
  return [
    head,
    ...states.map(({ worker, state, address, signedOnSince, lastError, inFlight }) => {
      const since = signedOnSince === null ? '' : ` since ${signedOnSince.toISOString()}`
      const last = lastError === null ? '' : `; last fault: ${lastError}`
      return `  ${worker}: ${state.replace('_', ' ')} at ${address}${since}, ${inFlight} in flight${last}`
    }),
  ]
}
