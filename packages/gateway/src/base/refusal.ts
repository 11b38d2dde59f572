/** The outcome of a request: done, or refused. */
export type Result<Done = object> = ({ readonly ok: true } & Done) | Refusal

/**
 * Why something is not done that a portal user, a merchant's program or a command asked for.
 * Nothing was changed.
 *
 * - `invalid`: the request itself is wrong; sent again as it is, it is refused again.
 * - `forbidden`: this portal user may not do it; another user might.
 * - `missing`: there is no such thing, or it belongs to another merchant.
 * - `conflict`: the state of the thing does not allow it now.
 * - `locked`: there were too many failures before; the same is possible again later.
 */
export interface Refusal {
  readonly ok: false
  readonly kind: RefusalKind
  /** Whole sentences for a reader, at least one. */
  readonly faults: readonly string[]
  /** The field of the form that is at fault. */
  readonly field?: string
  /** A word for programs that says more than the kind. */
  readonly code?: string
}

export type RefusalKind = 'invalid' | 'forbidden' | 'missing' | 'conflict' | 'locked'

/** A refusal of one sentence, or of several. */
export function refused(
  kind: RefusalKind,
  faults: string | readonly string[],
  about: Pick<Refusal, 'field' | 'code'> = {},
): Refusal {
  return { ok: false, kind, faults: typeof faults === 'string' ? [faults] : faults, ...about }
}

/** Refused because what the caller had seen has changed since. */
export function changedMeanwhile(fault: string): Refusal {
  return refused('conflict', fault, { code: 'changed_meanwhile' })
}
