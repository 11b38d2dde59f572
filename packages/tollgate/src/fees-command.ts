import { planLines, type FeeSum } from '@tollgate/gateway/operator'
import { amountText } from './batch-agreement-lines.ts'
import { readText, refuse, withOperator, type OperatorCommand } from './operator-work.ts'

/** The operator's prices for merchants. docs/operators/fees.md */
export const fees: OperatorCommand = {
  name: 'fees',
  summary: "fees [put|charged] shows or sets merchants' fees, and adds up a month",
  forms: [
    {
      words: '',
      help: 'lists the plan of each merchant, by the day on which it starts',
      async run(_, { env, print }) {
        const listed = await withOperator(env, (operator) => operator.fees.list())
        if (listed.length === 0) print('No merchant has a plan, so no fees are charged.')
        for (const { merchantId, plans } of listed) {
          for (const plan of plans) {
            print(`merchant ${merchantId} from ${plan.startsOn}:`)
            for (const line of planLines(plan)) print(`  ${line}`)
          }
        }
        return 0
      },
    },
    {
      words: 'put <file.json>',
      help: 'stores a plan that starts on a later day',
      async run({ word }, { env, print, complain }) {
        const text = readText(word('file.json'))
        const put = await withOperator(env, (operator) => operator.fees.put(text))
        if (!put.ok) return refuse(put.faults, complain)
        const done = put.replaced ? 'was replaced' : 'was stored'
        print(`The plan of merchant ${put.merchantId} from ${put.startsOn} ${done}.`)
        return 0
      },
    },
    {
      words: 'charged <MERCHANT_ID> <YYYY-MM>',
      help: 'adds up the fees that were charged for a month',
      async run({ word }, { env, print, complain }) {
        const month = word('YYYY-MM')
        if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
          complain(`The month is ${month}; it must be one such as 2026-11.`)
          return 2
        }
        const merchantId = BigInt(word('MERCHANT_ID'))
        const sums = await withOperator(env, (operator) =>
          operator.fees.sums(merchantId, `${month}-01`),
        )
        if (sums.length === 0) print(`No fees were charged for ${month}.`)
        for (const sum of sums) print(sumLine(sum))
        return 0
      },
    },
  ],
}

function sumLine({ currency, kind, brand, count, amountMinor, feeMinor }: FeeSum): string {
  const fee = amountText(feeMinor, currency)
  if (kind === 'monthly') return `monthly: ${fee}`
  return `${brand} ${kind}: ${fee} for ${count} of ${amountText(amountMinor, currency)}`
}
