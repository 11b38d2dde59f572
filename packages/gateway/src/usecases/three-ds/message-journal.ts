/** One message to or from a Directory Server or a browser; nothing secret is in it. */
export interface JournalEntry {
  readonly at: Date
  /** threeDSServerTransID; null if the message has none. */
  readonly serverTransId: string | null
  readonly direction: 'in' | 'out'
  /** The message's type, or `unreadable`. */
  readonly type: string
  /** Card numbers masked; CAVVs and expiry dates left out. */
  readonly content: Readonly<Record<string, unknown>>
}

/** Keeps messages without holding up who sends them. */
export interface ThreeDsMessageJournal {
  add(entry: JournalEntry): void
  /** Resolves when everything is written, or given up and reported. */
  idle(): Promise<void>
}
