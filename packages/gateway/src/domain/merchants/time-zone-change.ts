import { changedMeanwhile, refused, type Result } from '../../base/refusal.ts'

/** The zone of a merchant before a change, and what is known of the wanted one. */
export interface TimeZoneFacts {
  readonly before: string
  /** The zone that the portal user saw. */
  readonly seen: string
  readonly wanted: string
  /** Whether the gateway and the database both know the wanted zone. */
  readonly isKnown: boolean
}

/** Whether the merchant gets the wanted zone; `changed` is false where it has it already. */
export function decideTimeZone(facts: TimeZoneFacts): Result<{ readonly changed: boolean }> {
  const { before, seen, wanted, isKnown } = facts
  if (!isKnown) {
    return refused(
      'invalid',
      'This time zone is not known. Choose an IANA name from the list, such as Europe/Berlin.',
      { field: 'timeZone' },
    )
  }
  if (seen !== before) {
    return changedMeanwhile(`The time zone was changed to ${before} meanwhile. Review it first.`)
  }
  return { ok: true, changed: wanted !== before }
}
