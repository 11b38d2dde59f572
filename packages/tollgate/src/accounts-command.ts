import { printJson } from './json-lines.ts'
import { accountLine, accountLines } from './merchant-lines.ts'
import type { OperatorCommand } from './operator-work.ts'
import { readText, refuse, withOperator } from './operator-work.ts'

/** Merchant accounts. */
export const accounts: OperatorCommand = {
  name: 'accounts',
  summary: 'list merchant accounts; accounts put <file.json> creates or changes one',
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
      words: 'put <file.json>',
      help: 'creates an account, or changes the one of that id',
      async run({ word }, { env, print, complain }) {
        const text = readText(word('file.json'))
        const put = await withOperator(env, (operator) => operator.putAccount(text))
        if (!put.ok) return refuse(put.faults, complain)
        print(`Account ${put.id} was ${put.created ? 'created' : 'changed'}.`)
        return 0
      },
    },
  ],
}
