/** A link for one sign-in; shown to its creator, and kept nowhere. */
export interface NewLink {
  readonly opens: 'console' | 'portal'
  readonly token: string
  readonly expiresAt: Date
}

export interface LinkDeps {
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
}
