import type { Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { VerificationPlace } from '../../../usecases/logins/login-ports.ts'
import type { JudgeGuess } from './guesses.ts'
import type { NoAccess, NoAccessState, SignInFailure } from './no-access.ts'
import type { Whence } from './portal-user.ts'

/** Someone with a password and a second factor: a portal user, or an operator at the console. */
export interface SignInUser {
  readonly id: bigint
  readonly email: string
  readonly name: string
}

/** The operations of a sign-in, as words of the audit log. */
export type SignInOperation =
  | 'signed_in'
  | 'signed_out'
  | 'recovery_code_used'
  | 'invitation_taken'
  | 'second_factor_set'
  | 'password_changed'

/** How the audit log names one kind of users. */
export interface AuditNames<User extends SignInUser> {
  /** An entry of what a user did to their own access. */
  entry(
    user: User,
    operation: SignInOperation,
    address: string,
    details: NonNullable<AuditEntry['details']>,
  ): AuditEntry
}

/** A user as their sign-in is judged. */
export interface StoredUser<User extends SignInUser> {
  readonly user: User
  /** Null where no password was set yet. */
  readonly passwordHash: string | null
  readonly state: 'active' | NoAccessState
  readonly secondFactor: StoredSecondFactor | null
}

export interface StoredSecondFactor {
  readonly ciphertext: Uint8Array
}

export interface NewSession extends Whence {
  readonly userId: bigint
  /** The digest that finds the cookie's value. */
  readonly tokenDigest: Buffer
  readonly csrfToken: string
}

/** Stores users and their sessions. Entries are written in the transaction of the operation. */
export interface SignInStore<User extends SignInUser> {
  /** Null if no user has that address. */
  findByEmail(email: string): Promise<StoredUser<User> | null>
  findById(id: bigint): Promise<StoredUser<User> | null>
  /**
   * False when the password is not the judged one any more, or the user was disabled meanwhile.
   */
  startSession(
    session: NewSession,
    passwordHash: string,
    entries: readonly AuditEntry[],
  ): Promise<boolean>
  /** The second factor was shown: the session goes on under another token. */
  raiseSession(
    id: bigint,
    tokens: { readonly tokenDigest: Buffer; readonly csrfToken: string },
    entries: readonly AuditEntry[],
  ): Promise<void>
  endSession(id: bigint, entries: readonly AuditEntry[]): Promise<void>
  /** False when a code of this time step or a later one was taken before. */
  takeStep(userId: bigint, step: bigint): Promise<boolean>
  /** False when there is no such code, or it was used. */
  takeRecoveryCode(userId: bigint, digest: Buffer): Promise<boolean>
}

/** Frequent sign-in events; entries beyond a bound are counted. */
export interface SignInJournal<User extends SignInUser> {
  failed(event: SignInEvent<User>, reason: SignInFailure): void
  locked(event: SignInEvent<User>, failures: number): void
}

export interface SignInEvent<User extends SignInUser> {
  /** As typed, which may be anything. */
  readonly email: string
  /** Null if no user has that address. */
  readonly user: User | null
  readonly address: string
}

export interface SignInDeps<User extends SignInUser> {
  readonly store: SignInStore<User>
  readonly matchPassword: (password: Secret, hashes: readonly string[]) => Promise<number>
  /** Throws LoginsBusyError for a sign-in without a place among those that wait. */
  readonly enter: (address: string) => VerificationPlace
  /** By user and address. */
  readonly judgePassword: JudgeGuess
  /** By user alone: who guesses codes knows the password. */
  readonly judgeCode: JudgeGuess
  /** The time step of a code, or null for a wrong one. */
  readonly codeStep: (
    secondFactor: StoredSecondFactor,
    userId: bigint,
    code: string,
  ) => Promise<bigint | null>
  readonly journal: SignInJournal<User>
  readonly names: AuditNames<User>
  /** Why a right password opens nothing. */
  readonly noAccess: Readonly<Record<NoAccessState, NoAccess>>
  /** A random text that cannot be guessed. */
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
}

/** The steps of a sign-in, for users of any kind. */
export interface SignIn<User extends SignInUser> {
  /** The new cookie's value. Refusals of unknown addresses and wrong passwords are alike. */
  signIn(email: string, password: Secret, from: Whence): Promise<Result<{ readonly token: string }>>
  /** Goes on with a code of the second factor, or a recovery code; gives another cookie's value. */
  giveCode(
    sessionId: bigint,
    user: User,
    code: string,
    address: string,
  ): Promise<Result<{ readonly token: string }>>
  /** Whether the password is that user's; guesses are counted. */
  checkPassword(user: User, password: Secret, address: string): Promise<Result>
  signOut(sessionId: bigint, user: User, address: string): Promise<void>
}
