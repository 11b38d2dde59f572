import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test, type TestContext } from 'node:test'
import pg from 'pg'
import { untilSeen } from '../../../../../test/support/eventually.ts'
import { auditing } from '../../../src/adapters/postgres/audit/admin-transaction.ts'
import { createCardVault } from '../../../src/adapters/vault/card-vault.ts'
import { rotateKey } from '../../../src/adapters/vault/key-admin.ts'
import { keyEncryptingKeys } from '../../../src/adapters/vault/key-encrypting-keys.ts'
import {
  KeysOutOfDateError,
  openKeyRing,
  type LiveKeyRing,
} from '../../../src/adapters/vault/key-ring.ts'
import { createLocalKeyWrapper } from '../../../src/adapters/vault/key-wrapper.ts'
import { createPlaceSeal } from '../../../src/adapters/vault/place-seal.ts'
import { createReencryption } from '../../../src/adapters/vault/reencryption.ts'
import { BOUND_TO_ROW, sealText } from '../../../src/adapters/vault/sealed-format.ts'
import { SEALED_PLACES } from '../../../src/adapters/vault/sealed-places.ts'
import { linkKeyBinding } from '../../../src/adapters/vault/secret-seal.ts'
import { Secret } from '../../../src/base/secret.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { SealedPan } from '../../../src/usecases/payments/payment-store.ts'
import { prepareDatabase } from '../../../src/wiring/prepare-database.ts'
import { startTestServer, type TestServer } from '../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

const CARDS = 700
const number = (id: number): string => String(4_000_000_000_000_000 + id)

async function aVault(t: TestContext) {
  const databaseUrl = await server.createDatabase()
  const kek = randomBytes(32)
  await prepareDatabase({
    databaseUrl,
    vaultKey: new Secret(kek.toString('base64')),
    sandbox: false,
  })
  const pool = new pg.Pool({ connectionString: databaseUrl })
  t.after(() => pool.end())
  const keks = keyEncryptingKeys(createLocalKeyWrapper(kek), null)
  let queries = 0
  const ring = (
    worker: string,
    monotonicMs = (): number => performance.now(),
  ): Promise<LiveKeyRing> => {
    const query = ((...args: [string, unknown[]]) => {
      queries += 1
      return pool.query(...args)
    }) as pg.Pool['query']
    return openKeyRing({ database: { query }, keks, worker, monotonicMs, onTrouble: assert.fail })
  }
  const vaultOf = (keys: LiveKeyRing) =>
    createCardVault({
      keys,
      audit: { append: async () => undefined },
      actor: 'test',
      onUnreadable: () => assert.fail(),
    })
  return {
    pool,
    ring,
    vaultOf,
    queries: () => queries,
    async rotate() {
      const client = await pool.connect()
      try {
        return await rotateKey({ client, actor: 'test', ...auditing }, keks)
      } finally {
        client.release()
      }
    },
    async save(keys: LiveKeyRing, id: number) {
      const place = { kind: 'payment method', id: BigInt(id) } as const
      const { sealed } = await vaultOf(keys).seal(new CardNumber(number(id)), place, 1n)
      await this.insert(id, sealed)
    },
    /** A card as it was sealed before numbers had a merchant. */
    async saveUnbound(keys: LiveKeyRing, id: number) {
      const key = keys.sealing()
      const binding = `payment method ${id}`
      const ciphertext = sealText(key, randomBytes(12), number(id), binding, BOUND_TO_ROW)
      await this.insert(id, { ciphertext, dataKeyId: key.id })
    },
    async insert(id: number, { ciphertext, dataKeyId }: SealedPan) {
      await pool.query(
        `insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id, fingerprint,
                                      brand, last4, created_at, last_used_at)
         values ($1, 1, 1, 'test', decode($2, 'hex'), $3, $4, 'visa', '0000', now(), now())`,
        [id, ciphertext, dataKeyId, randomBytes(32)],
      )
    },
    reencryption: (keys: LiveKeyRing) =>
      createReencryption({ pool, keys, actor: 'test', ...auditing }),
    async readAll(keys: LiveKeyRing): Promise<void> {
      const { rows } = await pool.query<{ id: string; ciphertext: Buffer }>(
        'select id, pan_ciphertext as ciphertext from payment_methods order by id',
      )
      for (const { id, ciphertext } of rows) {
        const place = { kind: 'payment method', id: BigInt(id) } as const
        assert.equal(
          (await vaultOf(keys).reveal(ciphertext, place, 'refund', 1n)).reveal(),
          number(Number(id)),
        )
      }
    },
    async under(): Promise<Record<string, number>> {
      const { rows } = await pool.query<{ id: number; count: number }>(
        'select data_key_id as id, count(*)::int as count from payment_methods group by 1 order by 1',
      )
      return Object.fromEntries(rows.map(({ id, count }) => [id, count]))
    },
  }
}

test('a process that reads numbers under an unknown key asks for it once, for any count of them', async (t) => {
  const vault = await aVault(t)
  const [one, two] = [await vault.ring('one'), await vault.ring('two')]
  const { made } = await vault.rotate()
  const before = vault.queries()

  const found = await Promise.all(Array.from({ length: 50 }, () => two.find(made)))

  assert.ok(found.every(({ kind }) => kind === 'key'))
  assert.ok(vault.queries() - before <= 4, `${vault.queries() - before} queries`)
  assert.equal(one.look(made), null)
})

test('a process that was cut off until it counts as gone rereads the keys before it encrypts again', async (t) => {
  const vault = await aVault(t)
  let now = 0
  const cutOff = await vault.ring('cut off', () => now)
  const { made, retired } = await vault.rotate()
  now = 45_000
  assert.equal(cutOff.sealing().id, retired)
  now = 45_001
  assert.throws(() => cutOff.sealing(), KeysOutOfDateError)

  await cutOff.refresh()
  assert.equal(cutOff.sealing().id, made)
})

test('no process encrypts under a new key before every running process has it', async (t) => {
  const vault = await aVault(t)
  const [one, two] = [await vault.ring('one'), await vault.ring('two')]
  const { made, retired } = await vault.rotate()

  await one.refresh()
  const early = one.sealing().id
  await two.refresh()
  await one.refresh()

  assert.deepEqual([early, two.sealing().id, one.sealing().id], [retired, made, made])
})

test('two re-encryptions at once move every card once, and skip cards that payments hold until they are free', async (t) => {
  const vault = await aVault(t)
  const keys = await vault.ring('one')
  for (let id = 1; id <= CARDS; id += 1) await vault.save(keys, id)
  const { made, retired } = await vault.rotate()
  await keys.refresh()
  const payment = await vault.pool.connect()
  await payment.query('begin')
  await payment.query('select from payment_methods where id = 300 for update')

  const workers = [vault.reencryption(keys), vault.reencryption(keys)]
  const pass = async (): Promise<number> => {
    const done = await Promise.all(workers.map((worker) => worker.step()))
    return done.reduce((sum, step) => sum + (step?.moved ?? 0), 0)
  }
  let moved = 0
  const untilMoved = (cards: number): Promise<number> =>
    untilSeen(
      `${cards} cards are re-encrypted`,
      async () => (moved += await pass()),
      (seen) => seen >= cards,
      { everyMs: 0 },
    )
  await untilMoved(CARDS - 1)
  const held = await vault.under()
  await payment.query('commit')
  payment.release()
  await untilMoved(CARDS)

  assert.deepEqual(held, { [retired]: 1, [made]: CARDS - 1 })
  assert.deepEqual(await vault.under(), { [made]: CARDS })
  await vault.readAll(keys)
  const { rows } = await vault.pool.query<{ moved: number }>(
    `select sum((details::json->>'moved')::int)::int as moved from audit_entries where operation = 'key.reencrypted'`,
  )
  assert.deepEqual(rows, [{ moved: CARDS }])
})

test('re-encryption binds a card number without a merchant to that of its row', async (t) => {
  const vault = await aVault(t)
  const keys = await vault.ring('one')
  await vault.saveUnbound(keys, 1)
  await vault.save(keys, 2)
  const formats = async (): Promise<unknown> => {
    const { rows } = await vault.pool.query<{ format: number }>(
      'select get_byte(pan_ciphertext, 0) as format from payment_methods order by id',
    )
    return rows.map(({ format }) => format)
  }
  assert.deepEqual(await formats(), [1, 2])
  const { made } = await vault.rotate()
  await keys.refresh()
  const worker = vault.reencryption(keys)
  for (let step = 0; step < SEALED_PLACES.length; step += 1) await worker.step()

  assert.deepEqual(await formats(), [2, 2])
  assert.deepEqual(await vault.under(), { [made]: 2 })
  await vault.readAll(keys)
})

test('the key of a link that waits for a second operator is re-encrypted, and opens for that link', async (t) => {
  const vault = await aVault(t)
  const keys = await vault.ring('one')
  const places = createPlaceSeal(keys)
  const { ciphertext, dataKeyId } = await places.seal('the key', linkKeyBinding('acme'))
  await vault.pool.query(
    `with o as (insert into operators (email, name, role)
                values ('ada@ops.example', 'Ada', 'admin') returning id),
          s as (insert into operator_sessions (operator_id, token_digest, csrf_token, address, browser)
                select id, sha256('s'), 'c', '127.0.0.1', 'none' from o returning id, operator_id)
     insert into operator_requests (wanted, subject, seen, asked_by, asked_session,
                                    link_key_ciphertext, link_key_data_key_id)
     select '{"does":"put_link","link":{"name":"acme"}}', 'link acme', 'none', operator_id, id, $1, $2
       from s`,
    [ciphertext, dataKeyId],
  )
  const { made } = await vault.rotate()
  await keys.refresh()
  const worker = vault.reencryption(keys)
  for (let step = 0; step < SEALED_PLACES.length; step += 1) await worker.step()

  const { rows } = await vault.pool.query<{ sealed: Buffer; under: number }>(
    `select link_key_ciphertext as sealed, link_key_data_key_id as under from operator_requests`,
  )
  assert.equal(rows[0]?.under, made)
  const opened = await places.open(rows[0].sealed, linkKeyBinding('acme'))
  assert.equal(opened.toString(), 'the key')
})

test('a pass counts as the last one only when it began after every process had moved to the new key', async (t) => {
  const vault = await aVault(t)
  const keys = await vault.ring('one')
  await vault.save(keys, 1)
  await vault.rotate()
  await keys.refresh()
  const worker = vault.reencryption(keys)
  const finished = async (): Promise<number> =>
    (await vault.pool.query('select from reencryption_passes where finished_at is not null'))
      .rowCount ?? 0

  for (let step = 0; step < SEALED_PLACES.length; step += 1) await worker.step()
  assert.equal(await finished(), 0)
  await vault.pool.query(`update data_key_holders set seals_since = now() - interval '1 minute'`)
  await vault.pool.query(
    `update reencryption_passes set pass_started_at = now() - interval '2 minutes'`,
  )
  // Without a pause: an idle process would wait half a minute at each place.
  const steps = []
  for (let step = await worker.step(); step !== null; step = await worker.step()) steps.push(step)

  assert.ok(
    steps.every(({ more }) => more),
    JSON.stringify(steps),
  )
  assert.equal(await finished(), SEALED_PLACES.length)
})
