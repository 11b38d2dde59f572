/** A stretch of a source that ran, as positions in its text. */
export type Range = readonly [start: number, end: number, count: number]

/** The ranges of one function; the first is the whole function. */
export type RunFunction = readonly Range[]

/** An order of the parent to a worker. */
export type Order =
  | { readonly kind: 'survey'; readonly test: string }
  | {
      readonly kind: 'try'
      readonly source: string
      /** The source with the mistake. */
      readonly text: string
      /** The source and its dependents, which are loaded again. */
      readonly affected: readonly string[]
      readonly tests: readonly string[]
    }

/** The imports and the executed code of a test file without a mistake. */
export interface Survey {
  readonly kind: 'surveyed'
  readonly test: string
  readonly cases: number
  readonly milliseconds: number
  /** The failure that should not be; null when all tests pass. */
  readonly failure: string | null
  /** Pairs of importing and imported file. */
  readonly imports: readonly (readonly [from: string, to: string])[]
  /** Functions that ran while the file was imported, by the path of their source. */
  readonly loaded: Readonly<Record<string, readonly RunFunction[]>>
  /** Functions that ran in its tests. */
  readonly ran: Readonly<Record<string, readonly RunFunction[]>>
}

/** Whether a test noticed a mutant, and which file it is in. */
export interface Verdict {
  readonly kind: 'tried'
  readonly by: string | null
}

export type Report = Survey | Verdict
