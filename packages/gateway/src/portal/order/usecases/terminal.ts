/** A site at which payments can be taken by hand. */
export interface TerminalSite {
  readonly id: bigint
  readonly name: string
  readonly mode: 'test' | 'live'
  readonly defaultCurrency: string
  readonly cvvRequired: boolean
  /** Without one no card can be entered: requests for tokens are signed with it. */
  readonly hasTokenKey: boolean
  /** The preferred one first. */
  readonly accounts: readonly {
    readonly id: bigint
    readonly name: string
    readonly currencies: readonly string[]
  }[]
}

/** A card that a customer has left. */
export interface SavedCardFound {
  readonly customerId: bigint
  readonly paymentMethodId: bigint
  readonly name: string
  readonly email: string
  readonly brand: string
  readonly last4: string
  readonly expiry: string
  readonly lastUsedAt: Date
}
