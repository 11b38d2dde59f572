import { useState } from 'react'

/**
 * The values that a portal user typed over the seen ones, and later changes of the stored values.
 */
export interface Draft<Values extends object> {
  readonly values: Values
  /** The stored values when the portal user started. */
  readonly seen: Values
  /** The stored values now, as far as known. */
  readonly stored: Values
  readonly changed: readonly (keyof Values & string)[]
  /** The fields that another user changed since the portal user started. */
  readonly theirs: readonly (keyof Values & string)[]
  set<Name extends keyof Values>(name: Name, value: Values[Name]): void
  /** Drops what was typed. */
  reset(): void
  /** Keeps what was typed, over what is stored now. */
  rebase(): void
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** A form over stored values. It follows them until something is typed. */
export function useDraft<Values extends object>(stored: Values): Draft<Values> {
  const [typed, setTyped] = useState<{
    readonly seen: Values
    readonly edits: Partial<Values>
  } | null>(null)
  const names = Object.keys(stored) as (keyof Values & string)[]
  const seen = typed?.seen ?? stored
  const values = { ...seen, ...typed?.edits }
  return {
    values,
    seen,
    stored,
    changed: names.filter((name) => !isSame(values[name], seen[name])),
    theirs: names.filter((name) => !isSame(stored[name], seen[name])),
    set(name, value) {
      setTyped((before) => ({
        seen: before?.seen ?? stored,
        edits: { ...before?.edits, [name]: value } as Partial<Values>,
      }))
    },
    reset: () => setTyped(null),
    rebase: () =>
      setTyped((before) => {
        const edits = Object.entries(before?.edits ?? {}).filter(
          ([name, value]) => !isSame(value, before?.seen[name as keyof Values]),
        )
        return { seen: stored, edits: Object.fromEntries(edits) as Partial<Values> }
      }),
  }
}
