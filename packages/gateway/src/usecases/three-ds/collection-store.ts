import type { Mode } from '../merchants/merchant-directory.ts'
import type { CollectedBrowser } from './collected-browser.ts'

/** One answer of 3dsrequest.cfm. */
export interface NewCollection {
  /** DDC_REFERENCEID. */
  readonly reference: string
  readonly merchantId: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly merchantAccountId: bigint
  readonly apiUserId: bigint
  /** Six to eight. */
  readonly leadingDigits: string
  readonly serverTransId: string
  /** jti of its JWT. */
  readonly tokenId: string
  readonly methodUrl: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** The tasks of a page that was just loaded. */
export interface OpenedCollection {
  readonly reference: string
  readonly merchantAccountId: bigint
  readonly mode: Mode
  readonly serverTransId: string
  /** False when everything is known, or the issuer was asked already. */
  readonly collects: boolean
  /** Null: the issuer has no page of its own, or it was done. */
  readonly methodUrl: string | null
}

/** Collections of browser data, as their pages see them. */
export interface CollectionStore {
  insert(collection: NewCollection): Promise<void>
  /**
   * Null for an unknown or expired one; otherwise the page with this handle is the one that may
   * send.
   */
  open(tokenId: string, pageHandle: string, now: Date): Promise<OpenedCollection | null>
  /** Keeps what the page of this handle found; the first to come is kept. */
  keep(pageHandle: string, browser: CollectedBrowser, now: Date): Promise<void>
  /** The issuer's page is done; too late where it was started before `startedAfter`. */
  completeMethod(serverTransId: string, startedAfter: Date, now: Date): Promise<void>
  /** Forgets what expired before; true when there may be more. */
  forget(expiredBefore: Date): Promise<boolean>
}
