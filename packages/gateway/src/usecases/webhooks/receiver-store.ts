import type { CaughtRequest, SignatureVerdict } from '../../domain/webhooks/caught-request.ts'
import type { AnswerPlan, Manner } from '../../domain/webhooks/receiver-answer.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import type { LockedSiteTx } from '../merchants/locked-site.ts'
import type { SealedSecret } from './delivery-ports.ts'

/** A receiver of the sandbox as it is shown. */
export interface ReceiverView {
  readonly id: string
  readonly endpointId: bigint
  readonly url: string
  readonly plan: AnswerPlan
  readonly createdAt: Date
}

/** A receiver as it judges requests. */
export interface ReceiverKeys {
  readonly siteId: bigint
  readonly endpointId: bigint
  /** The newest first. */
  readonly secrets: readonly SealedSecret[]
}

/** A caught request as it is shown. */
export interface CaughtView extends CaughtRequest {
  readonly id: bigint
  readonly receiverId: string
  /** By the machine's clock. */
  readonly at: Date
  /** By the site's clock. */
  readonly siteAt: Date
  readonly verdict: SignatureVerdict
  readonly manner: Manner
  readonly status: number
}

/** The caught requests of a page, the newest first. */
export interface CaughtFilter {
  /** Null for all receivers of the site. */
  readonly receiverId: string | null
  /** Those before this one; null for the newest. */
  readonly before: bigint | null
  readonly limit: number
}

/** The locks, reads and writes of a change of a receiver. */
export interface ReceiverTx extends LockedSiteTx {
  readMode(siteId: bigint): Promise<'test' | 'live'>
  /** False for no such receiver of the site. */
  setPlan(siteId: bigint, id: string, plan: AnswerPlan): Promise<boolean>
}

/** Receivers and the requests that they caught. */
export interface ReceiverStore {
  readonly transact: Transact<ReceiverTx>
  /** Null for no such receiver. */
  find(id: string): Promise<ReceiverKeys | null>
  list(siteId: bigint): Promise<readonly ReceiverView[]>
  readCaught(siteId: bigint, filter: CaughtFilter): Promise<readonly CaughtView[]>
  /**
   * Stores a request with its answer. Erases the oldest ones of the site beyond `keep`. `answer`
   * gives the plan for the next request, under the lock of the receiver. Returns the plan that was
   * in force; null when the receiver is gone.
   */
  store(
    caught: Omit<CaughtView, 'id' | 'manner' | 'status'>,
    keep: number,
    answer: (plan: AnswerPlan) => AnswerPlan,
  ): Promise<AnswerPlan | null>
}
