import { refused, type Result } from '../../../base/refusal.ts'
import type { ChangeClock } from '../../../usecases/clocks/change-clock.ts'
import type { ChangeMembership } from '../../../usecases/memberships/change-membership.ts'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type { AdjustOrder } from '../../../usecases/payments/adjustment-command.ts'

/** The requester of a reset. */
export interface ResetAuthor {
  /** As the audit log names it. */
  readonly actor: string
  readonly merchantId: bigint
  /** Null for API users and for the gateway itself. */
  readonly portalUserId: bigint | null
}

/** How much was done on a reset, by kind. */
export interface ResetCounts {
  readonly memberships: number
  readonly authorizations: number
  readonly references: number
  readonly logins: number
  readonly tokens: number
  readonly requests: number
  /** The clock was ahead of the real time and stays: what happened would lie in the future. */
  readonly clocksLeft: number
}

/** A reset as far as it has come. */
export interface ResetState {
  readonly id: bigint
  readonly begunAt: Date
  /** Null: not over yet. Ask again with the same key. */
  readonly doneAt: Date | null
  readonly done: ResetCounts
}

export type ResetResult = Result<{ readonly state: ResetState }>

/** A place in the open authorizations of a site. */
export interface AuthorizationPlace {
  readonly expiresAt: Date
  readonly id: bigint
}

/** Everything names the merchant and counts for test mode only. */
export interface ResetStore {
  /**
   * The reset of this key, started now if there is none. Null: the database says that the site is
   * no test site.
   */
  begin(
    author: ResetAuthor,
    address: string,
    siteId: bigint,
    key: string,
  ): Promise<{
    readonly id: bigint
    readonly begunAt: Date
    readonly doneAt: Date | null
    readonly done: Partial<ResetCounts>
  } | null>
  openMemberships(
    merchantId: bigint,
    siteId: bigint,
    after: bigint,
    limit: number,
  ): Promise<readonly bigint[]>
  openAuthorizations(
    merchantId: bigint,
    siteId: bigint,
    after: AuthorizationPlace | null,
    limit: number,
  ): Promise<readonly AuthorizationPlace[]>
  /** Adds to what is counted. */
  count(id: bigint, kind: keyof ResetCounts, more: number): Promise<void>
  /** Takes some of the requests away that came before the reset; gives how many. */
  removeRequests(merchantId: bigint, siteId: bigint, before: Date, limit: number): Promise<number>
  /**
   * Makes references and login names free, erases unused card tokens, and ends the reset with its
   * audit entry.
   */
  finish(author: ResetAuthor, address: string, siteId: bigint, id: bigint): Promise<void>
  read(
    merchantId: bigint,
    id: bigint,
  ): Promise<{
    readonly begunAt: Date
    readonly doneAt: Date | null
    readonly done: Partial<ResetCounts>
  } | null>
}

export interface ResetSiteDeps {
  readonly store: ResetStore
  readonly readSite: (merchantId: bigint, siteId: bigint) => Promise<Site | null>
  readonly changeMembership: ChangeMembership
  readonly adjustOrder: AdjustOrder
  readonly changeClock: ChangeClock
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly monotonicMs: () => number
}

export type ResetSite = (
  author: ResetAuthor,
  address: string,
  siteId: bigint,
  key: string,
) => Promise<ResetResult>

/** The time that one request works on a large reset. */
const PATIENCE_MS = 15_000
const PAGE = 100
const REQUESTS_AT_ONCE = 5_000
const CLOCK_WAIT_MS = 10_000

/**
 * Resets a test site. Operations that move funds use the paths of the payment address, so that the
 * bank and the books record them. Each step can be repeated, and payments may continue.
 */
export function createResetSite(deps: ResetSiteDeps): ResetSite {
  const { store } = deps
  return async (author, address, siteId, key) => {
    const { merchantId } = author
    const site = await deps.readSite(merchantId, siteId)
    if (site === null) return refused('missing', 'This site does not exist.')
    const begun = site.mode === 'test' ? await store.begin(author, address, siteId, key) : null
    if (begun === null) {
      return refused('conflict', 'The site is in live mode. You can only reset test sites.', {
        code: 'live_site',
      })
    }
    const untilMs = deps.monotonicMs() + PATIENCE_MS
    const isLate = (): boolean => deps.monotonicMs() >= untilMs
    const current = async (): Promise<ResetResult> => {
      const read = (await store.read(merchantId, begun.id)) ?? begun
      return {
        ok: true,
        state: {
          id: begun.id,
          begunAt: read.begunAt,
          doneAt: read.doneAt,
          done: { ...NOTHING, ...read.done },
        },
      }
    }
    if (begun.doneAt !== null) return current()

    for (let after = 0n; ;) {
      const ids = await store.openMemberships(merchantId, siteId, after, PAGE)
      for (const membershipId of ids) {
        const result = await deps.changeMembership({
          kind: 'cancel',
          when: 'now',
          site,
          membershipId,
          customerId: null,
        })
        if (result.kind === 'done') await store.count(begun.id, 'memberships', 1)
        if (isLate()) return current()
      }
      const last = ids.at(-1)
      if (last === undefined) break
      after = last
    }
    for (let after: AuthorizationPlace | null = null; ;) {
      const places = await store.openAuthorizations(merchantId, siteId, after, PAGE)
      for (const { id: orderId } of places) {
        const result = await deps.adjustOrder({
          kind: 'void',
          requestId: await deps.nextRequestId(),
          origin: 'portal',
          site,
          orderId,
          lineId: null,
          amount: null,
          currencyCode: null,
          refundOnFail: false,
        })
        if (result.kind === 'done') await store.count(begun.id, 'authorizations', 1)
        if (isLate()) return current()
      }
      const last: AuthorizationPlace | undefined = places.at(-1)
      if (last === undefined) break
      after = last
    }
    const clock = await deps.changeClock(site, { kind: 'reset' }, author.actor, CLOCK_WAIT_MS)
    const clockStays = !clock.ok && clock.code === 'ahead'
    if (clockStays) await store.count(begun.id, 'clocksLeft', 1)
    else if (!clock.ok || clock.view.target !== null) return current()
    for (;;) {
      const removed = await store.removeRequests(
        merchantId,
        siteId,
        begun.begunAt,
        REQUESTS_AT_ONCE,
      )
      if (removed > 0) await store.count(begun.id, 'requests', removed)
      if (removed < REQUESTS_AT_ONCE) break
      if (isLate()) return current()
    }
    await store.finish(author, address, siteId, begun.id)
    return current()
  }
}

const NOTHING: ResetCounts = {
  memberships: 0,
  authorizations: 0,
  references: 0,
  logins: 0,
  tokens: 0,
  requests: 0,
  clocksLeft: 0,
}
