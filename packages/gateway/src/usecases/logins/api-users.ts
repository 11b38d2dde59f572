import type { Result } from '../../base/refusal.ts'
import type { Secret } from '../../base/secret.ts'
import type { ApiUserState } from '../../domain/logins/api-user.ts'
import type { RequestRateLimit } from '../../domain/logins/request-rate.ts'

/** An API user as operators see it: no hash. */
export interface ApiUserSummary {
  readonly name: string
  readonly merchantId: number
  readonly merchant: string
  readonly state: ApiUserState
  readonly madeAt: Date
  readonly madeBy: string
  /** To the hour. */
  readonly lastUsedAt: Date | null
  /** May read what `/api/v1` answers. */
  readonly readsApi: boolean
  /** Its own limit; null for that of the installation. */
  readonly requestRate: RequestRateLimit | null
  /** Networks; empty for everywhere. */
  readonly allowedFrom: readonly string[]
  /** The live ones. */
  readonly passwords: readonly {
    readonly number: number
    readonly madeAt: Date
    readonly madeBy: string
    readonly lastUsedAt: Date | null
  }[]
}

/** A password that was just made. */
export interface MadePassword {
  readonly number: number
  /** To be shown once; null for one that the operator gave. */
  readonly generated: Secret | null
}

/** An operator's changes of API users. Each change and its audit entry are one transaction. */
export interface ApiUserAdmin {
  /** Of one merchant; null: of all of them. */
  list(merchantId: bigint | null): Promise<ApiUserSummary[]>
  /** `given`: null for a generated password. */
  add(merchantId: number, name: string, given: Secret | null): Promise<Result<MadePassword>>
  addPassword(name: string, given: Secret | null): Promise<Result<MadePassword>>
  /** Gives the numbers of those that are still live. */
  retirePassword(name: string, number: number): Promise<Result<{ readonly live: number[] }>>
  /**
   * An empty list is everywhere. Gives the networks as they are stored. `seen`: those that the
   * caller takes to be in force; null for a caller who saw none.
   */
  allowFrom(
    name: string,
    networks: readonly string[],
    seen: readonly string[] | null,
  ): Promise<Result<{ readonly networks: string[] }>>
  disable(name: string): Promise<Result<object>>
  enable(name: string): Promise<Result<object>>
  /** Gives or takes the right to read what `/api/v1` answers. */
  setReadsApi(name: string, readsApi: boolean): Promise<Result<object>>
  /** Gives the user a rate limit of its own; null: that of the installation. */
  setRequestRate(name: string, rate: RequestRateLimit | null): Promise<Result<object>>
}
