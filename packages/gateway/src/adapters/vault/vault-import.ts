import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { AuditEntry } from '../../usecases/audit/audit-log.ts'
import { cardBinding } from './card-binding.ts'
import { cardFingerprint } from './card-vault.ts'
import { findCards, findCustomers, requireMerchants, type FoundCard } from './import-lookups.ts'
import { createImportIds } from './kept-ids.ts'
import { holdKey } from './key-admin.ts'
import { BOUND_TO_MERCHANT, dataKeyIdOf, NONCE_BYTES, sealText } from './sealed-format.ts'
import { vaultOrigin, type VaultTransferOptions } from './vault-export.ts'
import { readVaultFile, VaultFileError } from './vault-file.ts'
import { parseEnd, parseRecords, withoutPastedNumbers, type VaultRecord } from './vault-record.ts'

export interface ImportOptions extends VaultTransferOptions {
  /** A second connection, which is in no transaction. */
  readonly reserving: pg.ClientBase
  /** A free text with every card number in it cut down. */
  readonly cutDown: (text: string) => string
}

/** The result of an import. */
export interface Imported {
  readonly cards: number
  /** Of these, those that were there already. */
  readonly known: number
  /** Of those, the ones whose key had been destroyed and that can be read again. */
  readonly restored: number
  /** The entries that are not under their former id. */
  readonly newIds: readonly NewId[]
}

export interface NewId {
  readonly kind: 'customer' | 'payment method'
  readonly merchantId: string
  readonly oldId: string
  readonly newId: string
}

/**
 * Imports a file of `exportVault`, once it was read to its end, in one transaction: all of it or
 * nothing. May be repeated. A card is found again by its number, customer and merchant; a customer
 * by its vault of origin and its id there. Throws VaultFileError if the file is not as it was
 * written, or names a merchant that is not here.
 *
 * @param read the file from its beginning, each time it is called.
 */
export async function importVault(
  options: ImportOptions,
  key: Buffer,
  read: () => AsyncIterable<Buffer>,
): Promise<Imported> {
  const { client, keys, actor, record, onProgress, cutDown } = options
  const imported: Omit<AuditEntry, 'result'> = { actor, operation: 'vault.imported' }
  let origin = ''
  try {
    origin = await readRecords(read(), key, async () => undefined)
    const taker = createTaker(options, origin)
    await client.query('begin')
    await holdKey(client, keys.sealing().id)
    await readRecords(read(), key, async (records) => {
      await taker.take(records.map((each) => withoutPastedNumbers(each, cutDown)))
      onProgress(taker.result.cards)
    })
    const { newIds, ...counts } = taker.result
    const details = { ...counts, new_ids: newIds.length, origin }
    await record(client, [{ ...imported, result: 'done', details }])
    await client.query('commit')
    return taker.result
  } catch (error) {
    await client.query('rollback').catch(() => undefined)
    const reason = error instanceof VaultFileError ? cutDown(error.message) : 'a fault'
    await record(client, [{ ...imported, result: 'failed', details: { origin, reason } }])
    throw error
  }
}

/** Hands every chunk's cards on, and gives the file's origin once it was read to its end. */
async function readRecords(
  source: AsyncIterable<Buffer>,
  key: Buffer,
  take: (records: readonly VaultRecord[]) => Promise<void>,
): Promise<string> {
  const { header, chunks } = await readVaultFile(source, key)
  let cards = 0
  for await (const { text, isLast } of chunks) {
    if (isLast) {
      const expected = parseEnd(text)
      if (cards !== expected)
        throw new VaultFileError(`The file states ${expected} cards and has ${cards}.`)
      break
    }
    const records = parseRecords(text)
    cards += records.length
    await take(records)
  }
  return header.origin
}

interface Taker {
  readonly result: { cards: number; known: number; restored: number; newIds: NewId[] }
  take(records: readonly VaultRecord[]): Promise<void>
}

function createTaker(options: ImportOptions, origin: string): Taker {
  const { client, keys, reserving } = options
  const isSelf = origin === vaultOrigin(keys)
  const customerIds = createImportIds(reserving, 'customer_ids')
  const cardIds = createImportIds(reserving, 'payment_method_ids')
  const result: Taker['result'] = { cards: 0, known: 0, restored: 0, newIds: [] }

  async function take(records: readonly VaultRecord[]): Promise<void> {
    await requireMerchants(client, records)
    const customers = await takeCustomers(records)
    const known = await findCards(client, [...customers.values()])
    const cards = records.map((record) => {
      const customerId = customers.get(record.customer.id) as string
      const fingerprint = cardFingerprint(keys, record.number, BigInt(record.merchant_id))
      return { record, customerId, fingerprint, same: `${customerId} ${fingerprint}` }
    })
    const fresh = new Map(
      cards.filter(({ same }) => !known.has(same)).map((card) => [card.same, card]),
    )
    const ids = await cardIds.give(
      [...fresh.values()].map(({ record }) => record.payment_method_id),
    )
    const made = [...fresh.values()].map((card, at) => ({ ...card, id: ids[at] as string }))
    await insertCards(made)
    for (const { same, id } of made) known.set(same, [{ id, ciphertext: null }])
    for (const { record, same } of cards) {
      const found = known.get(same) ?? []
      // A vault's own file may have a card twice, and each is there.
      const own = isSelf ? found.find(({ id }) => id === record.payment_method_id) : undefined
      const { id, ciphertext } = own ?? (found.at(-1) as FoundCard)
      if (await restore(id, ciphertext, record)) result.restored += 1
      recordNewId('payment method', record, record.payment_method_id, id)
    }
    result.cards += records.length
    result.known += records.length - made.length
  }

  function recordNewId(
    kind: NewId['kind'],
    { merchant_id: merchantId }: VaultRecord,
    oldId: string,
    newId: string,
  ): void {
    if (oldId !== newId) result.newIds.push({ kind, merchantId, oldId, newId })
  }

  /** Ids here by ids there. */
  async function takeCustomers(records: readonly VaultRecord[]): Promise<Map<string, string>> {
    const byOldId = new Map(records.map((record) => [record.customer.id, record]))
    const found = await findCustomers(client, origin, isSelf, [...byOldId.values()])
    const missing = [...byOldId.values()].filter(({ customer }) => !found.has(customer.id))
    const ids = await customerIds.give(missing.map(({ customer }) => customer.id))
    const rows = missing.map(({ customer, merchant_id, mode }, at) => ({
      ...customer,
      old_id: customer.id,
      id: ids[at] as string,
      merchant_id,
      mode,
    }))
    await client.query(
      `with rows as (
         select * from json_to_recordset($1) as r (id bigint, old_id bigint, merchant_id bigint, mode text,
           reference text, first_name text, last_name text, email text, phone text, billing json,
           shipping json, others json, created_at timestamptz)
       ), customers as (
         insert into customers (id, merchant_id, mode, reference, first_name, last_name, email, phone,
                                billing, shipping, others, created_at)
         select id, merchant_id, mode, reference, first_name, last_name, email, phone, billing, shipping,
                others, created_at from rows
       )
       insert into imported_ids (origin, kind, old_id, merchant_id, new_id)
       select $2, 'customer', old_id, merchant_id, id from rows`,
      [JSON.stringify(rows), origin],
    )
    for (const { old_id, id } of rows) found.set(old_id, id)
    for (const [oldId, record] of byOldId)
      recordCustomerOnce(oldId, record, found.get(oldId) as string)
    return found
  }

  const recorded = new Set<string>()
  function recordCustomerOnce(oldId: string, record: VaultRecord, newId: string): void {
    if (oldId === newId || recorded.has(oldId)) return
    recorded.add(oldId)
    recordNewId('customer', record, oldId, newId)
  }

  async function restore(
    id: string,
    ciphertext: Buffer | null,
    record: VaultRecord,
  ): Promise<boolean> {
    if (ciphertext === null || keys.look(dataKeyIdOf(ciphertext))?.kind !== 'destroyed')
      return false
    const { sealed, dataKeyId } = seal(id, record)
    await client.query(
      `update payment_methods set pan_ciphertext = decode($2, 'hex'), data_key_id = $3 where id = $1`,
      [id, sealed, dataKeyId],
    )
    return true
  }

  function seal(id: string, record: VaultRecord): { sealed: string; dataKeyId: number } {
    const key = keys.sealing()
    const place = { kind: 'payment method', id: BigInt(id) } as const
    const binding = cardBinding(place, BigInt(record.merchant_id), BOUND_TO_MERCHANT)
    const nonce = randomBytes(NONCE_BYTES)
    const sealed = sealText(key, nonce, record.number, binding, BOUND_TO_MERCHANT)
    return { sealed, dataKeyId: key.id }
  }

  async function insertCards(
    cards: readonly { id: string; record: VaultRecord; customerId: string; fingerprint: string }[],
  ): Promise<void> {
    const rows = cards.map(({ id, record, customerId, fingerprint }) => {
      const { number, customer: _, ...shown } = record
      const { sealed, dataKeyId } = seal(id, record)
      const stored = { sealed, data_key_id: dataKeyId, fingerprint, last4: number.slice(-4) }
      return { ...shown, ...stored, id, customer_id: customerId }
    })
    await client.query(
      `insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id,
                                    fingerprint, brand, last4, expiry_month, expiry_year, reference,
                                    created_at, last_used_at)
       select id, merchant_id, customer_id, mode, decode(sealed, 'hex'), data_key_id,
              decode(fingerprint, 'hex'), brand, last4, expiry_month, expiry_year, reference,
              created_at, last_used_at
         from json_to_recordset($1) as r (id bigint, merchant_id bigint, customer_id bigint, mode text,
                sealed text, data_key_id int, fingerprint text, brand text, last4 text, expiry_month int,
                expiry_year int, reference text, created_at timestamptz, last_used_at timestamptz)`,
      [JSON.stringify(rows)],
    )
  }

  return { result, take }
}
