import type { Right, Role } from '../../domain/portal/rights.ts'
import type { Mode } from '../merchant-directory.ts'

/** Somebody who is signed in. Everything they see and do is of this merchant. */
export interface PortalPerson {
  readonly id: bigint
  readonly merchantId: bigint
  readonly email: string
  readonly name: string
  readonly role: Role
  /** What one refund of theirs may be at most; null for no limit. */
  readonly refundLimit: { readonly minor: bigint; readonly currency: string } | null
}

/** Who the audit log names for what a person does in the portal. */
export function personActor({ email }: Pick<PortalPerson, 'email'>): string {
  return `person:${email}`
}

/** A site as pages name it. */
export interface SiteSummary {
  readonly id: bigint
  readonly name: string
  readonly mode: Mode
  readonly defaultCurrency: string
}

/** What a page needs to know before it shows anything. */
export interface SessionView {
  readonly person: PortalPerson
  readonly merchant: { readonly id: bigint; readonly name: string }
  readonly rights: readonly Right[]
  readonly sites: readonly SiteSummary[]
  /** To be sent as `x-csrf-token` with everything that changes something. */
  readonly csrfToken: string
  /** Whether the gateway is a sandbox, with the bundled bank and its switches. */
  readonly sandbox: boolean
}

/** A session that is open. */
export interface PortalSession {
  readonly id: bigint
  readonly person: PortalPerson
  readonly csrfToken: string
}
