import type pg from 'pg'
import {
  decideKeyOperation,
  keySubject,
  type KeyApproval,
  type KeyAuthority,
  type KeyOperation,
} from '../../domain/vault/key-operation.ts'

/** The audit details of an allowed operation, or why it is not allowed. */
export type TakenApproval =
  | { readonly ok: true; readonly details: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly reason: string }

/**
 * Takes what allows an operation on keys. An approval is used up with the open transaction of
 * `client`, which holds the request until then.
 *
 * @param actor who uses it
 */
export async function takeApproval(
  client: pg.ClientBase,
  operation: KeyOperation,
  authority: KeyAuthority,
  actor: string,
): Promise<TakenApproval> {
  if (authority.kind === 'sandbox') return { ok: true, details: {} }
  if (authority.kind === 'emergency') return { ok: true, details: { emergency: authority.reason } }
  const found = await lockApproval(client, keySubject(operation))
  const reason = decideKeyOperation(operation, found?.approval ?? null)
  if (reason !== null || found === null) return { ok: false, reason: reason ?? '' }
  await client.query('update operator_requests set used_at = now(), used_by = $2 where id = $1', [
    found.id,
    actor,
  ])
  const { requestedBy, approvedBy } = found.approval
  return {
    ok: true,
    details: { request: found.id, requested_by: requestedBy, approved_by: approvedBy },
  }
}

async function lockApproval(
  client: pg.ClientBase,
  subject: string,
): Promise<{ readonly id: string; readonly approval: KeyApproval } | null> {
  const { rows } = await client.query<{
    id: string
    wanted: KeyOperation
    asked_by: string
    decided_by: string
    disowned: boolean
    over: boolean
    used: boolean
  }>(
    `select r.id, r.wanted, a.email as asked_by, d.email as decided_by,
            not (a.active and d.active) as disowned,
            r.expires_at <= now() as over, r.used_at is not null as used
       from operator_requests r
       join operators a on a.id = r.asked_by
       join operators d on d.id = r.decided_by
      where r.subject = $1 and r.state = 'approved'
      order by r.id desc limit 1 for no key update of r`,
    [subject],
  )
  const [row] = rows
  if (row === undefined) return null
  const approval = {
    operation: row.wanted,
    requestedBy: row.asked_by,
    approvedBy: row.decided_by,
    isDisowned: row.disowned,
    isOver: row.over,
    isUsed: row.used,
  }
  return { id: row.id, approval }
}
