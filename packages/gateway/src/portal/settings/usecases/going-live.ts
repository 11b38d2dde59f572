import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { Outcome } from '../../../usecases/merchants/operator.ts'
import type { PortalPerson } from '../../shell/usecases/person.ts'
import type { Difference } from '../domain/going-live.ts'

export type GoLiveState = 'open' | 'approved' | 'refused' | 'withdrawn' | 'void' | 'expired'

/** One person's wish to move a site, and what another one made of it. */
export interface GoLiveRequest {
  readonly id: bigint
  readonly siteId: bigint
  readonly siteName: string
  readonly wantedMode: Mode
  readonly state: GoLiveState
  readonly listed: readonly Difference[]
  readonly reason: string
  readonly askedBy: { readonly id: bigint; readonly name: string; readonly email: string }
  readonly askedAt: Date
  readonly expiresAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly decisionReason: string
}

/** What would differ if the site were moved now. */
export interface DryRun {
  readonly from: Mode
  readonly to: Mode
  readonly lines: readonly Difference[]
  /** Names the list, without what traffic changes; to be sent with a request. */
  readonly digest: string
}

/** Somebody who asks or decides, and the session they do it in. */
export interface Doer {
  readonly person: PortalPerson
  readonly sessionId: bigint
  readonly address: string
}

/**
 * Moves a site between test and live with two people. Each act holds the site, decides on what it
 * reads then, and writes its entries of the audit log in the same commit.
 */
export interface GoingLive {
  /** Null for no such site of the merchant. */
  dryRun(merchantId: bigint, siteId: bigint): Promise<DryRun | null>
  /** Of the merchant, the newest first: those that are open, and the last others. */
  list(merchantId: bigint, siteId?: bigint): Promise<readonly GoLiveRequest[]>
  /** `digest`: of the list that the person has seen. */
  ask(
    doer: Doer,
    siteId: bigint,
    digest: string,
    reason: string,
  ): Promise<Outcome<{ readonly id: bigint }>>
  approve(doer: Doer, siteId: bigint, id: bigint): Promise<Outcome<object>>
  refuse(doer: Doer, siteId: bigint, id: bigint, reason: string): Promise<Outcome<object>>
  withdraw(doer: Doer, siteId: bigint, id: bigint): Promise<Outcome<object>>
}
