/** Keeps one string for each text, for values that thousands of orders have in common. */
export class SharedTexts {
  readonly #texts = new Map<string, string>()

  /** The kept string with the same content. */
  one(text: string): string {
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    this.#texts.set(text, text)
    return text
  }
}
