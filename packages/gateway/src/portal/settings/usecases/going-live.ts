import type { Role } from '@tollgate/portal-contract/rights'
import { refused, type Result } from '../../../base/refusal.ts'
import { noSuchSite } from '../../../domain/merchants/refused-site.ts'
import type { AuditOperation, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { moveSite, type SiteModeTx } from '../../../usecases/merchants/set-site-mode.ts'
import { portalUserActor, type PortalUser } from '../../shell/usecases/portal-user.ts'
import {
  leftBehindLines,
  type ModeDifference,
  type LeftBehind,
  type ModeFacts,
} from '../domain/going-live.ts'
import {
  decideApproval,
  decideNewRequest,
  decideRefusal,
  decideWithdrawal,
  listingOf,
  withLeftBehind,
  type ActingUser,
  type Listing,
  type LiveRequest,
  type LiveRequestState,
  type LiveRequestRefused,
} from '../domain/live-request.ts'

/** One portal user's request to move a site, and what another one made of it. */
export interface GoLiveRequest {
  readonly id: bigint
  readonly siteId: bigint
  readonly siteName: string
  readonly wantedMode: Mode
  readonly state: LiveRequestState
  readonly listed: readonly ModeDifference[]
  readonly reason: string
  readonly requestedBy: { readonly id: bigint; readonly name: string; readonly email: string }
  readonly requestedAt: Date
  readonly expiresAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly decisionReason: string
}

/** The differences if the site were moved now. */
export type DryRun = Listing

/** The user who requests or decides, and the session. */
export interface LiveChangeRequester {
  readonly portalUser: PortalUser
  readonly sessionId: bigint
  readonly address: string
}

/** A request as it is written down. */
export interface NewLiveRequest {
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly wantedMode: Mode
  readonly listed: readonly ModeDifference[]
  readonly digest: string
  readonly reason: string
  readonly requestedBy: bigint
  readonly requesterSession: bigint
}

/** Locks, reads and writes of a request or decision, in one transaction. */
export interface LiveRequestTx extends SiteModeTx, AuditedTx {
  /** Holds the site of the merchant until the commit; false for no such site. */
  lockOwnSite(merchantId: bigint, siteId: bigint): Promise<boolean>
  /** Null for a disabled portal user. The role cannot be removed until the commit. */
  readRole(portalUserId: bigint): Promise<Role | null>
  readModeFacts(merchantId: bigint, siteId: bigint): Promise<ModeFacts | null>
  lockRequest(siteId: bigint, id: bigint): Promise<LiveRequest | null>
  /** Whether a portal user made a link for this one within the last 24 hours. */
  hasFreshLink(portalUserId: bigint): Promise<boolean>
  /** Ends what is open and older than 24 hours. */
  expireRequests(siteId: bigint): Promise<void>
  /** Null where the site has an open request. */
  insertRequest(request: NewLiveRequest): Promise<bigint | null>
  /** Ends a request that a user decided on. */
  decideRequest(
    id: bigint,
    state: 'approved' | 'refused' | 'withdrawn',
    by: Pick<ActingUser, 'id' | 'sessionId'>,
    reason: string,
  ): Promise<void>
  /** Ends a request without a decision. */
  endRequest(id: bigint, state: 'void' | 'expired'): Promise<void>
}

export interface LiveRequestStore {
  readonly transact: Transact<LiveRequestTx>
  /** Null for no such site of the merchant. */
  readModeFacts(merchantId: bigint, siteId: bigint): Promise<ModeFacts | null>
  readLeftBehind(merchantId: bigint, siteId: bigint, mode: Mode): Promise<LeftBehind>
  /** Of the merchant, the newest first: those that are open, and the last others. */
  list(merchantId: bigint, siteId: bigint | null): Promise<readonly GoLiveRequest[]>
  /** Ends the merchant's open requests that are older than 24 hours. */
  expireRequests(merchantId: bigint): Promise<void>
}

/**
 * Moves a site between test and live with two portal users. Each operation locks the site, decides
 * on what it reads then, and writes its entries of the audit log in the same commit.
 */
export interface GoingLive {
  /** Null for no such site of the merchant. */
  dryRun(merchantId: bigint, siteId: bigint): Promise<DryRun | null>
  /** Of the merchant, the newest first: those that are open, and the last others. */
  list(merchantId: bigint, siteId?: bigint): Promise<readonly GoLiveRequest[]>
  /** `digest`: of the list that the portal user has seen. */
  request(
    requester: LiveChangeRequester,
    siteId: bigint,
    digest: string,
    reason: string,
  ): Promise<Result<{ readonly id: bigint }>>
  approve(requester: LiveChangeRequester, siteId: bigint, id: bigint): Promise<Result>
  refuse(
    requester: LiveChangeRequester,
    siteId: bigint,
    id: bigint,
    reason: string,
  ): Promise<Result>
  withdraw(requester: LiveChangeRequester, siteId: bigint, id: bigint): Promise<Result>
}

/** `digest`: SHA-256 as hexadecimal text. */
export function createGoingLive(
  store: LiveRequestStore,
  digest: (text: string) => string,
): GoingLive {
  async function readListing(
    from: Pick<LiveRequestStore, 'readModeFacts'>,
    merchantId: bigint,
    siteId: bigint,
  ): Promise<Listing | null> {
    const facts = await from.readModeFacts(merchantId, siteId)
    return facts === null ? null : listingOf(facts, digest)
  }

  async function withTraffic(
    { from, lines }: Listing,
    merchantId: bigint,
    siteId: bigint,
  ): Promise<readonly ModeDifference[]> {
    const left = await store.readLeftBehind(merchantId, siteId, from)
    return withLeftBehind(lines, leftBehindLines(from, left))
  }

  /** Holds the site, so that all who ask and decide come one after the other. */
  function onSite<Done extends object>(
    { portalUser, sessionId }: LiveChangeRequester,
    siteId: bigint,
    work: (tx: LiveRequestTx, acting: ActingUser) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return store.transact(async (tx) => {
      if (!(await tx.lockOwnSite(portalUser.merchantId, siteId))) return noSuchSite(siteId)
      return work(tx, { id: portalUser.id, sessionId, role: await tx.readRole(portalUser.id) })
    })
  }

  return {
    async dryRun(merchantId, siteId) {
      const listing = await readListing(store, merchantId, siteId)
      if (listing === null) return null
      return { ...listing, lines: await withTraffic(listing, merchantId, siteId) }
    },

    async list(merchantId, siteId) {
      await store.expireRequests(merchantId)
      return store.list(merchantId, siteId ?? null)
    },

    async request(requester, siteId, seen, reason) {
      const { merchantId } = requester.portalUser
      // A data key that is new here may be unwrapped by a KMS, and counting takes a while. Both
      // happen before the site is locked, not while others wait for it.
      const early = await readListing(store, merchantId, siteId)
      if (early === null) return noSuchSite(siteId)
      const left = leftBehindLines(
        early.from,
        await store.readLeftBehind(merchantId, siteId, early.from),
      )
      return onSite(requester, siteId, async (tx, acting) => {
        const listing = await readListing(tx, merchantId, siteId)
        if (listing === null) return noSuchSite(siteId)
        const refusal = decideNewRequest(acting, listing, seen)
        if (refusal !== null) return refusal
        await tx.expireRequests(siteId)
        const listed = withLeftBehind(listing.lines, left)
        const id = await tx.insertRequest({
          merchantId,
          siteId,
          wantedMode: listing.to,
          listed,
          digest: seen,
          reason,
          requestedBy: acting.id,
          requesterSession: acting.sessionId,
        })
        if (id === null) {
          return refused('conflict', 'This site already has an open request.')
        }
        const details = {
          request: id.toString(),
          before: listing.from,
          after: listing.to,
          listed: listed.map(({ level, title }) => `${level}: ${title}`),
          reason,
        }
        await tx.audit([entryFor(requester, siteId, 'site.go_live_requested', details)])
        return { ok: true, id }
      })
    },

    async approve(requester, siteId, id) {
      const { portalUser, address } = requester
      await readListing(store, portalUser.merchantId, siteId)
      return onSite(requester, siteId, async (tx, acting) => {
        const request = await tx.lockRequest(siteId, id)
        const fault = decideApproval(request, acting, {
          requesterRole: request === null ? null : await tx.readRole(request.requestedBy),
          cameInOfLate: await tx.hasFreshLink(portalUser.id),
          listing: await readListing(tx, portalUser.merchantId, siteId),
        })
        if (fault !== null || request === null) return end(tx, request, fault)
        const by = { actor: portalUserActor(portalUser), address }
        const { result, entry } = await moveSite(tx, siteId, request.wantedMode, by)
        if (!result.ok) return result
        await tx.decideRequest(id, 'approved', acting, '')
        const approved = entryFor(requester, siteId, 'site.go_live_approved', {
          request: id.toString(),
        })
        await tx.audit(entry === null ? [approved] : [approved, entry])
        return { ok: true }
      })
    },

    refuse: (requester, siteId, id, reason) =>
      onSite(requester, siteId, async (tx, acting) => {
        const request = await tx.lockRequest(siteId, id)
        const fault = decideRefusal(request, acting)
        if (fault !== null) return end(tx, request, fault)
        await tx.decideRequest(id, 'refused', acting, reason)
        const details = { request: id.toString(), reason }
        await tx.audit([entryFor(requester, siteId, 'site.go_live_refused', details)])
        return { ok: true }
      }),

    withdraw: (requester, siteId, id) =>
      onSite(requester, siteId, async (tx, acting) => {
        const refusal = decideWithdrawal(await tx.lockRequest(siteId, id), acting)
        if (refusal !== null) return refusal
        await tx.decideRequest(id, 'withdrawn', acting, '')
        const details = { request: id.toString() }
        await tx.audit([entryFor(requester, siteId, 'site.go_live_withdrawn', details)])
        return { ok: true }
      }),
  }
}

/** Writes down that a request is over, where its refusal is for good. */
async function end(
  tx: LiveRequestTx,
  request: LiveRequest | null,
  fault: LiveRequestRefused | null,
): Promise<Result> {
  if (fault === null) return refused('missing', 'This request does not exist.')
  if (request !== null && fault.ends !== null) await tx.endRequest(request.id, fault.ends)
  return fault.refusal
}

function entryFor(
  { portalUser, address }: LiveChangeRequester,
  siteId: bigint,
  operation: AuditOperation,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  return {
    actor: portalUserActor(portalUser),
    address,
    operation,
    object: `site ${siteId}`,
    merchantId: portalUser.merchantId,
    result: 'done',
    details,
  }
}
