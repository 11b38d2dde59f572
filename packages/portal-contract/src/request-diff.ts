/** One name of two requests, with its value in each; null where it is missing. */
export interface DiffRow {
  readonly name: string
  readonly left: string | null
  readonly right: string | null
  readonly differs: boolean
}

/**
 * Two lists of names and values side by side: in the sequence of the first, then the names that
 * only the second has.
 */
export function diffOf(
  left: readonly (readonly [string, string])[],
  right: readonly (readonly [string, string])[],
): readonly DiffRow[] {
  const [one, other] = [new Map(left), new Map(right)]
  return [...new Set([...one.keys(), ...other.keys()])].map((name) => {
    const [a, b] = [one.get(name) ?? null, other.get(name) ?? null]
    return { name, left: a, right: b, differs: a !== b }
  })
}
