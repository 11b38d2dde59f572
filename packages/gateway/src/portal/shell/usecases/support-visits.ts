import { mayOperate, type ConsoleRole } from '@tollgate/portal-contract/console-rights'
import { refused, type Result } from '../../../base/refusal.ts'
import type { AuditAuthor, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import { decideVisit, decideVisitEnd, visitMail, type HeldVisit } from '../domain/support-visit.ts'

/** A visit as merchant and operators see it. */
export interface SupportVisit {
  readonly id: bigint
  readonly operator: { readonly name: string; readonly email: string }
  readonly reason: string
  readonly begunAt: Date
  readonly expiresAt: Date
  /** Null for one that is open. */
  readonly endedAt: Date | null
  /** As the audit log names them; empty where the time or the session was over. */
  readonly endedBy: string
}

/** The visit that is open in a session at the console. */
export interface OpenVisit {
  readonly id: bigint
  readonly merchantId: bigint
  /** An IANA name. */
  readonly timeZone: string
  readonly reason: string
  readonly expiresAt: Date
  readonly secondsLeft: number
}

/** A visit that ended by itself: its time or its session was over. */
export interface OverVisit {
  readonly id: bigint
  readonly merchantId: bigint
  readonly operatorEmail: string
  readonly cause: 'time' | 'session'
}

/** The locks, reads and writes of one change of a visit. */
export interface SupportVisitTx extends AuditedTx {
  /**
   * Holds the operator until the commit, so that two requests begin one visit. The role at this
   * moment; null for a disabled operator.
   */
  lockVisitor(operatorId: bigint): Promise<ConsoleRole | null>
  /**
   * Ends the visits whose time or session is over, of one operator or of all (null). A visit is
   * among the ended ones of one transaction only.
   */
  endOver(operatorId: bigint | null): Promise<readonly OverVisit[]>
  /** The name of the merchant of an open visit; null for none. */
  findOpen(operatorId: bigint): Promise<string | null>
  /** Null for no such merchant. */
  readMerchantName(merchantId: bigint): Promise<string | null>
  insertVisit(visit: {
    readonly operatorId: bigint
    readonly operatorSession: bigint
    readonly merchantId: bigint
    readonly reason: string
    readonly minutes: number
  }): Promise<{ readonly id: bigint; readonly expiresAt: Date }>
  /** Null for no such visit, and for one of another merchant than the named one. */
  lockVisit(id: bigint, merchantId: bigint | null): Promise<HeldVisit | null>
  endVisit(id: bigint, by: string): Promise<void>
  /** Queues a mail to each owner of the merchant who is active. */
  mailOwners(
    merchantId: bigint,
    mail: { readonly subject: string; readonly text: string },
  ): Promise<void>
}

export interface SupportVisitStore {
  readonly transact: Transact<SupportVisitTx>
  /** The visits of a merchant, newest first; at most 50. */
  listVisits(merchantId: bigint): Promise<readonly SupportVisit[]>
  findOpenVisit(operatorSession: bigint): Promise<OpenVisit | null>
}

/** The operator who begins a visit. */
export interface Visitor {
  readonly id: bigint
  readonly sessionId: bigint
  readonly name: string
  readonly email: string
}

/** Begins a read-only visit to the portal of a merchant. The audit logs of both have it. */
export type BeginVisit = (
  visitor: Visitor,
  by: AuditAuthor,
  wanted: { readonly merchantId: bigint; readonly reason: string; readonly minutes: number },
) => Promise<Result>

/** Ends a visit at once. `merchantId`: null for an operator, who may end any. */
export type EndVisit = (id: bigint, merchantId: bigint | null, by: AuditAuthor) => Promise<Result>

/** `sendsMail`: whether the gateway sends mail at all. */
export function createBeginVisit(
  { transact }: Pick<SupportVisitStore, 'transact'>,
  sendsMail: boolean,
): BeginVisit {
  return (visitor, by, { merchantId, reason, minutes }) =>
    transact(async (tx): Promise<Result> => {
      const role = await tx.lockVisitor(visitor.id)
      // A role may be changed while a page is open, so it is judged again under the lock.
      if (role === null || !mayOperate(role, 'support.visit')) {
        return refused('forbidden', 'Your role was changed and no longer allows this.')
      }
      const merchant = await tx.readMerchantName(merchantId)
      if (merchant === null) return refused('missing', 'This merchant does not exist.')
      await auditOver(tx, await tx.endOver(visitor.id))
      const open = await tx.findOpen(visitor.id)
      const refusal = decideVisit({ reason, minutes, open })
      if (refusal !== null) return refusal
      const { id, expiresAt } = await tx.insertVisit({
        operatorId: visitor.id,
        operatorSession: visitor.sessionId,
        merchantId,
        reason,
        minutes,
      })
      if (sendsMail) {
        const mail = visitMail({ merchant, operator: visitor, reason, expiresAt })
        await tx.mailOwners(merchantId, mail)
      }
      const details = { visit: id.toString(), reason, until: expiresAt.toISOString() }
      await tx.audit([visitEntry(by, merchantId, 'support.visit_begun', details)])
      return { ok: true }
    })
}

export function createEndVisit({ transact }: Pick<SupportVisitStore, 'transact'>): EndVisit {
  return (id, merchantId, by) =>
    transact(async (tx): Promise<Result> => {
      const visit = await tx.lockVisit(id, merchantId)
      const decided = decideVisitEnd(visit)
      if (!decided.ok) return decided
      const { visit: held } = decided
      await tx.endVisit(id, by.actor)
      const details = { visit: id.toString(), operator: held.operatorEmail }
      await tx.audit([visitEntry(by, held.merchantId, 'support.visit_ended', details)])
      return { ok: true }
    })
}

/** The author of what the gateway does by itself. */
const GATEWAY: AuditAuthor = { actor: 'tollgate', address: '' }

/**
 * Ends the visits that are over, and enters each end once, on whichever node looks first.
 * @returns ends them; false, because nothing more can be over right away
 */
export function createEndOverVisits({
  transact,
}: Pick<SupportVisitStore, 'transact'>): () => Promise<boolean> {
  return () =>
    transact(async (tx) => {
      await auditOver(tx, await tx.endOver(null))
      return false
    })
}

async function auditOver(tx: AuditedTx, visits: readonly OverVisit[]): Promise<void> {
  if (visits.length === 0) return
  await tx.audit(
    visits.map(({ id, merchantId, operatorEmail, cause }) =>
      visitEntry(GATEWAY, merchantId, 'support.visit_ended', {
        visit: id.toString(),
        operator: operatorEmail,
        over: cause,
      }),
    ),
  )
}

/** An entry of the merchant, which its own audit page shows too. */
function visitEntry(
  by: AuditAuthor,
  merchantId: bigint,
  operation: 'support.visit_begun' | 'support.visit_ended',
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  return { ...by, operation, merchantId, object: `merchant ${merchantId}`, result: 'done', details }
}
