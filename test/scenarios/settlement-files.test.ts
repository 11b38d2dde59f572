import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { csvRow as bankRow } from '../../packages/bank/src/settlement/csv-row.ts'
import {
  fetchSettlementFile,
  settlementFiles,
} from '../../packages/gateway/src/adapters/bank-control/bank-settlement.ts'
import { retrievalReference } from '../../packages/gateway/src/adapters/processor-iso8583/message-identity.ts'
import { csvRow as gatewayRow } from '../../packages/gateway/src/base/csv.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { untilSeen } from '../support/eventually.ts'
import { outcome, payment } from '../support/payments.ts'
import { signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'

type Members = Readonly<Record<string, unknown>>

suite('settlement files of the bundled bank', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  /** The records of the bank's first file. */
  let sent: readonly Members[] = []
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  async function merchantId(): Promise<string> {
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select acquirer_merchant_id as id from merchant_accounts where id = 2001',
    )
    return rows[0]?.id ?? ''
  }

  test('the file of an agreed batch has the sums of the batch and names every order of the gateway', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('120.00'))
    await client.sale(payment('80.50'))
    await client.sale(payment('9112.05'))
    await client.refund({ orderId: sale.orderId, amount: '20.00' })
    const id = await closeAnsweredBatch(gateway, owner)
    assert.equal(await untilBatchEnded(gateway, id), 'agreed')
    const merchant = await merchantId()
    const controlUrl = gateway.bank.controlUrl ?? ''

    const made = await fetch(`${controlUrl}/books/settlement`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ merchant }),
    })

    assert.equal(made.status, 201)
    const [file] = await settlementFiles(controlUrl, () => null, merchant)
    const stream = await fetchSettlementFile(controlUrl, () => null, file?.name ?? '')
    const records = (await text(stream))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Members)
    const lines = records.filter(({ batch }) => batch === Number(id))
    assert.deepEqual(lines.map(({ kind, gross }) => `${kind} ${gross}`).toSorted(), [
      'refund -20.00',
      'reject 0.00',
      'sale 120.00',
      'sale 80.50',
    ])
    assert.deepEqual(new Set(lines.map(({ rrn }) => rrn)), new Set(await references()))
    const rows = gateway.bank.books.batches.find(merchant, id, '840')?.movements.values() ?? []
    const booked = [...rows].reduce(
      (sum, { amount, kind }) => sum + (kind === 'capture' ? amount : -amount),
      0n,
    )
    const gross = lines.reduce(
      (sum, line) => sum + BigInt(String(line['gross']).replace('.', '')),
      0n,
    )
    assert.equal(gross, booked - 911_205n)
    sent = records
  })

  test('the gateway fetches the file of the bank by itself, settles its transactions and finds no difference', async () => {
    const folder = join(String(gateway.nodeSettings['DATA_DIR']), 'bank')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'control-address'), gateway.bank.controlUrl ?? '')

    assert.deepEqual(await untilFilesAreBooked(1), [
      'refund settled -2000',
      'sale rejected 0',
      'sale settled 12000',
      'sale settled 8050',
    ])

    const { rows: sources } = await gateway.pool.query<Members>(
      `select merchant_account_id::int as id, currency, sender, receiver, account, made_by like 'gateway:%' as made
         from settlement_sources`,
    )
    const [head] = sent
    assert.deepEqual(sources, [
      {
        id: 2001,
        currency: 'USD',
        sender: head?.['sender'],
        receiver: head?.['receiver'],
        account: head?.['account'],
        made: true,
      },
    ])
    const { rows: audited } = await gateway.pool.query<{ operation: string }>(
      `select operation from audit_entries where operation like 'settlement.%' order by number`,
    )
    assert.deepEqual(
      audited.map(({ operation }) => operation),
      ['settlement.source_put', 'settlement.imported'],
    )
    await assertNothingDiffers()
  })

  test('a test clock that moves a day forward ends with settled transactions, without a command', async () => {
    await clock(gateway, '')
    await gateway.client().sale(payment('33.00'))
    const id = await closeAnsweredBatch(gateway, owner)
    assert.equal(await untilBatchEnded(gateway, id), 'agreed')

    const moved = await clock(gateway, 'step', { by: 'P2D' })

    assert.equal(moved.status, 200)
    assert.ok((await untilFilesAreBooked(2)).includes('sale settled 3300'))
    await assertNothingDiffers()
  })

  test('a refused file is logged and audited once, is in a metric, and stops no other account', async () => {
    const controlUrl = gateway.bank.controlUrl ?? ''
    const control = (path: string, body: object) =>
      fetch(`${controlUrl}/books/settlement${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const merchant = await merchantId()
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select acquirer_merchant_id as id from merchant_accounts where id = 2003',
    )
    const plant = { merchant, currency: '840', kind: 'changed_digit' }
    assert.equal((await control('/plants', plant)).status, 201)
    await gateway.client().sale(payment('44.00'))
    await gateway.client(1003).sale(payment('55.00'))
    const id = await closeAnsweredBatch(gateway, owner)
    const { rows: others } = await gateway.pool.query<{ id: string }>(
      'select id from batches where merchant_account_id = 2003 and closed_at is null',
    )
    const { status } = await owner.post(`/batches/${others[0]?.id}/close`)
    assert.equal(status, 200)
    await untilBatchEnded(gateway, id)
    await untilBatchEnded(gateway, others[0]?.id ?? '')

    assert.equal((await control('', { merchant })).status, 201)
    await untilSeen(
      'the gateway refuses the file',
      () => gateway.metrics(),
      (text) => /^tollgate_settlement_files_refused 1$/m.test(text),
    )
    assert.equal((await control('', { merchant: rows[0]?.id })).status, 201)

    assert.ok((await untilFilesAreBooked(3)).includes('sale settled 5500'))
    const refusals = gateway.logged().split('a settlement file of the bundled bank is refused')
    assert.equal(refusals.length, 2)
    assert.match(refusals[0] ?? '', /"reason":"S0\d in line \d+: [^"]+"[^\n]*$/)
    const audited = await gateway.pool.query(
      `select operation from audit_entries where operation = 'settlement.refused'`,
    )
    assert.equal(audited.rows.length, 1)
  })

  test('a sale that the bank rejected cannot be refunded, and the order page offers no refund', async () => {
    const { rows } = await gateway.pool.query<{ id: string }>(
      `select order_id as id from settled_transactions where state = 'rejected'`,
    )
    const orderId = rows[0]?.id ?? ''

    const answer = await gateway.client().refund({ orderId, amount: '1.00' })

    assert.equal(outcome(answer), 'DECLINED 0/515')
    const owner = await signIn(gateway)
    const { body } = await owner.get(`/orders/${orderId}`)
    assert.equal(body.money.leftToRefundMinor, '0')
    await assertBooksAreClean(gateway)
  })

  /** Kind, state and gross amount of all settled transactions, once so many files are booked. */
  async function untilFilesAreBooked(count: number): Promise<string[]> {
    await untilSeen(
      `${count} settlement files are booked`,
      async () => {
        const booked = await gateway.pool.query(
          `select from settlement_files where state = 'booked'`,
        )
        return booked.rowCount
      },
      (booked) => booked === count,
    )
    const { rows } = await gateway.pool.query<{ settled: string }>(
      `select t.kind || ' ' || s.state || ' ' || s.gross_minor as settled
         from settled_transactions s join transactions t on t.id = s.transaction_id
        order by settled`,
    )
    return rows.map(({ settled }) => settled)
  }

  async function assertNothingDiffers(): Promise<void> {
    const differences = await gateway.pool.query('select code from settlement_differences')
    assert.deepEqual(differences.rows, [])
    await assertBooksAreClean(gateway)
  }

  /** DE 37 of the orders, as the gateway derives it. */
  async function references(): Promise<string[]> {
    const { rows } = await gateway.pool.query<{ number: string; at: Date }>(
      'select message_number::text as number, message_at as at from orders',
    )
    return rows.map(({ number, at }) => retrievalReference({ number: BigInt(number), at }))
  }

  test('the bank writes the cells of a CSV file exactly as the gateway does', () => {
    const signs = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', 'a', '1']
    const befores = [
      '',
      ' ',
      '\t',
      '"',
      ',"',
      'x,"',
      ';',
      'x;',
      'x|',
      '\u200b',
      '\u2800',
      'x\n',
      'x\u2028 ',
    ]
    const cells = befores.flatMap((each) => signs.map((sign) => `${each}${sign}1,2"`))
    const all = [...cells, '-12.50', '-1', '-x', '', 'plain']
    assert.equal(bankRow(all), gatewayRow(all))
  })
})
