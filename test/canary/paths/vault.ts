import { readFileSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { SEALED_PLACES } from '../../../packages/gateway/src/adapters/vault/sealed-places.ts'
import { createVaultFileWriter } from '../../../packages/gateway/src/adapters/vault/vault-file.ts'
import { untilSeen } from '../../support/eventually.ts'
import { card, CODE, EXPORT_KEY, type CardName } from '../marks.ts'
import { payment, untilRows, valueOf, type Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const KEY_TEXT = EXPORT_KEY.toString('base64')

/**
 * Keys rotated and destroyed under saved cards, ciphertexts that were changed, exports and imports.
 */
export const vault: Path = {
  name: 'the vault: keys, exports and imports',
  seen: ['vaultSaved', 'vaultLost', 'vaultChanged', 'vaultRotated'],
  async push(run) {
    const keyFile = run.file('export.key', KEY_TEXT)
    const [lost, changed] = await Promise.all([
      save(run, 'vaultLost'),
      save(run, 'vaultChanged'),
      save(run, 'vaultSaved'),
    ])
    const exported = run.fileToWrite('cards.tgv')
    await succeed(run, 'vault', 'export', exported, '--key-file', keyFile)

    await destroyUnder(run, lost, await changeCiphertexts(run, changed))
    await expect(run, lost, '113')
    await succeed(run, 'vault', 'import', exported, '--key-file', keyFile)
    await expect(run, lost, '0')
    await importOthers(run, exported, keyFile)
  },
}

interface Saved {
  readonly customer: string
  readonly card: string
}

async function save(run: ProgramRun, name: CardName): Promise<Saved> {
  const answer = await run.send({
    ...payment(card(name)),
    CUST_FNAME: card(name),
    PMT_ID_XTL: `canary-${name}`,
  })
  return { customer: valueOf(answer, 'CUST_ID'), card: valueOf(answer, 'PMT_ID') }
}

/** Charges the saved card until it is answered with this API_RESPONSE. */
async function expect(run: ProgramRun, { customer }: Saved, response: string): Promise<void> {
  const charge = {
    REQUEST_ACTION: 'CCAUTHCAP',
    LI_VALUE_1: '3.00',
    CUST_ID: customer,
    PMT_KEY: CODE,
  }
  // A gateway hears within seconds of what was done to a key.
  await untilSeen(
    `a saved card is answered with ${response}`,
    () => run.send(charge),
    (answer) => valueOf(answer, 'API_RESPONSE') === response,
  )
}

async function succeed(run: ProgramRun, ...args: readonly string[]): Promise<void> {
  const { code, output } = await run.command(...args)
  if (code !== 0) throw new Error(`"tollgate ${args.join(' ')}" ended with ${code}: ${output}`)
}

/**
 * Rotates keys. Re-encryption meets an altered ciphertext, until that is restored. Then it
 * re-encrypts everything except one card, which another session locks, and the card's key is
 * destroyed.
 */
async function destroyUnder(
  run: ProgramRun,
  { card: id }: Saved,
  putRight: () => Promise<void>,
): Promise<void> {
  const holder = new pg.Client({ connectionString: run.databaseUrl() })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select from payment_methods where id = $1 for update', [id])
    await succeed(run, 'keys', 'rotate')
    await run.line(/re-?encrypt[^\n]*fail|"job":"re-?encrypt/i)
    await putRight()
    await run.send(payment(card('vaultRotated')))
    for (const { table, keyColumn } of SEALED_PLACES) {
      const others = table === 'payment_methods' ? `and id <> ${id}` : ''
      await untilRows(
        run,
        `select 1 where not exists (select from ${table} where ${keyColumn} = 1 ${others})`,
      )
    }
    await run.query(`update data_keys set retired_at = now() - interval '2 minutes' where id = 1`)
    await run.command('keys', 'destroy', '1')
    await succeed(run, 'keys', 'destroy', '1', '--unreadable-cards', '1')
  } finally {
    await holder.end()
  }
  await untilRows(run, `select 1 from data_keys where id = 1 and state = 'destroyed'`)
}

/**
 * An altered ciphertext can be neither charged nor exported. Returns the function that restores it.
 */
async function changeCiphertexts(run: ProgramRun, saved: Saved): Promise<() => Promise<void>> {
  const where = `update payment_methods set pan_ciphertext`
  const [row] = await run.query<{ pan_ciphertext: Buffer }>(
    'select pan_ciphertext from payment_methods where id = $1',
    [saved.card],
  )
  const whole = row?.pan_ciphertext ?? Buffer.alloc(0)
  const another = Buffer.from(whole)
  another[20] = (another[20] ?? 0) ^ 1
  const [foreign] = await run.query<{ pan_ciphertext: Buffer }>(
    'select pan_ciphertext from payment_methods where id <> $1 limit 1',
    [saved.card],
  )
  for (const bytes of [
    another,
    whole.subarray(0, -3),
    foreign?.pan_ciphertext ?? another,
    Buffer.from(`\x01${whole.toString('latin1').slice(1)}`, 'latin1'),
    Buffer.from(`\x03${whole.toString('latin1').slice(1)}`, 'latin1'),
  ]) {
    await run.query(`${where} = $2 where id = $1`, [saved.card, bytes])
    await expect(run, saved, '120')
    await run.command(
      'vault',
      'export',
      run.fileToWrite('none.tgv'),
      '--key-file',
      run.file('export.key', KEY_TEXT),
    )
  }
  await run.query(`${where} = $2 where id = $1`, [saved.card, another])
  return async () => void (await run.query(`${where} = $2 where id = $1`, [saved.card, whole]))
}

/** Files of another vault: a good one, whose ids are new here, and broken ones. */
async function importOthers(run: ProgramRun, exported: string, keyFile: string): Promise<void> {
  const number = card('vaultImported')
  const take = (name: string, content: Buffer): Promise<unknown> => {
    return run.command('vault', 'import', run.file(name, content), '--key-file', keyFile)
  }
  const good = vaultFile([record(number)])
  const path = run.fileToWrite('of-another-vault.tgv')
  writeFileSync(path, good)
  await succeed(run, 'vault', 'import', path, '--key-file', keyFile)
  readFileSync(`${path}.ids.csv`)

  const torn = Buffer.from(good)
  torn[good.length - 40] = (torn[good.length - 40] ?? 0) ^ 1
  const whole = readFileSync(exported)
  await Promise.all([
    take('cut.tgv', whole.subarray(0, -5)),
    take('torn.tgv', torn),
    take('no-card.tgv', vaultFile([{ ...record(number), number: `${number}x` }])),
    take('no-json.tgv', vaultFile([`{"number":"${number}",`])),
  ])
  await Promise.all([
    take('no-merchant.tgv', vaultFile([{ ...record(number), merchant_id: number }])),
    take(
      'too-much.tgv',
      vaultFile([
        {
          ...record(number),
          payment_method_id: '999999999999999999',
          brand: number.repeat(20),
          expiry_year: 9_999,
        },
      ]),
    ),
    take('no-text.tgv', vaultFile([{ ...record(number), reference: `${number}\0` }])),
    take('plain.tgv', Buffer.from(JSON.stringify(record(number)))),
  ])
  await Promise.all([
    run.command('vault', 'import', exported, '--key-file', run.file('number.key', number)),
    run.command(
      'vault',
      'import',
      exported,
      '--key-file',
      run.file('other.key', Buffer.alloc(32, 7).toString('base64')),
    ),
    run.command('vault', 'import', exported, '--key-file', number),
    run.command('vault', 'export', exported, '--key-file', keyFile),
  ])
  await Promise.all([
    run.command('vault', 'import', number, '--key-file', keyFile),
    run.command('vault', 'export', `/nowhere/${number}`, '--key-file', keyFile),
    run.command('vault', number),
    run.command('vault', 'import', exported, '--key-file', keyFile, '--number', number),
  ])
}

/** A card as another vault would export it, under ids that are taken here. */
function record(number: string): Record<string, unknown> {
  const at = '2026-01-01T00:00:00.000Z'
  return {
    payment_method_id: '1',
    merchant_id: '1',
    mode: 'test',
    number,
    brand: 'visa',
    expiry_month: 12,
    expiry_year: 2035,
    reference: 'canary-imported',
    created_at: at,
    last_used_at: at,
    customer: {
      id: '1',
      reference: 'canary-imported',
      first_name: `Card ${number}`,
      last_name: 'x',
      email: 'x@shop.example',
      phone: '',
      billing: { ADDR: `nr ${number}` },
      shipping: {},
      others: {},
      created_at: at,
    },
  }
}

function vaultFile(lines: readonly (object | string)[]): Buffer {
  const writer = createVaultFileWriter(EXPORT_KEY, {
    origin: 'c'.repeat(32),
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  const text = lines
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n')
  return Buffer.concat([
    writer.head,
    writer.chunk(`${text}\n`, false),
    writer.chunk(JSON.stringify({ cards: lines.length }), true),
  ])
}
