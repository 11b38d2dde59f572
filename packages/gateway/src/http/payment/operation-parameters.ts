import type { DescribeOperation } from '../../usecases/audit/requested-operation.ts'
import type { ParameterName } from './parameters.ts'
import { ACTION_OF } from './transaction-record.ts'

/** Without card and address: the request log needs neither. */
export const describeOperation: DescribeOperation = (operation) => {
  const parameters = new Map<string, string>()
  const add = (name: ParameterName, value: string | bigint | null): void => {
    if (value !== null && value !== '') parameters.set(name, String(value))
  }
  const action = ACTION_OF[operation.kind]
  add('REQUEST_ACTION', action)
  add('SITE_ID', operation.siteId)
  add('REQUEST_REF_PO_ID', operation.orderId)
  add('REQUEST_REF_PO_LI_ID', operation.lineId)
  if (operation.amounts.length > 0) add('REQUEST_CURRENCY', operation.currency)
  for (const [at, amount] of operation.amounts.entries())
    parameters.set(`LI_VALUE_${at + 1}`, amount)
  add('XTL_ORDER_ID', operation.reference)
  add('MERCH_ACCT_ID', operation.accountId)
  if (operation.card?.kind === 'token') add('TOKEN_GUID', '[removed]')
  if (operation.card?.kind === 'saved') {
    add('CUST_ID', operation.card.customerId)
    add('PMT_ID', operation.card.paymentMethodId)
  }
  parameters.set('SENT_BY', 'portal')
  return { action, parameters: Object.fromEntries(parameters) }
}
