import type { Right, Role } from '@tollgate/portal-contract/rights'
import { refused, type Refusal } from '../../../base/refusal.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { ResetMark } from '../domain/reset-mark.ts'
import type { SignInStep } from '../domain/sign-in-steps.ts'

/** A signed-in user. Everything they see and do is of this merchant. */
export interface PortalUser {
  readonly id: bigint
  readonly merchantId: bigint
  readonly email: string
  readonly name: string
  readonly role: Role
  /** The most that they may refund of one order in all; null for no limit. */
  readonly refundLimit: RefundLimit | null
}

export interface RefundLimit {
  readonly minor: bigint
  readonly currency: string
}

/** The name of a portal user in the audit log. */
export function portalUserActor({ email }: Pick<PortalUser, 'email'>): string {
  return `portal:${email}`
}

/** How the audit log calls a portal user to whom something is done. */
export function portalUserObject({ email }: Pick<PortalUser, 'email'>): string {
  return `portal user ${email}`
}

/** A site as pages name it. */
export interface SiteSummary {
  readonly id: bigint
  readonly name: string
  readonly mode: Mode
  readonly defaultCurrency: string
}

/** A merchant as pages name it. */
export interface MerchantSummary {
  readonly name: string
  /** The zone of its days and times: an IANA name. */
  readonly timeZone: string
  readonly sites: readonly SiteSummary[]
}

/** The data that a page needs before it shows anything. */
export interface SessionView {
  /** Nothing is left to do. */
  readonly next: null
  readonly portalUser: PortalUser
  readonly merchant: { readonly id: bigint; readonly name: string; readonly timeZone: string }
  readonly rights: readonly Right[]
  readonly sites: readonly SiteSummary[]
  /** To be sent as `x-csrf-token` with everything that changes something. */
  readonly csrfToken: string
  /** Whether the gateway is a sandbox, with the bundled bank and its switches. */
  readonly sandbox: boolean
  /** For an operator who visits the portal; null for a portal user. */
  readonly visit: { readonly reason: string; readonly expiresAt: Date } | null
}

/** Of a user whose password was right, and who has a step left before the sign-in is complete. */
export interface UnfinishedView {
  readonly next: SignInStep
  readonly user: Pick<PortalUser, 'email' | 'name'>
  readonly csrfToken: string
}

/** A session that is open, of a user of any kind. */
export interface OpenSession {
  readonly id: bigint
  readonly csrfToken: string
  /** The next step before any other response; null for none. */
  readonly next: SignInStep | null
  /** Until it ends unless something is done in it, and in any case. */
  readonly secondsLeft: { readonly idle: number; readonly whole: number }
}

/** A session of a portal user that is open. */
export interface PortalSession extends OpenSession {
  readonly portalUser: PortalUser
  /** The zone of the merchant's days and times: an IANA name. */
  readonly timeZone: string
  /** Of a user who came in by another user's reset link; null for any other. */
  readonly cameIn: ResetMark | null
}

/** The origin of a request. */
export interface Whence {
  readonly address: string
  readonly browser: string
}

/** Returned to everybody who guessed too often, known or not. */
export const LOCKED: Refusal = refused(
  'locked',
  'Too many failed attempts. Wait 30 minutes and try again, or ask an owner or admin for a reset link.',
)
