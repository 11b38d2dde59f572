import { mayDo, type Role } from '@tollgate/portal-contract/rights'
import { holdsCardSecret } from '../../../base/card-masking.ts'
import { refused, type Refusal } from '../../../base/refusal.ts'

export type DifferenceOperation = 'taken' | 'handed' | 'noted' | 'resolved' | 'reopened'

/** A difference as the lock shows it. */
export interface HeldDifference {
  readonly version: number
  /** Whether a later comparison did not find it any more. */
  readonly isGone: boolean
  /** The last operation of a user; null if only comparisons changed it. */
  readonly last: {
    readonly by: string
    readonly what: DifferenceOperation
    readonly at: Date
  } | null
}

const DONE: Readonly<Record<DifferenceOperation, string>> = {
  taken: 'took ownership',
  handed: 'reassigned it',
  noted: 'wrote a note',
  resolved: 'resolved it',
  reopened: 'reopened it',
}

/** Whether a portal user of this role may own a difference. */
export function mayOwnDifferences(role: Role): boolean {
  return mayDo(role, 'recon.resolve')
}

/**
 * Why a portal user may not do this about a difference; null where they may. `version`: the one
 * that they saw. `newOwner`: the role of the portal user it is handed to; null for no active user.
 */
export function decideDifference(
  change: { readonly version: number; readonly what: DifferenceOperation; readonly note: string },
  difference: HeldDifference | null,
  newOwner: Role | null,
): Refusal | null {
  const { what, version } = change
  const note = noteFault(what, change.note)
  if (note !== null) return note
  if (difference === null) return refused('missing', 'This difference does not exist.')
  if (difference.version !== version) return changedBefore(difference)
  if (difference.isGone && what !== 'noted') return changedByComparison()
  if (what === 'handed' && (newOwner === null || !mayOwnDifferences(newOwner))) {
    return refused('invalid', 'Choose a user whose role may resolve differences.', {
      field: 'ownerId',
    })
  }
  return null
}

function noteFault(what: DifferenceOperation, note: string): Refusal | null {
  if (note === '' && (what === 'noted' || what === 'resolved')) {
    return refused('invalid', 'Write a note that explains the cause.', { field: 'note' })
  }
  if (!holdsCardSecret(note)) return null
  return refused(
    'invalid',
    'The note seems to contain a card number or a security code. Remove it: ' +
      'neither may be stored in a note.',
    { field: 'note', code: 'card_number' },
  )
}

/**
 * Only portal users and later comparisons change the version, and the latter when the figures did.
 */
function changedBefore({ last }: HeldDifference): Refusal {
  if (last === null) return changedByComparison()
  const at = last.at.toISOString().slice(0, 16).replace('T', ' ')
  return refused(
    'conflict',
    `${last.by} ${DONE[last.what]} at ${at} UTC. Review it and try again.`,
    {
      code: 'changed_before',
    },
  )
}

function changedByComparison(): Refusal {
  return refused('conflict', 'A comparison has changed this difference. Review it and try again.', {
    code: 'changed_before',
  })
}
