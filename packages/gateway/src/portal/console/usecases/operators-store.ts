import type { ConsoleRole } from '@tollgate/portal-contract/console-rights'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { LinkTx, StoredLink } from '../../../usecases/banks/put-link.ts'
import type { PlanTx } from '../../../usecases/fees/put-plan.ts'
import type { MerchantAdminTx } from '../../../usecases/merchants/administer-merchants.ts'
import type { AccountDemandsTx } from '../../../usecases/merchants/change-account-demands.ts'
import type { AccountDetailsTx } from '../../../usecases/merchants/change-account-details.ts'
import type { AccountFeaturesTx } from '../../../usecases/merchants/change-account-features.ts'
import type { AccountLimitsTx } from '../../../usecases/merchants/change-account-limits.ts'
import type { SiteSettingsTx } from '../../../usecases/merchants/change-site-settings.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { AccountTx } from '../../../usecases/merchants/put-account.ts'
import type { ThreeDsPolicyTx } from '../../../usecases/three-ds/change-policy.ts'
import type { HeldOperator } from '../domain/operator-changes.ts'
import type {
  DangerousOperation,
  OperatorRequest,
  OperatorRequestState,
  RequestDecider,
} from '../domain/operator-request.ts'
import type { PortalUserLinks } from './portal-user-links.ts'

/** An operator as others see them. */
export interface OperatorSummary {
  readonly id: bigint
  readonly email: string
  readonly name: string
  readonly role: ConsoleRole
  /** `invited`: has not set a password yet. `idle`: refused because of days without a sign-in. */
  readonly state: 'active' | 'invited' | 'idle' | 'disabled'
  readonly hasSecondFactor: boolean
  readonly lastSeenAt: Date | null
  /** Until when a link works that was not taken up yet; null where there is none. */
  readonly linkUntil: Date | null
}

/** A request as operators see it. */
export interface OperatorRequestView {
  readonly id: bigint
  readonly operation: DangerousOperation
  readonly subject: string
  /** The name of the subject when the request was made. */
  readonly label: string
  readonly reason: string
  readonly state: OperatorRequestState
  readonly requestedBy: { readonly id: bigint; readonly name: string; readonly email: string }
  readonly requestedAt: Date
  readonly expiresAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
}

/** The locks, reads and writes of one operation at the console. */
export interface ConsoleTx extends AuditedTx {
  /** Of merchants, sites and accounts, in the same transaction. */
  readonly merchants: MerchantAdminTx
  readonly limits: AccountLimitsTx
  readonly demands: AccountDemandsTx
  readonly details: AccountDetailsTx
  readonly fees: PlanTx
  readonly features: AccountFeaturesTx
  readonly policies: ThreeDsPolicyTx
  readonly sites: SiteSettingsTx
  readonly accounts: AccountTx
  readonly links: LinkTx
  readonly portalUsers: PortalUserLinks
  /** Null for no such processor link. */
  readLink(name: string): Promise<StoredLink | null>
  /** The id after the highest one, from 2001 on. No other account is written until the commit. */
  nextAccountId(): Promise<number>
  countLiveSites(merchantId: bigint): Promise<number>
  /** Null for no such site. */
  readSiteMode(siteId: bigint): Promise<Mode | null>
  /** Null for no such account. */
  readAccountMode(accountId: bigint): Promise<Mode | null>
  /** `active`, `retired`, `destroyed` or `the fingerprint key`; null for no such data key. */
  readKeyState(id: number): Promise<string | null>
  /** The role at this moment; null for a disabled operator. Holds the row until the commit. */
  readRole(operatorId: bigint): Promise<ConsoleRole | null>
  /** Null for no such operator. */
  lockOperator(id: bigint): Promise<HeldOperator | null>
  /** Null if the e-mail address is in use. */
  insertOperator(operator: {
    readonly email: string
    readonly name: string
    readonly role: ConsoleRole
  }): Promise<bigint | null>
  setRole(id: bigint, role: ConsoleRole): Promise<void>
  setActive(id: bigint, active: boolean): Promise<void>
  hasPastPasswords(id: bigint): Promise<boolean>
  retirePassword(id: bigint, hash: string): Promise<void>
  forgetSecondFactor(id: bigint): Promise<void>
  endSessions(id: bigint): Promise<void>
  endLinks(id: bigint): Promise<void>
  insertLink(
    id: bigint,
    kind: 'invitation' | 'reset',
    digest: Buffer,
    madeBy: string,
  ): Promise<Date>
  /** Whether an operator at the console made a link for this one within 24 hours. */
  hasFreshLink(id: bigint): Promise<boolean>
  /** Ends requests whose 24 hours are over, and erases their keys. */
  expireRequests(): Promise<void>
  /** Null where the subject has an open request. */
  insertRequest(request: {
    readonly operation: DangerousOperation
    readonly subject: string
    readonly label: string
    readonly seen: string
    readonly reason: string
    readonly requestedBy: bigint
    readonly requesterSession: bigint
  }): Promise<bigint | null>
  /** Null for no such request. */
  lockRequest(id: bigint): Promise<OperatorRequest | null>
  /** Erases a key of the request too. */
  endRequest(id: bigint, state: OperatorRequestState, by: RequestDecider | null): Promise<void>
}

/** Operators and their requests, in the database. */
export interface OperatorsStore {
  readonly transact: Transact<ConsoleTx>
  /** By name. */
  list(): Promise<readonly OperatorSummary[]>
  /** Open ones first, then the newest; at most 100. */
  listRequests(): Promise<readonly OperatorRequestView[]>
  /** Null if no operator has that address. */
  findByEmail(email: string): Promise<bigint | null>
}
