import type { Role } from '@tollgate/portal-contract/rights'
import type { PersonSummary } from './people.ts'

/** A link that is shown this once: there is no mail server that would send it. */
export interface LinkAnswer {
  readonly address: string
  readonly expiresAt: Date
}

export interface PeopleAnswer {
  readonly people: readonly PersonSummary[]
}

export interface RolesAnswer {
  readonly roles: readonly {
    readonly role: Role
    readonly title: string
    readonly rights: readonly string[]
  }[]
  readonly rights: readonly { readonly right: string; readonly text: string }[]
}

/** A second factor as it is shown once, while it is set up. */
export interface NewSecondFactorAnswer {
  readonly secret: string
  readonly uri: string
  readonly sealed: string
}

/** What came of checking the chain of the whole log. */
export interface ChainCheckAnswer {
  readonly whole: boolean
  /** What is wrong first; null when nothing is. */
  readonly fault: string | null
  /** Entries of the whole gateway. */
  readonly checked: number
  /** Number and hash of the last entry that was right, to be noted elsewhere. */
  readonly head: string | null
}
