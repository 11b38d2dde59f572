import type { Result } from '../../base/refusal.ts'
import type { Secret } from '../../base/secret.ts'
import {
  liveSiteRefusal,
  noSuchReceiver,
  planRefusal,
  type AnswerPlan,
} from '../../domain/webhooks/receiver-answer.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import { onLockedSite } from '../merchants/locked-site.ts'
import type { ChangeEndpoints } from './change-endpoints.ts'
import type { ReceiverStore, ReceiverTx } from './receiver-store.ts'

/** A receiver right after it was added. */
export interface AddedReceiver {
  readonly id: string
  readonly url: string
  readonly endpointId: bigint
  /** Shown this once. */
  readonly secret: Secret
}

/** Changes of the receivers of a test site. */
export interface ChangeReceivers {
  /** Adds a receiver and the endpoint that posts to it. */
  add(
    siteId: bigint,
    types: readonly string[],
    by: AuditAuthor,
  ): Promise<Result<{ readonly added: AddedReceiver }>>
  /** Removes a receiver with its endpoint, and all that it caught. */
  remove(siteId: bigint, id: string, by: AuditAuthor): Promise<Result>
  /** Sets how the next requests are answered. */
  setAnswer(siteId: bigint, id: string, plan: AnswerPlan, by: AuditAuthor): Promise<Result>
}

export interface ChangeReceiversDeps {
  readonly store: Pick<ReceiverStore, 'find' | 'transact'>
  readonly endpoints: Pick<ChangeEndpoints, 'addReceiver' | 'remove'>
  /** An id that cannot be guessed. */
  readonly newId: () => string
  /** The address of a receiver, as this gateway reaches itself. */
  readonly urlOf: (id: string) => string
}

export function createChangeReceivers(deps: ChangeReceiversDeps): ChangeReceivers {
  const { endpoints, newId, store, urlOf } = deps
  return {
    async add(siteId, types, by) {
      const id = newId()
      const url = urlOf(id)
      const made = await endpoints.addReceiver(siteId, id, { url, types }, by)
      if (!made.ok) return made
      return { ok: true, added: { id, url, endpointId: made.id, secret: made.secret } }
    },
    async remove(siteId, id, by) {
      const found = await store.find(id)
      if (found?.siteId !== siteId) return noSuchReceiver()
      return endpoints.remove(siteId, found.endpointId, by)
    },
    setAnswer: (siteId, id, plan, by) =>
      onLockedSite<ReceiverTx, object>(store.transact, siteId, by, async (tx, entry) => {
        const refusal = planRefusal(plan) ?? liveSiteRefusal(siteId, await tx.readMode(siteId))
        if (refusal !== null) return refusal
        if (!(await tx.setPlan(siteId, id, plan))) return noSuchReceiver()
        const { delayMs, left, manner, retryAfterS, status } = plan
        const details = { manner, status, delayMs, retryAfterS, count: left }
        await tx.audit([entry('site.webhook_receiver_set', { receiver: id, ...details })])
        return { ok: true }
      }),
  }
}
