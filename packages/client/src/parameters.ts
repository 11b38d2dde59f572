export interface Address {
  readonly street?: string
  readonly street2?: string
  readonly city?: string
  readonly state?: string
  readonly postalCode?: string
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
}

/** Parameters by their names in the interface; undefined ones are not sent. */
export type Parameters = Readonly<Record<string, string | number | undefined>>
