import { holdsCardSecret } from '../../../base/card-masking.ts'
import { refused, type Result } from '../../../base/refusal.ts'
import type { PortalUser } from '../../shell/usecases/portal-user.ts'
import { KEY_REUSED } from './operation-answer.ts'

export type NoteWritten = 'written' | 'unknown' | 'key_reused'

export interface NoteStore {
  /**
   * Writes the note with its entry in the audit log; the same one that is there already under the
   * key stays alone. `unknown`: the merchant has no such order. `key_reused`: the key has another
   * note.
   */
  write(
    portalUser: PortalUser,
    address: string,
    note: { readonly orderId: bigint; readonly key: string; readonly text: string },
  ): Promise<NoteWritten>
}

/** Writes a note about an order. */
export async function writeNote(
  store: NoteStore,
  portalUser: PortalUser,
  address: string,
  note: { readonly orderId: bigint; readonly key: string; readonly text: string },
): Promise<Result> {
  const text = note.text.trim()
  if (text === '') return refused('invalid', 'The note is empty.', { code: 'empty', field: 'text' })
  if (holdsCardSecret(text)) {
    return refused(
      'invalid',
      'The note seems to contain a card number or a security code. Remove it: neither may be stored in a note.',
      { code: 'card_number', field: 'text' },
    )
  }
  const written = await store.write(portalUser, address, { ...note, text })
  if (written === 'key_reused') return KEY_REUSED
  return written === 'written' ? { ok: true } : refused('missing', 'This order does not exist.')
}
