import type { Operation } from './parameters.ts'

/** What each REQUEST_ACTION asks for. Actions of other payment methods are as unknown as any. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['TESTAUTH', 'test_auth'],
  ['TESTGW', 'test_gateway'],
  ['CCAUTHORIZE', 'authorize'],
  ['CCAUTHCAP', 'sale'],
  ['CCCAPTURE', 'capture'],
  ['CCCREDIT', 'credit'],
  ['CCREVERSE', 'void'],
  ['CCREVERSECAP', 'void_capture'],
  ['CCSTATUS', 'status'],
  ['CCTRANSUPDATE', 'update_transaction'],
  ['SUB_UPDATE', 'update_membership'],
  ['SUB_CANCEL', 'cancel_membership'],
])

/** What REQUEST_ACTION says, in upper case; '' where it was not sent. */
export function actionOf(params: ReadonlyMap<string, string>): string {
  return (params.get('REQUEST_ACTION') ?? '').toUpperCase()
}

/** Null for an action that this gateway does not take. */
export function findOperation(params: ReadonlyMap<string, string>): Operation | null {
  const operation = OPERATIONS.get(actionOf(params)) ?? null
  return operation === 'credit' && params.get('FORCE_CREDIT') === '1' ? 'forced_credit' : operation
}

export const ACTION_NAMES: readonly string[] = [...OPERATIONS.keys()]
