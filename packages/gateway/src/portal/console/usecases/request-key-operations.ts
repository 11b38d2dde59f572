import { mayOperate } from '@tollgate/portal-contract/console-rights'
import { refused, type Result } from '../../../base/refusal.ts'
import { describeKeyOperation, type KeyOperation } from '../../../domain/vault/key-operation.ts'
import { rightTakenAway } from '../domain/operator-changes.ts'
import type { ConsoleRequester } from './console-operator.ts'
import type { ConsoleTx, OperatorsStore } from './operators-store.ts'
import { requestOperation } from './request-operation.ts'

/** Requests an operation on keys or all cards; a command does it once it is approved. */
export type RequestKeyOperation = (
  requester: ConsoleRequester,
  operation: KeyOperation,
  reason: string,
) => Promise<Result>

export function createRequestKeyOperation({ transact }: OperatorsStore): RequestKeyOperation {
  return (requester, operation, reason) =>
    transact(async (tx) => {
      const { operator } = requester
      const role = operator === null ? null : await tx.readRole(operator.id)
      if (role === null || !mayOperate(role, 'keys.change')) return rightTakenAway()
      const seen = await seenKey(tx, operation)
      if (seen !== 'retired' && operation.does === 'destroy_key') {
        const sentence =
          `Data key ${operation.keyId} is ${seen}. ` + 'Only a retired key can be destroyed.'
        return refused('conflict', sentence, { field: 'key' })
      }
      const label = describeKeyOperation(operation)
      return requestOperation(tx, requester, operation, { label, seen, reason })
    })
}

/** The state of the key that is to be destroyed; '-' where nothing is. */
export async function seenKey(
  tx: Pick<ConsoleTx, 'readKeyState'>,
  operation: KeyOperation,
): Promise<string> {
  if (operation.does !== 'destroy_key') return '-'
  return (await tx.readKeyState(operation.keyId)) ?? 'unknown'
}
