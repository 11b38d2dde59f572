/** How many are kept at least. One Map ends at 2^24 entries, and a bank runs for long. */
const GENERATION = 500_000

/**
 * The network ids of customer-initiated payments that stored their card, each with its account. It
 * knows the newest half a million, and up to as many before them.
 */
export class FirstPayments {
  #older = new Map<string, string>()
  #newer = new Map<string, string>()

  note(reference: string, account: string): void {
    if (this.#newer.size >= GENERATION) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(reference, account)
  }

  /** The account that a network id belongs to. */
  accountOf(reference: string): string | undefined {
    return this.#newer.get(reference) ?? this.#older.get(reference)
  }

  /** All of them, oldest first. */
  *all(): Generator<readonly [reference: string, account: string]> {
    yield* this.#older
    yield* this.#newer
  }
}
