import type { Right, Role } from '../rights.ts'

/** What a page needs to know before it shows anything. */
export interface SessionView {
  /** Nothing is left to do. */
  readonly next: null
  readonly person: PortalPerson
  readonly merchant: { readonly id: string; readonly name: string }
  readonly rights: readonly Right[]
  readonly sites: readonly SiteSummary[]
  /** To be sent as `x-csrf-token` with everything that changes something. */
  readonly csrfToken: string
  /** Whether the gateway is a sandbox, with the bundled bank and its switches. */
  readonly sandbox: boolean
}

/** Somebody who is signed in. Everything they see and do is of this merchant. */
export interface PortalPerson {
  readonly id: string
  readonly merchantId: string
  readonly email: string
  readonly name: string
  readonly role: Role
  /** What they may return of one order in all; null for no limit. */
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

/** Of somebody whose password was right, and who has something to do before they are in. */
export interface UnfinishedView {
  readonly next: NextStep
  readonly person: Pick<PortalPerson, 'email' | 'name'>
  readonly csrfToken: string
}

/** What is left to do before somebody who gave the right password is signed in. */
export type NextStep = 'code' | 'second_factor' | 'password'

/** What every refusal looks like. */
export interface FaultAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly field?: string }
}

/** Seconds until the session ends unless something is done in it, and in any case. */
export interface SecondsLeft {
  readonly idle: number
  readonly whole: number
}
