/** A site as pages for developers need it. */
export interface DeveloperSite {
  readonly id: bigint
  readonly merchantId: bigint
  readonly name: string
  readonly mode: 'test' | 'live'
  /** DE 42 of its test accounts: how the bundled bank knows it. */
  readonly acquirerMerchantIds: readonly string[]
  /** The first test account; null where it has none. */
  readonly accountId: bigint | null
  /** One of the merchant's API users; '' where it has none. */
  readonly username: string
}

export type FindDeveloperSites = (merchantId: bigint) => Promise<readonly DeveloperSite[]>
