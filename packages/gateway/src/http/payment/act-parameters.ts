import type { DescribeAct } from '../../usecases/audit/requested-act.ts'
import type { ParameterName } from './parameters.ts'
import { ACTION_OF } from './transaction-record.ts'

/** Without card and address: the request log needs neither of a person. */
export const describeAct: DescribeAct = (act) => {
  const parameters = new Map<string, string>()
  const add = (name: ParameterName, value: string | bigint | null): void => {
    if (value !== null && value !== '') parameters.set(name, String(value))
  }
  const action = ACTION_OF[act.kind]
  add('REQUEST_ACTION', action)
  add('SITE_ID', act.siteId)
  add('REQUEST_REF_PO_ID', act.orderId)
  add('REQUEST_REF_PO_LI_ID', act.lineId)
  if (act.amounts.length > 0) add('REQUEST_CURRENCY', act.currency)
  for (const [at, amount] of act.amounts.entries()) parameters.set(`LI_VALUE_${at + 1}`, amount)
  add('XTL_ORDER_ID', act.reference)
  add('MERCH_ACCT_ID', act.accountId)
  if (act.card?.kind === 'token') add('TOKEN_GUID', '[removed]')
  if (act.card?.kind === 'saved') {
    add('CUST_ID', act.card.customerId)
    add('PMT_ID', act.card.paymentMethodId)
  }
  parameters.set('SENT_BY', 'portal')
  return { action, parameters: Object.fromEntries(parameters) }
}
