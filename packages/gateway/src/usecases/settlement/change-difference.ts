import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import {
  endFault,
  MOST_NOTE_CHARACTERS,
  writeOff,
  type DifferenceEnd,
} from '../../domain/settlement/difference.ts'
import type { AuditAuthor, AuditEntry } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { DifferenceTx, LockedDifference } from './difference-store.ts'

export interface DifferenceChanges {
  /** Gives a difference to a portal user of the merchant, by e-mail, or to an operator by name. */
  assign(id: bigint, owner: string, by: AuditAuthor): Promise<Result>
  note(id: bigint, text: string, by: AuditAuthor): Promise<Result>
  /** A write-off posts what is unexplained; the other ends post nothing. */
  end(id: bigint, as: DifferenceEnd, reason: string, by: AuditAuthor): Promise<Result>
}

type Tx = DifferenceTx & AuditedTx
const MOST_OWNER_CHARACTERS = 254

/**
 * The operations on settlement differences, each with its entry in the audit log.
 * @param within the only merchant whose differences exist; null: an operator, for all merchants
 */
export function createDifferenceChanges(
  transact: Transact<Tx>,
  clock: { now(): Date },
  within: bigint | null,
): DifferenceChanges {
  const change = (
    id: bigint,
    by: AuditAuthor,
    work: (tx: Tx, found: LockedDifference) => Promise<AuditEntry['details'] | Refusal>,
  ): Promise<Result> =>
    transact(async (tx): Promise<Result> => {
      const found = await tx.lock(id, within)
      if (found === null) return refused('missing', `Difference ${id} does not exist.`)
      if (found === 'busy') {
        return refused('conflict', `Difference ${id} is being changed, as by a file. Try again.`)
      }
      const details = await work(tx, found)
      if (isRefusal(details)) return details
      const { merchantId } = found
      const object = `settlement difference ${id}`
      const operation = 'settlement.difference_changed'
      await tx.audit([
        { ...by, operation, object, merchantId, result: 'done', details: details ?? {} },
      ])
      return { ok: true }
    })
  return {
    assign: (id, owner, by) =>
      change(id, by, async (tx, found) => {
        const fault = await ownerFault(tx, found, owner)
        if (fault !== null) return refused('invalid', fault)
        if (found.state === 'ended') {
          return refused('conflict', `Difference ${id} ended; it needs no owner.`)
        }
        await tx.assign(id, owner)
        return { owner, before: found.owner }
      }),
    note: (id, text, by) =>
      change(id, by, async (tx) => {
        const fault = textFault('note', text)
        if (fault !== null) return refused('invalid', fault)
        await tx.addNote(id, by.actor, text)
        return { noted: true }
      }),
    end: (id, as, reason, by) =>
      change(id, by, async (tx, found) => {
        const fault = textFault('reason', reason)
        if (fault !== null) return refused('invalid', fault)
        const refusal = endFault(found, as)
        if (refusal !== null) return refusal
        const posting =
          as === 'written_off' ? writeOff(found.suspendedMinor, found.missingMinor) : null
        await tx.end(id, { as, by: by.actor, at: clock.now(), reason }, posting)
        return { ended: as, ...(posting === null ? {} : { written_off: posting.minor.toString() }) }
      }),
  }
}

function isRefusal(value: object | undefined): value is Refusal {
  return value !== undefined && 'ok' in value && 'faults' in value
}

async function ownerFault(
  tx: DifferenceTx,
  { merchantId }: LockedDifference,
  owner: string,
): Promise<string | null> {
  if (owner === '' || owner.length > MOST_OWNER_CHARACTERS) {
    return `The owner is empty or longer than ${MOST_OWNER_CHARACTERS} characters.`
  }
  if (!owner.includes('@') || (await tx.isPortalUser(merchantId, owner))) return null
  return `${owner} is no active portal user of merchant ${merchantId}.`
}

function textFault(name: string, text: string): string | null {
  if (text.trim() !== '' && text.length <= MOST_NOTE_CHARACTERS && !text.includes('\0')) return null
  return `The ${name} is empty or longer than ${MOST_NOTE_CHARACTERS} characters.`
}
