import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { assertBooksAreClean } from '../support/books.ts'
import {
  EXPIRY,
  moneyOf,
  outcome,
  payment,
  untilNoAdviceIsQueued,
  untilRow,
  VISA,
} from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let tap: BankTap
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '3000' }, async (bankPort) => {
    tap = await openBankTap(bankPort)
    return tap.port
  })
})
after(async () => {
  await gateway?.stop()
  await tap?.close()
})

const shop = () => gateway.client()

interface PostingRow {
  readonly transaction_id: string
  readonly kind: string
  readonly debit: string
  readonly credit: string
  readonly currency: string
  readonly amount_minor: string
}

async function postingsOf(orderId: string): Promise<PostingRow[]> {
  const { rows } = await gateway.pool.query<PostingRow>(
    `select * from ledger_entries where order_id = $1 order by transaction_id, kind::text`,
    [orderId],
  )
  return rows
}

/** Kind and amount of each posting of an order, one line each. */
async function posted(orderId: string): Promise<string[]> {
  return (await postingsOf(orderId)).map(({ kind, amount_minor: minor }) => `${kind} ${minor}`)
}

/** Cells of the table of docs/internals/ledger.md that begins with this head. */
function documented(head: string): string[][] {
  const text = readFileSync(new URL('../../docs/internals/ledger.md', import.meta.url), 'utf8')
  const lines = text.split('\n')
  const from = lines.indexOf(head)
  assert.ok(from >= 0, `docs/internals/ledger.md has no table ${head}`)
  const end = lines.indexOf('', from)
  return lines.slice(from + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

suite('the ledger', () => {
  test('the worked example of docs/internals/ledger.md is what the gateway posts', async () => {
    const { orderId } = await shop().authorize(payment('100.00'))
    await shop().capture({ orderId, amount: '60' })
    await shop().void({ orderId, amount: '40' })
    await shop().refund({ orderId, amount: '10' })

    const example = documented('| Action | Kind | Debit | Credit | Minor units |')
    const rows = await postingsOf(orderId)
    assert.deepEqual(
      rows.map((row) => [row.kind, row.debit, row.credit, row.amount_minor]),
      example.map((cells) => cells.slice(1)),
    )
    for (const [account = '', balance] of documented('| Account | Balance | On the order |')) {
      const sum = (side: 'debit' | 'credit'): number =>
        rows.reduce(
          (total, row) => total + (row[side] === account ? Number(row.amount_minor) : 0),
          0,
        )
      assert.equal(Math.abs(sum('debit') - sum('credit')), Number(balance), account)
    }
  })

  test('each kind of posting has the accounts that docs/internals/ledger.md gives it', async () => {
    const { orderId } = await shop().sale(payment('9.00'))
    await shop().refund({ orderId, amount: '1' })
    await shop().captureVoid({ orderId, amount: '2' })
    const accounts = documented('| Kind | Debit | Credit | When |').map((cells) =>
      cells.slice(0, 3),
    )
    const { rows } = await gateway.pool.query<PostingRow>(
      'select distinct kind, debit, credit from ledger_entries',
    )
    assert.deepEqual(
      rows.map(({ kind, debit, credit }) => `${kind} ${debit} ${credit}`).toSorted(),
      accounts.map((cells) => cells.join(' ')).toSorted(),
    )
  })

  test('a sale posts its authorization and its capture, in its own currency', async () => {
    const { orderId, transactionId } = await shop().sale(payment('12.34', { currency: 'EUR' }))
    assert.deepEqual(
      (await postingsOf(orderId)).map((row) => [
        row.transaction_id,
        row.kind,
        row.currency,
        row.amount_minor,
      ]),
      [
        [transactionId, 'authorization', 'EUR', '1234'],
        [transactionId, 'capture', 'EUR', '1234'],
      ],
    )
  })

  test('a partial approval posts what was approved', async () => {
    const { orderId } = await shop().sale(payment('6.60', { partial: {} }))
    const money = await moneyOf(gateway, orderId)
    const [, approved] = /authorized (\d+)/.exec(money) ?? []
    assert.notEqual(approved, '660')
    assert.deepEqual(await posted(orderId), [`authorization ${approved}`, `capture ${approved}`])
  })

  test('a void of a whole sale posts the void of the capture and the release of the authorization', async () => {
    const { orderId } = await shop().sale(payment('8.00'))
    await shop().void({ orderId })
    assert.deepEqual(await posted(orderId), [
      'authorization 800',
      'capture 800',
      'capture_void 800',
      'release 800',
    ])
  })

  test('a void of open and captured money posts how much was captured', async () => {
    const { orderId } = await shop().authorize(payment('10.00'))
    await shop().capture({ orderId, amount: '4' })
    await shop().void({ orderId })
    assert.deepEqual(await posted(orderId), [
      'authorization 1000',
      'capture 400',
      'capture_void 400',
      'release 1000',
    ])
  })

  test('an unreferenced credit posts the refund alone', async () => {
    const answer = await gateway.client(1003).raw({
      REQUEST_ACTION: 'CCCREDIT',
      FORCE_CREDIT: '1',
      PMT_NUMB: VISA,
      PMT_EXPIRY: EXPIRY,
      LI_VALUE_1: '5.00',
      REQUEST_RESPONSE_FORMAT: 'JSON',
    })
    assert.deepEqual(await posted(String(answer['PO_ID'])), ['refund 500'])
  })

  test('a declined payment, one that a rule refuses and a mere card check post nothing', async () => {
    const refused = { billing: { street: '1 X', postalCode: '9' }, avs: { mode: 'T' as const } }
    const answers = await Promise.all([
      shop().sale(payment('6.35')),
      shop().sale(payment('12', { cardNumber: '4012889000000012', ...refused })),
      shop().authorize(payment('0.00', { securityCode: '864' })),
    ])
    const { rows } = await gateway.pool.query(
      'select from ledger_postings where transaction_id = any($1::bigint[])',
      [answers.map(({ transactionId }) => transactionId)],
    )
    assert.equal(rows.length, 0, answers.map(outcome).join(', '))
  })

  test('an expired rest is released under its authorization', async () => {
    const { orderId, transactionId } = await shop().authorize(payment('20.00'))
    await shop().capture({ orderId, amount: '5' })
    await gateway.pool.query(
      `update orders set expires_at = now() - interval '1 second' where id = $1`,
      [orderId],
    )
    await untilRow(
      gateway,
      'the rest is released',
      'select from orders where id = $1 and released_at is not null',
      [orderId],
    )
    const rows = await postingsOf(orderId)
    assert.deepEqual(
      rows
        .filter((row) => row.transaction_id === transactionId)
        .map((row) => [row.kind, row.amount_minor]),
      [
        ['authorization', '2000'],
        ['release', '1500'],
      ],
    )
  })

  test('a payment with an unknown outcome posts nothing', async () => {
    tap.muteBank()
    const answer = await shop().authorize(payment('30.00'))
    tap.unmuteBank()
    assert.equal(outcome(answer), 'FAILED 0/502')
    assert.deepEqual(await posted(answer.orderId), [])
  })

  for (const [what, sql] of [
    ['changed', 'update ledger_postings set amount_minor = 1'],
    ['removed', 'delete from ledger_postings'],
    ['emptied out', 'truncate ledger_postings'],
  ] as const) {
    test(`a posting cannot be ${what}`, async () => {
      await assert.rejects(gateway.pool.query(sql), /append-only/)
    })
  }

  test('a second posting of a kind, one of no kind and one of nothing are refused', async () => {
    const { orderId } = await shop().authorize(payment('1.00'))
    const again = (kind: string, minor: string): Promise<unknown> =>
      gateway.pool.query(
        `insert into ledger_postings
           select merchant_id, order_id, transaction_id, ${kind}, currency, ${minor}, posted_at
             from ledger_postings where order_id = ${orderId}`,
      )
    await assert.rejects(again('kind', 'amount_minor'), /ledger_postings_pkey/)
    await assert.rejects(again(`'gift'`, 'amount_minor'), /ledger_posting_kind/)
    await assert.rejects(again(`'capture'`, '0'), /ledger_postings_move_money/)
  })

  test('after all of this every invariant holds and the bank agrees', async () => {
    await untilNoAdviceIsQueued(gateway)
    await assertBooksAreClean(gateway)
  })
})
