import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
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
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator } from '../../packages/gateway/src/wiring/operator.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { payment } from '../support/payments.ts'
import { signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

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

  test('the gateway settles its transactions by the file of the bank, and finds no difference', async () => {
    const [head] = sent
    const { databaseUrl, vaultKey } = gateway
    const operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-bank-file-'))
    try {
      const source = await operator.settlement.putSource({
        accountId: 2001n,
        currency: 'USD',
        sender: String(head?.['sender']),
        receiver: String(head?.['receiver']),
        account: String(head?.['account']),
        since: '2026-01-01',
        fxBandBasisPoints: 0,
      })
      assert.ok(source.ok, source.ok ? '' : source.faults.join(' '))
      const path = join(folder, 'file.jsonl')
      writeFileSync(path, sent.map((record) => `${JSON.stringify(record)}\n`).join(''))

      const outcome = await operator.settlement.importPath(path, () => undefined)

      assert.equal(
        outcome.kind,
        'booked',
        JSON.stringify(outcome, (_, value) => String(value)),
      )
      const { rows } = await gateway.pool.query<{ settled: string }>(
        `select t.kind || ' ' || s.state || ' ' || s.gross_minor as settled
           from settled_transactions s join transactions t on t.id = s.transaction_id
          order by settled`,
      )
      assert.deepEqual(
        rows.map(({ settled }) => settled),
        ['refund settled -2000', 'sale rejected 0', 'sale settled 12000', 'sale settled 8050'],
      )
      const differences = await gateway.pool.query('select code from settlement_differences')
      assert.deepEqual(differences.rows, [])
      await assertBooksAreClean(gateway)
    } finally {
      await operator.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })

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
