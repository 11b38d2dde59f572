import { createHash, createHmac } from 'node:crypto'
import type pg from 'pg'
import type { AuditEntry } from '../../usecases/audit/audit-log.ts'
import type { RevealReason } from '../../usecases/vault/card-vault.ts'
import { cardBinding } from './card-binding.ts'
import type { KeyRing } from './key-ring.ts'
import { dataKeyIdOf, formatOf, openSealed } from './sealed-format.ts'
import { createVaultFileWriter } from './vault-file.ts'
import type { VaultRecord } from './vault-record.ts'

export interface VaultTransferOptions {
  readonly client: pg.ClientBase
  readonly keys: KeyRing
  /** The actor of the export. */
  readonly actor: string
  readonly record: (client: pg.ClientBase, entries: readonly AuditEntry[]) => Promise<void>
  /** How many cards are done. */
  readonly onProgress: (cards: number) => void
}

const BATCH = 500
/** Characters in a chunk, before its last line; far below what a reader takes. */
const CHUNK = 500_000

const READ = `
select p.id, p.merchant_id, p.mode, p.brand, p.expiry_month, p.expiry_year, p.reference, p.created_at,
       p.last_used_at, p.pan_ciphertext, c.id as customer_id, c.reference as customer_reference,
       c.first_name, c.last_name, c.email, c.phone, c.billing, c.shipping, c.others,
       c.created_at as customer_created_at
  from payment_methods p join customers c on c.id = p.customer_id
 where p.id > $1 and p.removed_at is null order by p.id limit ${BATCH}`

interface CardRow {
  readonly id: string
  readonly merchant_id: string
  readonly mode: 'test' | 'live'
  readonly brand: string
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  readonly reference: string
  readonly created_at: Date
  readonly last_used_at: Date
  readonly pan_ciphertext: Buffer
  readonly customer_id: string
  readonly customer_reference: string
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly phone: string
  readonly billing: object
  readonly shipping: object
  readonly others: object
  readonly customer_created_at: Date
}

/**
 * Writes all saved cards as an encrypted file. Each batch is in the audit log before it is
 * decrypted; what is decrypted is in memory only. Cards under a destroyed key are left out and
 * counted.
 *
 * @param key 32 bytes, of the operator's choice.
 */
export async function exportVault(
  { client, keys, actor, record, onProgress }: VaultTransferOptions,
  key: Buffer,
  createdAt: Date,
  write: (bytes: Buffer) => Promise<void>,
): Promise<{ readonly cards: number; readonly unreadable: number }> {
  const origin = vaultOrigin(keys)
  const writer = createVaultFileWriter(key, { origin, createdAt: createdAt.toISOString() })
  const exported = { actor, operation: 'vault.exported' } as const
  let cards = 0
  let unreadable = 0
  try {
    await write(writer.head)
    for (let after = '0'; ;) {
      const { rows } = await client.query<CardRow>(READ, [after])
      const [first, last] = [rows[0], rows.at(-1)]
      if (first === undefined || last === undefined) break
      const reason: RevealReason = 'vault export'
      const details = { reason, from: first.id, to: last.id, cards: rows.length }
      await record(client, [
        { actor, operation: 'card.revealed', object: 'payment methods', result: 'done', details },
      ])
      let text = ''
      for (const row of rows) {
        const held = await keys.find(dataKeyIdOf(row.pan_ciphertext))
        if (held.kind === 'destroyed') {
          unreadable += 1
          continue
        }
        const stored = row.pan_ciphertext
        const place = { kind: 'payment method', id: BigInt(row.id) } as const
        const binding = cardBinding(place, BigInt(row.merchant_id), formatOf(stored))
        const number = openSealed(held.key, stored, binding).toString('latin1')
        text += `${JSON.stringify(vaultRecord(row, number))}\n`
        cards += 1
        if (text.length < CHUNK) continue
        await write(writer.chunk(text, false))
        text = ''
      }
      if (text !== '') await write(writer.chunk(text, false))
      after = last.id
      onProgress(cards)
    }
    await write(writer.chunk(JSON.stringify({ cards }), true))
  } catch (error) {
    await record(client, [{ ...exported, result: 'failed', details: { cards } }])
    throw error
  }
  await record(client, [{ ...exported, result: 'done', details: { cards, unreadable, origin } }])
  return { cards, unreadable }
}

/**
 * The name of a key that exports are encrypted under: 16 letters that follow from it, and that do
 * not reveal it. They are letters only, because a request refuses texts with many digits.
 *
 * @param key 32 bytes
 */
export function exportKeyName(key: Buffer): string {
  const digest = createHash('sha256').update('name of an export key').update(key).digest('hex')
  return digest
    .slice(0, 16)
    .replaceAll(/./g, (digit) => String.fromCodePoint(97 + Number.parseInt(digit, 16)))
}

/** Distinguishes one vault from another, and reveals nothing else of it. */
export function vaultOrigin({ fingerprintKey }: KeyRing): string {
  return createHmac('sha256', fingerprintKey)
    .update('origin of a vault export')
    .digest('hex')
    .slice(0, 32)
}

function vaultRecord(row: CardRow, number: string): VaultRecord {
  return {
    payment_method_id: row.id,
    merchant_id: row.merchant_id,
    mode: row.mode,
    number,
    brand: row.brand,
    expiry_month: row.expiry_month,
    expiry_year: row.expiry_year,
    reference: row.reference,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    customer: {
      id: row.customer_id,
      reference: row.customer_reference,
      first_name: row.first_name,
      last_name: row.last_name,
      email: row.email,
      phone: row.phone,
      billing: row.billing,
      shipping: row.shipping,
      others: row.others,
      created_at: row.customer_created_at.toISOString(),
    },
  }
}
