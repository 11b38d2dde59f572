import type { CountryRule } from '@tollgate/gateway/operator'
import type { TypedArguments } from './command.ts'
import { printJson } from './json-lines.ts'
import { accountLine, accountLines } from './merchant-lines.ts'
import type { OperatorCommand, OperatorContext } from './operator-work.ts'
import { readText, refuse, withOperator } from './operator-work.ts'

/** Merchant accounts. */
export const accounts: OperatorCommand = {
  name: 'accounts',
  summary: 'list merchant accounts; accounts put, limit and countries create or change one',
  forms: [
    {
      words: '[list]',
      options: ['[--json]'],
      help: 'lists the accounts of all merchants, test and live',
      async run({ has }, { env, print }) {
        const listed = await withOperator(env, ({ merchants }) => merchants.listAccounts(null))
        if (has('json')) printJson(listed, print)
        else
          for (const account of listed)
            print(`${accountLine(account)}, merchant ${account.merchantId}`)
        return 0
      },
    },
    {
      words: 'show <MERCH_ACCT_ID>',
      options: ['[--json]'],
      help: 'shows one account',
      async run({ word, has }, { env, print, complain }) {
        const id = BigInt(word('MERCH_ACCT_ID'))
        const listed = await withOperator(env, ({ merchants }) => merchants.listAccounts(null))
        const account = listed.find((each) => each.id === id)
        if (account === undefined) {
          complain(`Account ${id} does not exist; "tollgate accounts" lists them.`)
          return 1
        }
        if (has('json')) printJson(account, print)
        else for (const line of accountLines(account)) print(line)
        return 0
      },
    },
    {
      words: 'limit <MERCH_ACCT_ID> <currency>',
      options: ['[--payment AMOUNT]', '[--day AMOUNT]'],
      help: 'limits one payment, and all of a day, in a currency; none takes a limit away',
      run: limit,
    },
    {
      words: 'countries <MERCH_ACCT_ID> allow|refuse <code>...',
      help: 'takes payments with these billing countries only, or refuses them',
      run: ({ word, words }, context) =>
        setCountries(
          word('MERCH_ACCT_ID'),
          { rule: word('allow|refuse') === 'allow' ? 'allow' : 'refuse', codes: words('code') },
          context,
        ),
    },
    {
      words: 'countries <MERCH_ACCT_ID> any',
      help: 'takes payments with every billing country',
      run: ({ word }, context) => setCountries(word('MERCH_ACCT_ID'), null, context),
    },
    {
      words: 'put <file.json>',
      help: 'creates an account, or changes the one of that id',
      async run({ word }, { env, print, complain }) {
        const text = readText(word('file.json'))
        const put = await withOperator(env, (operator) => operator.putAccount(text))
        if (!put.ok) return refuse(put.faults, complain)
        print(`Account ${put.id} was ${put.created ? 'created' : 'changed'}.`)
        if (put.kept.length > 0) {
          print(`It keeps ${put.kept.join(', ')}, because the file leaves that out.`)
        }
        return 0
      },
    },
  ],
}

const WITHIN = 'Running gateways apply it within 2 seconds.'

async function limit(
  { word, option }: TypedArguments,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const [id, currency] = [BigInt(word('MERCH_ACCT_ID')), word('currency')]
  const given = { payment: option('payment'), day: option('day') }
  const limited = await withOperator(env, ({ merchants }) =>
    merchants.limitAmounts(id, currency, given),
  )
  if (!limited.ok) return refuse(limited.faults, complain)
  print(`The limits of account ${id} in ${currency} were set. ${WITHIN}`)
  return 0
}

async function setCountries(
  account: string,
  countries: CountryRule | null,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const limited = await withOperator(env, ({ merchants }) =>
    merchants.limitCountries(BigInt(account), countries),
  )
  if (!limited.ok) return refuse(limited.faults, complain)
  print(`The countries of account ${account} were set. ${WITHIN}`)
  return 0
}
