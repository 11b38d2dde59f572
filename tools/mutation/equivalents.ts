import type { Mutant } from './mutants.ts'

/** A mutant that no test can notice, because the program behaves as before. */
interface Equivalent {
  readonly path: string
  /** The whole line, without its indentation. */
  readonly line: string
  /** As the run prints it; absent: every change in the line. */
  readonly change?: string
  readonly why: string
}

const EQUIVALENTS: readonly Equivalent[] = []

/** Why a mutant behaves as its source does; null where it should be noticed. */
export function equivalentReason(path: string, { lineText, change }: Mutant): string | null {
  const found = EQUIVALENTS.find(
    (each) =>
      each.path === path &&
      each.line === lineText &&
      (each.change === undefined || each.change === change),
  )
  return found?.why ?? null
}
