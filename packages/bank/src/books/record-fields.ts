import { InvariantError } from '../invariant.ts'
import type { RecordDraft } from './journal-record.ts'

/** An account's money is kept apart by currency. */
export function balanceKey(account: string, currency: string): string {
  return `${account}/${currency}`
}

/** The UTC day of a record, `YYYY-MM-DD`. */
export function dayOf(record: RecordDraft): string {
  return record.at.slice(0, 10)
}

/** A value that the record must have. Throws InvariantError without it. */
export function need(value: string | undefined, name: string): string {
  if (value === undefined) throw new InvariantError(`A record of the journal has no ${name}.`)
  return value
}
