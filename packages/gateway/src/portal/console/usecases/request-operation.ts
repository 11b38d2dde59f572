import { refused, type Result } from '../../../base/refusal.ts'
import { reasonFault } from '../../../domain/merchants/merchant-change.ts'
import { alreadyRequested, subjectOf, type DangerousOperation } from '../domain/operator-request.ts'
import type { ConsoleRequester } from './console-operator.ts'
import type { ConsoleTx } from './operators-store.ts'

/** Writes the request for an operation that needs a second operator, with its entry. */
export async function requestOperation(
  tx: ConsoleTx,
  requester: ConsoleRequester,
  operation: DangerousOperation,
  about: { readonly label: string; readonly seen: string; readonly reason: string },
): Promise<Result<{ readonly done: boolean; readonly link: null }>> {
  const { operator } = requester
  // A command has no second operator to wait for, and never comes here.
  if (operator === null) return alreadyRequested()
  const fault = about.reason === '' ? null : reasonFault(about.reason)
  if (fault !== null) return refused('invalid', fault, { field: 'reason' })
  await tx.expireRequests()
  const subject = subjectOf(operation)
  const id = await tx.insertRequest({
    operation,
    subject,
    ...about,
    requestedBy: operator.id,
    requesterSession: operator.sessionId,
  })
  if (id === null) return alreadyRequested()
  const { actor, address } = requester
  const details = { request: id.toString(), does: operation.does, reason: about.reason }
  const entry = { actor, address, object: subject, result: 'done', details } as const
  await tx.audit([{ ...entry, operation: 'operator.change_requested' }])
  return { ok: true, done: false, link: null }
}
