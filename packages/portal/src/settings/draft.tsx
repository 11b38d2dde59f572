import { useState } from 'react'

/** What a person has typed over what they saw, and what became of the stored values meanwhile. */
export interface Draft<Values extends object> {
  readonly values: Values
  /** What was stored when the person began. */
  readonly seen: Values
  /** What is stored now, as far as is known. */
  readonly stored: Values
  readonly changed: readonly (keyof Values & string)[]
  /** What a colleague changed since the person began. */
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
