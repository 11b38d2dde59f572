import type { Operation } from './parameters.ts'

/** The operation of each REQUEST_ACTION. Actions of other payment methods are unknown. */
const OPERATIONS: ReadonlyMap<string, Operation> = new Map([
  ['TESTAUTH', 'test_auth'],
  ['TESTGW', 'test_gateway'],
  ['CCAUTHORIZE', 'authorization'],
  ['CCAUTHCAP', 'sale'],
  ['CCCAPTURE', 'capture'],
  ['CCCREDIT', 'refund'],
  ['CCREVERSE', 'void'],
  ['CCREVERSECAP', 'capture_void'],
  ['CCSTATUS', 'status'],
  ['CCTRANSUPDATE', 'update_transaction'],
  ['CCRDR', 'dispute_alert'],
  ['CCRDRDELETE', 'dispute_alert'],
  ['CCTC40', 'dispute_alert'],
  ['SUB_UPDATE', 'update_membership'],
  ['SUB_CANCEL', 'cancel_membership'],
])

/**
 * Null for an action that this gateway does not take.
 * @param action in upper case
 * @param forced whether an unreferenced credit is meant by CCCREDIT
 */
export function findOperation(action: string, forced: boolean): Operation | null {
  const operation = OPERATIONS.get(action) ?? null
  return operation === 'refund' && forced ? 'unreferenced_credit' : operation
}

export const ACTION_NAMES: readonly string[] = [...OPERATIONS.keys()]
