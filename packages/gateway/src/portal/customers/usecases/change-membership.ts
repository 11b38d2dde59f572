import { amountDue } from '../../../domain/memberships/membership.ts'
import { decideAttemptByHand } from '../../../domain/memberships/next-attempt.ts'
import { withRetryNow, type CancelTime } from '../../../domain/memberships/wishes.ts'
import type {
  ChangeMembership,
  MembershipResult,
} from '../../../usecases/memberships/change-membership.ts'
import type {
  MembershipStore,
  StoredMembership,
} from '../../../usecases/memberships/membership-store.ts'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type { CustomerRequester } from './customers.ts'
import type {
  MembershipOperation,
  MembershipOperationStore,
  MembershipOperationView,
  MembershipBook,
} from './memberships.ts'

/** A change of a membership that a user requests. */
export type MembershipWish =
  | { readonly kind: 'cancel'; readonly when: CancelTime }
  | { readonly kind: 'product'; readonly productId: string }
  | { readonly kind: 'card'; readonly cardId: bigint }
  | { readonly kind: 'retry' }

export interface PortalMembershipRequest {
  readonly site: Site
  readonly membershipId: bigint
  /** Made by the page for one opened dialogue: the same one is done once. */
  readonly key: string
  /** The version that the page showed. */
  readonly seen: bigint
  readonly requester: CustomerRequester
  readonly wish: MembershipWish
}

type Refusal = Extract<MembershipResult, { kind: 'refused' }>['refusal']

export type WishResult =
  | { readonly kind: 'done'; readonly what: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal | 'nothing_to_retry' | 'key_reused' }
  /** The networks' rules do not let the card be charged now; `at`: when they would. */
  | { readonly kind: 'forbidden'; readonly reason: string; readonly at: Date | null }
  /** The membership is not what the page showed any more; by whom, if it was a portal user. */
  | { readonly kind: 'changed'; readonly by: readonly MembershipOperationView[] }

export interface ChangeMembershipInPortalDeps {
  readonly changeMembership: ChangeMembership
  readonly operations: MembershipOperationStore
  readonly readCardHistory: MembershipBook['readCardHistory']
}

/**
 * The membership operations of the payment address, for a portal user: decided by the same rules,
 * and only on the seen state. Written once for each key, with its audit entry.
 */
export function createChangeMembershipInPortal(
  deps: ChangeMembershipInPortalDeps,
): (wish: PortalMembershipRequest) => Promise<WishResult> {
  return async (asked) => {
    try {
      return (await repeated(deps, asked)) ?? (await fulfil(deps, asked))
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      // The same dialogue may have been sent twice at once, and the other one was first.
      const other = await repeated(deps, asked)
      return (
        other ?? {
          kind: 'changed',
          by: await deps.operations.operationsSince(asked.membershipId, asked.seen),
        }
      )
    }
  }
}

class ChangedMeanwhile extends Error {}

/** The result stored under the key; a key with another request does nothing. */
async function repeated(
  { operations }: ChangeMembershipInPortalDeps,
  { requester, key, membershipId, wish }: PortalMembershipRequest,
): Promise<WishResult | null> {
  const earlier = await operations.findOperation(requester.merchantId, key)
  if (earlier === null) return null
  const isSame = earlier.membershipId === membershipId && earlier.wish === wishText(wish)
  return isSame ? { kind: 'done', what: earlier.what } : { kind: 'refused', refusal: 'key_reused' }
}

function wishText(wish: MembershipWish): string {
  return JSON.stringify(wish, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  )
}

async function fulfil(
  deps: ChangeMembershipInPortalDeps,
  asked: PortalMembershipRequest,
): Promise<WishResult> {
  const { site, membershipId, wish } = asked
  if (wish.kind === 'retry') return retryNow(deps, asked)
  const about = { site, membershipId, customerId: null }
  const store = storeOf(deps, asked)
  const result = await deps.changeMembership(
    wish.kind === 'cancel'
      ? { ...about, kind: 'cancel', when: wish.when }
      : {
          ...about,
          kind: 'update',
          productId: wish.kind === 'product' ? wish.productId : null,
          cardId: wish.kind === 'card' ? wish.cardId : null,
        },
    store,
  )
  return result.kind === 'refused'
    ? result
    : { kind: 'done', what: whatWasDone(wish, result.membership) }
}

/** Reads only the seen state, and writes the operation with the change. */
function storeOf(
  { operations }: ChangeMembershipInPortalDeps,
  asked: PortalMembershipRequest,
): MembershipStore {
  const { requester, key, site, wish } = asked
  let found: StoredMembership | null = null
  return {
    async find(inMode, membershipId) {
      found = await operations.find(inMode, membershipId)
      if (found !== null && found.version !== asked.seen) throw new ChangedMeanwhile()
      return found
    },
    async change(_, membership) {
      if (found === null) return false
      const operation: MembershipOperation = {
        key,
        wish: wishText(wish),
        requester,
        operation: wish.kind === 'cancel' ? 'membership.cancelled' : 'membership.changed',
        what: whatWasDone(wish, { ...found, membership }),
      }
      if (await operations.change(found, membership, operation, site.clock.now())) return true
      throw new ChangedMeanwhile()
    },
  }
}

/** Brings a retry forward; the job for due renewals charges it, exactly once. */
async function retryNow(
  deps: ChangeMembershipInPortalDeps,
  asked: PortalMembershipRequest,
): Promise<WishResult> {
  const { operations, readCardHistory } = deps
  const { requester, key, membershipId, seen, site, wish } = asked
  const read = await operations.find(site, membershipId)
  if (read === null) return { kind: 'refused', refusal: 'membership_not_found' }
  if (read.version !== seen) throw new ChangedMeanwhile()
  const now = site.clock.now()
  const sooner = withRetryNow(read.membership, now)
  if (sooner === null) return { kind: 'refused', refusal: 'nothing_to_retry' }
  const verdict = decideAttemptByHand(
    await readCardHistory(read, now),
    amountDue(read.membership),
    now,
  )
  if (verdict.kind !== 'allowed') return { kind: 'forbidden', reason: verdict.reason, at: null }
  if (verdict.at.getTime() > now.getTime()) {
    return { kind: 'forbidden', reason: verdict.reason, at: verdict.at }
  }
  const what = whatWasDone(wish, read)
  // A renewal that is due anyway does not change; the request is on record all the same.
  const operation: MembershipOperation = {
    key,
    wish: wishText(wish),
    requester,
    operation: 'membership.retried',
    what,
  }
  if (await operations.change(read, sooner, operation, now)) return { kind: 'done', what }
  throw new ChangedMeanwhile()
}

function whatWasDone(wish: MembershipWish, { membership }: StoredMembership): string {
  const { next, nextProduct, overAt, product } = membership
  switch (wish.kind) {
    case 'cancel':
      return overAt === null && next !== null
        ? `Cancelled, with effect from ${day(next.at)}.`
        : 'Cancelled with immediate effect.'
    case 'product':
      return nextProduct === null
        ? `Product ${product.productId} stays: an earlier change was cancelled.`
        : `Product ${nextProduct.productId} from the next renewal on.`
    case 'card':
      return `Card ${wish.cardId} is charged from now on.`
    case 'retry':
      return 'The failed renewal is retried now.'
  }
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}
