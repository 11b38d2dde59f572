import { amountDue } from '../../../domain/memberships/membership.ts'
import { decideAttemptByHand } from '../../../domain/memberships/next-attempt.ts'
import { withRetryNow, type CancelTime } from '../../../domain/memberships/requested-changes.ts'
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
export type MembershipRequest =
  | { readonly kind: 'cancel'; readonly when: CancelTime }
  | { readonly kind: 'product'; readonly productId: string }
  | { readonly kind: 'card'; readonly cardId: bigint }
  | { readonly kind: 'retry' }

export interface KeyedMembershipRequest {
  readonly site: Site
  readonly membershipId: bigint
  /** Made by the page for one opened dialogue: the same one is done once. */
  readonly key: string
  /** The version that the page showed. */
  readonly seen: bigint
  readonly requester: CustomerRequester
  readonly request: MembershipRequest
}

type Refusal = Extract<MembershipResult, { kind: 'refused' }>['refusal']

export type MembershipRequestResult =
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
): (request: KeyedMembershipRequest) => Promise<MembershipRequestResult> {
  return async (requested) => {
    try {
      return (await repeated(deps, requested)) ?? (await fulfil(deps, requested))
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error
      // The same dialogue may have been sent twice at once, and the other one was first.
      const other = await repeated(deps, requested)
      return (
        other ?? {
          kind: 'changed',
          by: await deps.operations.operationsSince(requested.membershipId, requested.seen),
        }
      )
    }
  }
}

class ChangedMeanwhile extends Error {}

/** The result stored under the key; a key with another request does nothing. */
async function repeated(
  { operations }: ChangeMembershipInPortalDeps,
  { requester, key, membershipId, request }: KeyedMembershipRequest,
): Promise<MembershipRequestResult | null> {
  const earlier = await operations.findOperation(requester.merchantId, key)
  if (earlier === null) return null
  const isSame = earlier.membershipId === membershipId && earlier.request === requestText(request)
  return isSame ? { kind: 'done', what: earlier.what } : { kind: 'refused', refusal: 'key_reused' }
}

function requestText(request: MembershipRequest): string {
  return JSON.stringify(request, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  )
}

async function fulfil(
  deps: ChangeMembershipInPortalDeps,
  requested: KeyedMembershipRequest,
): Promise<MembershipRequestResult> {
  const { site, membershipId, request } = requested
  if (request.kind === 'retry') return retryNow(deps, requested)
  const about = { site, membershipId, customerId: null }
  const store = storeOf(deps, requested)
  const result = await deps.changeMembership(
    request.kind === 'cancel'
      ? { ...about, kind: 'cancel', when: request.when }
      : {
          ...about,
          kind: 'update',
          productId: request.kind === 'product' ? request.productId : null,
          cardId: request.kind === 'card' ? request.cardId : null,
        },
    store,
  )
  return result.kind === 'refused'
    ? result
    : { kind: 'done', what: whatWasDone(request, result.membership) }
}

/** Reads only the seen state, and writes the operation with the change. */
function storeOf(
  { operations }: ChangeMembershipInPortalDeps,
  requested: KeyedMembershipRequest,
): MembershipStore {
  const { requester, key, site, request } = requested
  let found: StoredMembership | null = null
  return {
    async find(inMode, membershipId) {
      found = await operations.find(inMode, membershipId)
      if (found !== null && found.version !== requested.seen) throw new ChangedMeanwhile()
      return found
    },
    async change(_, membership) {
      if (found === null) return false
      const operation: MembershipOperation = {
        key,
        request: requestText(request),
        requester,
        operation: request.kind === 'cancel' ? 'membership.cancelled' : 'membership.changed',
        what: whatWasDone(request, { ...found, membership }),
      }
      if (await operations.change(found, membership, operation, site.clock.now())) return true
      throw new ChangedMeanwhile()
    },
  }
}

/** Brings a retry forward; the job for due renewals charges it, exactly once. */
async function retryNow(
  deps: ChangeMembershipInPortalDeps,
  requested: KeyedMembershipRequest,
): Promise<MembershipRequestResult> {
  const { operations, readCardHistory } = deps
  const { requester, key, membershipId, seen, site, request } = requested
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
  const what = whatWasDone(request, read)
  // A renewal that is due anyway does not change; the request is on record all the same.
  const operation: MembershipOperation = {
    key,
    request: requestText(request),
    requester,
    operation: 'membership.retried',
    what,
  }
  if (await operations.change(read, sooner, operation, now)) return { kind: 'done', what }
  throw new ChangedMeanwhile()
}

function whatWasDone(request: MembershipRequest, { membership }: StoredMembership): string {
  const { next, nextProduct, overAt, product } = membership
  switch (request.kind) {
    case 'cancel':
      return overAt === null && next !== null
        ? `Cancelled, with effect from ${day(next.at)}.`
        : 'Cancelled with immediate effect.'
    case 'product':
      return nextProduct === null
        ? `Product ${product.productId} stays: an earlier change was cancelled.`
        : `Product ${nextProduct.productId} from the next renewal on.`
    case 'card':
      return `Card ${request.cardId} is charged from now on.`
    case 'retry':
      return 'The failed renewal is retried now.'
  }
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}
