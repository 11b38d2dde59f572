import type { Secret } from '../../base/secret.ts'
import type { ApiUser, Site } from '../merchants/merchant-directory.ts'

export interface StoredPassword {
  /** Of the user's passwords, counted from 1. */
  readonly number: number
  /** Of the slow kind. */
  readonly hash: string
}

/** A user as stored. */
export interface StoredApiUser extends ApiUser {
  /** The live ones: none, one or two. */
  readonly passwords: readonly StoredPassword[]
  readonly state: 'enabled' | 'disabled' | 'idle' | 'merchant disabled'
  /** Whether the user's list of networks holds the address; an empty list holds every one. */
  isAllowedFrom(address: string): boolean
}

/** Users and sites, with a short memory so that a payment costs no query for them. */
export interface LoginDirectory {
  /**
   * A user that was read before; `fresh` is false when that is too long ago to go by. Undefined for
   * one that was not, or is forgotten.
   */
  recallUser(
    username: string,
  ): { readonly user: StoredApiUser; readonly fresh: boolean } | undefined
  readUser(username: string): Promise<StoredApiUser | null>
  /** Undefined where it has to be read. */
  recallSite(merchantId: bigint, siteId: bigint): Site | undefined
  /** Null for an unknown site, and likewise for another merchant's. */
  readSite(merchantId: bigint, siteId: bigint): Promise<Site | null>
}

export interface RememberedPassword {
  readonly password: StoredPassword
  /**
   * `let in`: its user was let in with it. `right`: it was verified, and refused for another
   * reason.
   */
  readonly as: 'let in' | 'right'
}

/** Passwords that were verified the slow way and are in use since, as keyed digests. */
export interface PasswordMemory {
  digestOf(password: Secret): Buffer
  /** The one of the passwords that has the digest, which counts as its use; null for none. */
  find(passwords: readonly StoredPassword[], digest: Buffer): RememberedPassword | null
  /** True once an hour for a password that was let in: the database is to note its use. */
  isUseToNote(password: StoredPassword): boolean
  learn(password: StoredPassword, digest: Buffer, as: 'let in' | 'right'): void
}

/** An attempt that was counted and is not closed yet. */
export interface OpenAttempt {
  readonly caller: string
  readonly window: string
}

/**
 * Attempts by user name and address. Each is counted before its password is verified, and uncounted
 * when the password is right. So no more wrong passwords than the limit are verified, by however
 * many processes.
 */
export interface LoginAttempts {
  /** Answers at once as long as what it knows of locks is not too old. */
  isLocked(username: string, address: string): boolean | Promise<boolean>
  /** `full`: as many as the limit allows are being verified, or are and have failed. */
  begin(username: string, address: string): Promise<OpenAttempt | 'locked' | 'full'>
  /** Gives the failures of the window, and whether they have locked the user from the address. */
  fail(attempt: OpenAttempt): Promise<{ readonly failures: number; readonly locked: boolean }>
  withdraw(attempt: OpenAttempt): Promise<void>
}

/** A place among the few slow verifications that a process does at once. */
export interface VerificationPlace {
  /**
   * Waits for its turn, does the work and gives the place up. Rejects with LoginsBusyError, before
   * any work, when the login has to give way to others.
   */
  run<Result>(work: () => Promise<Result>): Promise<Result>
  /** Gives up a place that was not used; a second time does nothing. */
  leave(): void
  /** The password was right: later logins of the address give way last. */
  proven(): void
}

/** Why a login failed, for operators; the caller does not get it. */
export type LoginFailure =
  | 'unknown user'
  | 'wrong password'
  | 'address not allowed'
  | 'user disabled'
  | 'user idle'
  | 'merchant disabled'
  | 'site not of the merchant'

export interface LoginEvent {
  /** As sent, which may be anything. */
  readonly username: string
  /** Null if no user has that name. */
  readonly user: ApiUser | null
  readonly address: string
}

/** Successful and refused logins, for the audit log. */
export interface LoginJournal {
  /** Durable when it resolves. */
  verified(event: LoginEvent, password: StoredPassword): Promise<void>
  failed(event: LoginEvent, reason: LoginFailure): void
  locked(event: LoginEvent, failures: number): void
}
