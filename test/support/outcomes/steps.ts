import assert from 'node:assert/strict'
import { newReference } from '../payments.ts'
import { operation, type OperationAnswer } from '../sandbox-operations.ts'
import type { Fields, Form } from './answer.ts'
import type { Sweep } from './sweep.ts'

/** The fields of a sale that has to be approved. */
export async function approvedSale(sweep: Sweep, changes: Form = {}): Promise<Fields> {
  const { fields } = await sweep.pay(changes)
  assert.equal(fields['TRANS_STATUS_NAME'], 'APPROVED', JSON.stringify(fields))
  return fields
}

export function approvedAuthorization(sweep: Sweep, changes: Form = {}): Promise<Fields> {
  return approvedSale(sweep, { REQUEST_ACTION: 'CCAUTHORIZE', ...changes })
}

/** The definition of a product of the test's own; `type` 1 ends after its first period. */
export function newProduct(type: '1' | '2' = '2'): Form {
  return {
    PROD_NAME: `Product ${newReference()}`,
    PROD_TYPE: type,
    PROD_REBILL_METRIC: 'M',
    PROD_REBILL_PERIOD: '1',
  }
}

/** An operation of the sandbox at site 1001 that has to be done. */
export async function operate(
  { gateway }: Sweep,
  name: string,
  members: Readonly<Record<string, unknown>> = {},
): Promise<OperationAnswer> {
  const answer = await operation(gateway, name, members)
  assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer)}`)
  return answer
}
