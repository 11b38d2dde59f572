import type { StoredPassword } from '../../domain/logins/api-user.ts'
import type { RequestRateLimit } from '../../domain/logins/request-rate.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { ApiUserSummary } from './api-users.ts'

/** An API user that is held until the commit. */
export interface LockedApiUser {
  readonly id: bigint
  readonly merchantId: bigint
  readonly name: string
  readonly active: boolean
  /** Whether it was not used for API_USER_IDLE_DAYS. */
  readonly idle: boolean
  /** May read what `/api/v1` answers. */
  readonly readsApi: boolean
  /** Its own limit; null for that of the installation. */
  readonly requestRate: RequestRateLimit | null
  /** Networks; empty for everywhere. */
  readonly allowedFrom: readonly string[]
}

/** The locks, reads and writes of one change of API users. */
export interface ApiUserTx extends AuditedTx {
  /** Holds the portal user, and returns whether they have a refund limit. */
  hasRefundLimit(portalUserId: bigint): Promise<boolean>
  lockUser(name: string): Promise<LockedApiUser | null>
  countUsers(): Promise<number>
  /** The one with the id, where there is it, and the first of the others: 20 at most. */
  findMerchants(id: bigint): Promise<readonly { readonly id: bigint; readonly name: string }[]>
  /** Null where the name is in use. */
  insertUser(merchantId: bigint, name: string, madeBy: string): Promise<bigint | null>
  /** All of the user, newest first. */
  readPasswords(userId: bigint): Promise<readonly StoredPassword[]>
  insertPassword(
    userId: bigint,
    password: Pick<StoredPassword, 'number' | 'place' | 'hash'>,
    madeBy: string,
  ): Promise<void>
  retirePassword(userId: bigint, number: number, retiredBy: string): Promise<void>
  setAllowedFrom(userId: bigint, networks: readonly string[]): Promise<void>
  setActive(userId: bigint, active: boolean): Promise<void>
  setReadsApi(userId: bigint, readsApi: boolean): Promise<void>
  setRequestRate(userId: bigint, rate: RequestRateLimit | null): Promise<void>
}

export interface ApiUserStore {
  readonly transact: Transact<ApiUserTx>
  /** Of one merchant; null: of all of them. */
  list(merchantId: bigint | null): Promise<ApiUserSummary[]>
  /** All of the user, newest first; empty where there is no such user. */
  readPasswords(name: string): Promise<readonly StoredPassword[]>
  /** Empty where there is no such merchant. */
  readMerchantName(merchantId: bigint): Promise<string>
  /** Of the merchant of an API user; empty where there is no such user. */
  readMerchantNameOf(username: string): Promise<string>
  /** A network as it is stored; null for what is none. */
  readNetwork(text: string): Promise<string | null>
}
