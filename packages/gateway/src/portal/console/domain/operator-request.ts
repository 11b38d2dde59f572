import {
  mayOperate,
  type ConsoleRight,
  type ConsoleRole,
} from '@tollgate/portal-contract/console-rights'
import { changedMeanwhile, refused, type Refusal } from '../../../base/refusal.ts'
import type { SealedLink } from '../../../domain/banks/link-outline.ts'
import type { FeePlan } from '../../../domain/fees/fee-plan.ts'
import type { AccountDemands } from '../../../domain/merchants/account-demands.ts'
import type { AccountDetails } from '../../../domain/merchants/account-details.ts'
import type { AmountLimit, CountryRule } from '../../../domain/merchants/account-limits.ts'
import type { AccountThreeDs } from '../../../domain/merchants/account-three-ds.ts'
import type { ThreeDsPolicy } from '../../../domain/three-ds/policy.ts'
import { keySubject, type KeyOperation } from '../../../domain/vault/key-operation.ts'
import { rightTakenAway } from './operator-changes.ts'

/** An operation that needs a second operator. */
export type DangerousOperation =
  | { readonly does: 'disable_merchant'; readonly merchantId: bigint; readonly reason: string }
  | ({
      readonly does: 'raise_limit'
      readonly accountId: bigint
      readonly currency: string
    } & AmountLimit)
  | {
      readonly does: 'open_countries'
      readonly accountId: bigint
      /** Null takes every country. */
      readonly countries: CountryRule | null
    }
  | {
      readonly does: 'change_details'
      readonly accountId: bigint
      readonly details: AccountDetails
    }
  | {
      readonly does: 'relax_demands'
      readonly accountId: bigint
      readonly demands: AccountDemands
    }
  | {
      readonly does: 'change_three_ds'
      readonly accountId: bigint
      /** Null: the account takes no part any more. */
      readonly threeDs: AccountThreeDs | null
    }
  | { readonly does: 'relax_three_ds'; readonly siteId: bigint; readonly policy: ThreeDsPolicy }
  | { readonly does: 'allow_unreferenced_credits'; readonly accountId: bigint }
  | { readonly does: 'set_fees'; readonly merchantId: bigint; readonly plan: FeePlan }
  | ({
      readonly does: 'put_link'
      /** Whether there was no link of the name. Of a list, the operation has no key. */
      readonly isNew: boolean
    } & SealedLink)
  | { readonly does: 'set_role'; readonly operatorId: bigint; readonly role: ConsoleRole }
  | { readonly does: 'reset_operator'; readonly operatorId: bigint }
  | {
      readonly does: 'reset_portal_user'
      readonly portalUserId: bigint
      /** The merchant of the user. */
      readonly merchantId: bigint
    }
  | KeyOperation

export type OperatorRequestState =
  | 'open'
  | 'approved'
  | 'refused'
  | 'withdrawn'
  | 'void'
  | 'expired'

/** A stored request, as a decision reads it under its lock. */
export interface OperatorRequest {
  readonly id: bigint
  readonly operation: DangerousOperation
  readonly subject: string
  /** The state of the subject when the request was made. */
  readonly seen: string
  readonly state: OperatorRequestState
  readonly requestedBy: bigint
  readonly requesterSession: bigint
  /** Whether it is older than 24 hours. */
  readonly isOver: boolean
}

/** The operator who decides, with the role of this moment; null for a disabled operator. */
export interface RequestDecider {
  readonly id: bigint
  readonly sessionId: bigint
  readonly role: ConsoleRole | null
}

/** A refusal, and the state in which it leaves an open request; null where that stays open. */
export interface RequestRefused {
  readonly refusal: Refusal
  readonly ends: 'void' | 'expired' | null
}

const RIGHT_OF = {
  disable_merchant: 'merchants.change',
  raise_limit: 'merchants.change',
  open_countries: 'merchants.change',
  change_details: 'merchants.change',
  relax_demands: 'merchants.change',
  change_three_ds: 'merchants.change',
  relax_three_ds: 'merchants.change',
  allow_unreferenced_credits: 'merchants.change',
  set_fees: 'merchants.change',
  put_link: 'merchants.change',
  reset_portal_user: 'merchants.change',
  set_role: 'operators.change',
  reset_operator: 'operators.change',
  destroy_key: 'keys.change',
  replace_kek: 'keys.change',
  export_vault: 'keys.change',
} as const satisfies Record<DangerousOperation['does'], ConsoleRight>

/** The right that an operation needs, of both operators. */
export function rightOf({ does }: Pick<DangerousOperation, 'does'>): ConsoleRight {
  return RIGHT_OF[does]
}

/** The subject of an operation: there is one open request for it at a time. */
export function subjectOf(operation: DangerousOperation): string {
  switch (operation.does) {
    case 'disable_merchant':
      return `merchant ${operation.merchantId}`
    // Apart from the merchant: a plan that waits does not keep it from being disabled.
    case 'set_fees':
      return feesSubject(operation.merchantId)
    case 'raise_limit':
    case 'open_countries':
    case 'change_details':
    case 'relax_demands':
    case 'change_three_ds':
    case 'allow_unreferenced_credits':
      return `account ${operation.accountId}`
    case 'relax_three_ds':
      return `site ${operation.siteId}`
    case 'put_link':
      return `link ${operation.link.name}`
    case 'reset_portal_user':
      return `portal user ${operation.portalUserId}`
    case 'set_role':
    case 'reset_operator':
      return `operator ${operation.operatorId}`
    case 'destroy_key':
    case 'replace_kek':
    case 'export_vault':
      return keySubject(operation)
  }
}

/** The subject of requests about the fees of a merchant. */
export function feesSubject(merchantId: bigint): string {
  return `fees of merchant ${merchantId}`
}

/** Why this operator may not refuse the request; null where they may. */
export function decideRequestRefusal(
  request: OperatorRequest,
  decider: RequestDecider,
): RequestRefused | null {
  const notOpen = stateFault(request, decider)
  if (notOpen !== null) return notOpen
  if (request.requestedBy === decider.id || request.requesterSession === decider.sessionId) {
    return staysOpen('You made this request. Another operator must decide.')
  }
  return request.subject === `operator ${decider.id}`
    ? staysOpen('This request is about you. Another operator must decide.')
    : null
}

/** Why this operator may not approve the request; null where they may. */
export function decideRequestApproval(
  request: OperatorRequest,
  decider: RequestDecider,
  facts: {
    /** The requester's role at this moment; null for a disabled operator. */
    readonly requesterRole: ConsoleRole | null
    /** Whether another operator made a link for the approver at the console within 24 hours. */
    readonly hasFreshLink: boolean
  },
): RequestRefused | null {
  const fault = decideRequestRefusal(request, decider)
  if (fault !== null) return fault
  if (facts.hasFreshLink) {
    return staysOpen(
      'You signed in through a link that another operator created within the last 24 hours. ' +
        'Ask another operator to approve the request, or wait a day.',
    )
  }
  if (facts.requesterRole !== null && mayOperate(facts.requesterRole, rightOf(request.operation))) {
    return null
  }
  const sentence =
    'The operator who made the request no longer has the permission. The request is invalid.'
  return { refusal: changedMeanwhile(sentence), ends: 'void' }
}

/** Why this operator may not withdraw the request; null where they may. */
export function decideRequestWithdrawal(
  request: OperatorRequest,
  decider: RequestDecider,
): RequestRefused | null {
  const fault = stateFault(request, decider)
  if (fault !== null || request.requestedBy === decider.id) return fault
  return staysOpen('Only the operator who made the request can withdraw it. Refuse it instead.')
}

/** A subject has one open request at a time. */
export function alreadyRequested(): Refusal {
  return refused(
    'conflict',
    'There already is an open request about this. Another operator must decide it first.',
  )
}

/** The facts on which the request rests have changed. */
export function seenChanged(): Refusal {
  return changedMeanwhile(
    'The subject changed after the request was made, so the request is invalid. ' +
      'Ask for a new request.',
  )
}

function stateFault(
  { operation, state, isOver }: OperatorRequest,
  { role }: RequestDecider,
): RequestRefused | null {
  if (role === null || !mayOperate(role, rightOf(operation))) {
    return { refusal: rightTakenAway(), ends: null }
  }
  if (state !== 'open') {
    return { refusal: refused('conflict', `The request is already ${state}.`), ends: null }
  }
  if (!isOver) return null
  const sentence = 'The request expired after 24 hours. Ask for a new request.'
  return { refusal: refused('conflict', sentence), ends: 'expired' }
}

function staysOpen(sentence: string): RequestRefused {
  return { refusal: refused('forbidden', sentence), ends: null }
}
