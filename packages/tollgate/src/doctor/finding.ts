/** One result of `tollgate doctor`. */
export interface Finding {
  /** The part of the installation, such as `database`. */
  readonly part: string
  /** `fault`: payments are at risk, or the gateway does not start. */
  readonly level: 'good' | 'warning' | 'fault'
  /** A sentence, with the expectation where that differs. */
  readonly found: string
  /** The next step; null where there is none. */
  readonly advice: string | null
}

export function good(part: string, found: string): Finding {
  return { part, level: 'good', found, advice: null }
}

export function warning(part: string, found: string, advice: string): Finding {
  return { part, level: 'warning', found, advice }
}

export function fault(part: string, found: string, advice: string): Finding {
  return { part, level: 'fault', found, advice }
}
