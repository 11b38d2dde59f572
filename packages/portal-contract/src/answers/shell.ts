import type { Right, Role } from '../rights.ts'

/** The state that a page needs before it shows anything. */
export interface SessionView {
  /** Nothing is left to do. */
  readonly next: null
  readonly portalUser: PortalUser
  readonly merchant: {
    readonly id: string
    readonly name: string
    /** The IANA name of the zone of its days and times. */
    readonly timeZone: string
  }
  readonly rights: readonly Right[]
  readonly sites: readonly SiteSummary[]
  /** To be sent as `x-csrf-token` with everything that changes something. */
  readonly csrfToken: string
  /** Whether the gateway is a sandbox, with the bundled bank and its switches. */
  readonly sandbox: boolean
  /** For an operator who visits the portal, read-only; null for a portal user. */
  readonly visit: { readonly reason: string; readonly expiresAt: string } | null
}

/** A signed-in portal user. All views and operations are limited to this merchant. */
export interface PortalUser {
  readonly id: string
  readonly merchantId: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** The most that they may refund of one order; null for no limit. */
  readonly refundLimit: RefundLimit | null
}

export interface RefundLimit {
  readonly minor: string
  readonly currency: string
}

/** A site as pages name it. */
export interface SiteSummary {
  readonly id: string
  readonly name: string
  readonly mode: Mode
  readonly defaultCurrency: string
}

/** Which of the two worlds an object belongs to; the two never meet. */
export type Mode = 'test' | 'live'

/** A user whose password was right, and who has a further step before the session. */
export interface UnfinishedView {
  readonly next: SignInStep
  readonly user: Pick<PortalUser, 'email' | 'name'>
  readonly csrfToken: string
}

/** The step that a right password leaves before the sign-in is complete. */
export type SignInStep = 'code' | 'second_factor' | 'password'

/** The shape of every refusal. */
export interface FaultAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly field?: string }
}

/** Seconds until the session ends unless something is done in it, and in any case. */
export interface SecondsLeft {
  readonly idle: number
  readonly whole: number
}
