import { dayIn } from '@tollgate/kernel/time-zone'
import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import {
  fetchSettlementFile,
  settlementFiles,
} from '../../packages/gateway/src/adapters/bank-control/bank-settlement.ts'
import {
  contentHash,
  fileText,
  type FileRecord,
} from '../../packages/gateway/test/domain/settlement/file-text.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import { payment } from '../support/payments.ts'
import { OTHER_OWNER, signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { importSettlement, referenceOf } from '../support/settlement.ts'

/** Every kind of line that a month may have, behind the lines of the bank. */
const monthOf = (rrn: string): readonly FileRecord[] => [
  { kind: 'chargeback', rrn, gross: '-27.00', fees: { dispute: '-15.00' }, case: 'C-1' },
  { kind: 'dispute_reversal', rrn, gross: '7.00', case: 'C-1' },
  { kind: 'fee', gross: '-10.00', fees: {}, fee_code: 'monthly', period: '2026-11' },
  { kind: 'adjustment', gross: '0.50' },
  { kind: 'reserve_hold', gross: '-3.96' },
  { kind: 'reserve_release', gross: '1.00' },
  { kind: 'refund_reversal', rrn, gross: '5.00', fees: { scheme: '-0.01', tax: '-0.02' } },
]

suite('payouts and statements in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  let orderId = ''
  let batch = ''
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
    const client = gateway.client()
    const sale = await client.sale(payment('120.00'))
    await client.sale(payment('80.50'))
    await client.refund({ orderId: sale.orderId, amount: '20.00' })
    orderId = String(sale.orderId)
    batch = await closeAnsweredBatch(gateway, owner)
    assert.equal(await untilBatchEnded(gateway, batch), 'agreed')
    await importMonth(await fileOfBank())
  })
  after(() => gateway?.stop())

  async function fileOfBank(): Promise<string> {
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select acquirer_merchant_id as id from merchant_accounts where id = 2001',
    )
    const merchant = rows[0]?.id ?? ''
    const controlUrl = gateway.bank.controlUrl ?? ''
    await fetch(`${controlUrl}/books/settlement`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ merchant }),
    })
    const [file] = await settlementFiles(controlUrl, () => null, merchant)
    return text(await fetchSettlementFile(controlUrl, () => null, file?.name ?? ''))
  }

  /** The file of the bank, one with a payout, and one that no payout has taken. */
  async function importMonth(first: string): Promise<void> {
    const records = first
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as FileRecord)
    const { sender, receiver, account, mode, zone } = records[0] ?? {}
    const next = (before: string, seq: number, lines: readonly FileRecord[]): string => {
      const end = JSON.parse(before.trimEnd().split('\n').at(-1) ?? '{}') as FileRecord
      return fileText(
        lines.map((line, at) => ({ id: `portal-${seq}-${at}`, value_date: '2026-11-20', ...line })),
        {
          sender,
          receiver,
          account,
          mode,
          zone,
          seq,
          currency: 'USD',
          file_id: `0192f0c4-7b1e-7c55-9a10-${String(seq).padStart(12, '0')}`,
          prev_sha256: contentHash(before),
          opening: end['closing'],
        },
      )
    }
    const seq = Number(records[0]?.['seq'])
    const second = next(first, seq + 1, [
      ...monthOf(await referenceOf(gateway, orderId)),
      {
        kind: 'payout',
        gross: '-100.00',
        payout: 'PO-1',
        trace: 'TG-TRACE-1',
        arrives: '2026-11-23',
        iban_last4: '3000',
      },
    ])
    const third = next(second, seq + 2, [{ kind: 'adjustment', gross: '2.25' }])
    for (const each of [first, second, third]) await importSettlement(gateway, each)
  }

  async function payouts() {
    return (await owner.get('/payouts')).body
  }

  const minors = (object: Readonly<Record<string, string>>, names: readonly string[]): bigint =>
    names.reduce((sum, name) => sum + BigInt(object[name] ?? ''), 0n)
  const sumOf = (rows: readonly Readonly<Record<string, string>>[], name: string): string =>
    String(rows.reduce((sum, row) => sum + BigInt(row[name] ?? ''), 0n))
  const PARTS = ['carried', 'gross', 'refunds', 'chargebacks', 'fees', 'reserve', 'other']

  test('the list has each payout, its totals by currency, and the same rows as a file', async () => {
    const { payouts: found, totals } = await payouts()

    const ours = found.find(({ trace }: { trace: string }) => trace === 'TG-TRACE-1')
    assert.equal(ours.netMinor, '10000')
    assert.equal(ours.state, 'announced')
    assert.equal(
      minors(
        ours,
        PARTS.map((part) => `${part}Minor`),
      ),
      minors(ours, ['netMinor', 'leftMinor']),
    )
    assert.equal(totals.length, 1)
    const sum = found.reduce(
      (all: bigint, { netMinor }: { netMinor: string }) => all + BigInt(netMinor),
      0n,
    )
    assert.equal(BigInt(totals[0].netMinor), sum)
    const csv: Record<string, string>[] = parse((await owner.get('/payouts.csv')).text, {
      bom: true,
      columns: true,
    })
    assert.equal(csv.length, found.length)
    assert.equal(csv.find((row) => row['Trace'] === 'TG-TRACE-1')?.['Net'], '100.00')
  })

  test('a filter leaves out the payouts that do not fit it', async () => {
    const count = async (query: string): Promise<number> => {
      const { status, body } = await owner.get(`/payouts?${query}`)
      assert.equal(status, 200, query)
      return body.payouts.filter(({ trace }: { trace: string }) => trace === 'TG-TRACE-1').length
    }
    assert.deepEqual(
      await Promise.all(
        ['state=announced', 'currency=USD', 'account=2001', 'from=2026-11-20&to=2026-11-20'].map(
          count,
        ),
      ),
      [1, 1, 1, 1],
    )
    assert.deepEqual(
      await Promise.all(
        ['state=deposited', 'currency=EUR', 'account=2003', 'from=2026-11-21', 'to=2026-11-19'].map(
          count,
        ),
      ),
      [0, 0, 0, 0, 0],
    )
    assert.equal((await owner.get('/payouts?from=2026-02-31')).status, 400)
  })

  test('a payout is found by its trace, its id or the amount of the bank statement', async () => {
    const found = async (text: string): Promise<number> => {
      const { body } = await owner.get(`/payouts?find=${encodeURIComponent(text)}`)
      return body.payouts.filter(({ trace }: { trace: string }) => trace === 'TG-TRACE-1').length
    }
    const texts = ['trace-1', 'PO-1', '100.00', '100', '10000', '1000', 'trace-2', '100.001']
    assert.deepEqual(await Promise.all(texts.map(found)), [1, 1, 1, 1, 0, 0, 0, 0])
  })

  test('the lines of each part of a payout have the sum of the part', async () => {
    const { payouts: found } = await payouts()
    for (const payout of found) {
      for (const part of PARTS.slice(1)) {
        const { body } = await owner.get(`/payouts/${payout.id}/lines?part=${part}`)
        const sum = body.lines.reduce(
          (all: bigint, line: Readonly<Record<string, string>>) =>
            all +
            (part === 'fees'
              ? minors(line, ['netMinor']) - minors(line, ['grossMinor'])
              : minors(line, ['grossMinor'])),
          0n,
        )
        assert.equal(sum, BigInt(payout[`${part}Minor`]), `${payout.id} ${part}`)
      }
      const all = await owner.get(`/payouts/${payout.id}/lines`)
      const csv = parse((await owner.get(`/payouts/${payout.id}/lines.csv`)).text, {
        bom: true,
        columns: true,
      })
      assert.equal(csv.length, all.body.lines.length)
    }
  })

  test('the pages of a list of lines have each line once', async () => {
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select id from settlement_payouts where trace = $1',
      ['TG-TRACE-1'],
    )
    const path = `/payouts/${rows[0]?.id}/lines`
    const { body } = await owner.get(path)
    const keys: string[] = body.lines.map(({ key }: { key: string }) => key)
    assert.equal(new Set(keys).size, keys.length)

    const rest = await owner.get(`${path}?after=${keys[1]}`)

    assert.deepEqual(
      rest.body.lines.map(({ key }: { key: string }) => key),
      keys.slice(2),
    )
  })

  test('money that no payout has taken is the balance of the last file, with its lines', async () => {
    const { announced, untaken } = (await owner.get('/expected-payouts')).body
    const { rows } = await gateway.pool.query<{ closing: string }>(
      'select closing_minor as closing from settlement_files order by seq desc limit 1',
    )

    assert.ok(announced.some(({ trace }: { trace: string }) => trace === 'TG-TRACE-1'))
    assert.equal(untaken.length, 1)
    assert.equal(untaken[0].balanceMinor, rows[0]?.closing)
    assert.equal(untaken[0].lines, 1)
    const { body } = await owner.get(`/settlement-sources/${untaken[0].id}/lines`)
    const taken = body.lines.map(({ netMinor }: { netMinor: string }) => netMinor)
    assert.deepEqual(taken, ['225'])
    const csv = await owner.get(`/settlement-sources/${untaken[0].id}/lines.csv`)
    assert.equal(parse(csv.text, { bom: true, columns: true }).length, 1)
    assert.equal(BigInt(untaken[0].leftMinor) + 225n, BigInt(untaken[0].balanceMinor))
  })

  test('an order shows when it was settled, the net amount and the payout of it', async () => {
    const { settlements } = (await owner.get(`/orders/${orderId}`)).body
    const { rows } = await gateway.pool.query<Record<string, string>>(
      `select kind || ' ' || s.state || ' ' || s.net_minor as settled
         from settled_transactions s join transactions t on t.id = s.transaction_id
        where s.order_id = $1 order by t.id`,
      [orderId],
    )

    assert.deepEqual(
      settlements.map((each: Readonly<Record<string, string>>) =>
        [each['kind'], each['state'], each['netMinor']].join(' '),
      ),
      rows.map(({ settled }) => settled),
    )
    assert.equal(settlements.length, 2)
    for (const { payoutId } of settlements) {
      const { body } = await owner.get(`/payouts/${payoutId}/lines`)
      assert.ok(body.lines.some((line: { orderId: string }) => line.orderId === orderId))
    }
  })

  test('the rows of a statement are the sums of the ledger, to the cent', async () => {
    await gateway.pool.query(FEES_OF_OPERATOR)
    const { sources } = (await owner.get('/settlement-sources')).body
    const month = dayIn('UTC', new Date()).slice(0, 7)
    const query = `source=${sources[0].id}&month=${month}`

    const { status, body, text: answer } = await owner.get(`/statements?${query}`)

    assert.equal(status, 200, answer)
    const { rows } = await gateway.pool.query<{ name: string; minor: string }>(LEDGER)
    const ledger = Object.fromEntries(rows.map(({ name, minor }) => [name, minor]))
    const shown = Object.fromEntries(
      body.rows.map(({ name, minor }: { name: string; minor: string }) => [name, minor]),
    )
    for (const name of Object.keys(shown)) assert.equal(shown[name], ledger[name] ?? '0', name)
    for (const name of ['captures', 'refunds', 'chargebacks', 'fee_scheme', 'fee_dispute']) {
      assert.notEqual(shown[name], '0', name)
    }
    for (const name of ['fee_tax', 'fee_other', 'reserve', 'adjustments', 'payouts']) {
      assert.notEqual(shown[name], '0', name)
    }
    assert.equal(body.openingMinor, '0')
    assert.equal(body.closingMinor, ledger['balance'])
    const { salesMinor, refundsMinor, monthlyMinor } = body.operatorFees
    assert.equal(
      String(BigInt(salesMinor) + BigInt(refundsMinor) + BigInt(monthlyMinor)),
      ledger['operator'],
    )
    assert.deepEqual([salesMinor, refundsMinor, monthlyMinor], ['35', '-5', '1000'])
    const csv = parse((await owner.get(`/statements.csv?${query}`)).text, { bom: true })
    assert.equal(csv.length, 1 + 1 + body.rows.length + 1 + 3)
  })

  test('the lines of each row of a statement have the sum of the row', async () => {
    const { sources } = (await owner.get('/settlement-sources')).body
    const month = dayIn('UTC', new Date()).slice(0, 7)
    const query = `source=${sources[0].id}&month=${month}`
    const { rows } = (await owner.get(`/statements?${query}`)).body
    for (const { minor, name } of rows) {
      const { body } = await owner.get(`/statements/lines?${query}&row=${name}`)
      assert.equal(sumOf(body.lines, 'postedMinor'), minor, name)
      const csv: Record<string, string>[] = parse(
        (await owner.get(`/statements/lines.csv?${query}&row=${name}`)).text,
        { bom: true, columns: true },
      )
      assert.equal(csv.length, body.lines.length)
    }
    const fees = (await owner.get(`/statements/lines?${query}&row=fee_scheme`)).body.lines
    const rest = (await owner.get(`/statements/lines?${query}&row=fee_scheme&after=${fees[0].key}`))
      .body.lines
    assert.ok(fees.length > 1)
    assert.deepEqual(rest, fees.slice(1))
  })

  test('the fees of each row of the operator have the sum of the row, and lead to an order', async () => {
    const { sources } = (await owner.get('/settlement-sources')).body
    const query = `source=${sources[0].id}&month=${dayIn('UTC', new Date()).slice(0, 7)}`
    const { operatorFees } = (await owner.get(`/statements?${query}`)).body
    for (const fee of ['sales', 'refunds', 'monthly']) {
      const { fees } = (await owner.get(`/statements/fees?${query}&fee=${fee}`)).body
      assert.ok(fees.length > 0, fee)
      assert.equal(sumOf(fees, 'feeMinor'), operatorFees[`${fee}Minor`], fee)
      const csv: Record<string, string>[] = parse(
        (await owner.get(`/statements/fees.csv?${query}&fee=${fee}`)).text,
        { bom: true, columns: true },
      )
      assert.equal(csv.length, fees.length)
      assert.equal(csv[0]?.['Order'], fee === 'monthly' ? '' : fees[0].orderId)
    }
    const [sale] = (await owner.get(`/statements/fees?${query}&fee=sales`)).body.fees
    const page = (await owner.get(`/orders/${sale.orderId}`)).body
    const back = page.operatorFees.find(
      ({ transactionId }: { transactionId: string }) => transactionId === sale.transactionId,
    )
    assert.deepEqual(
      [back.fee, back.feeMinor, `source=${back.sourceId}&month=${back.month}`],
      ['sales', sale.feeMinor, query],
    )
  })

  test("the operator's charge is the sum of its fees, which are listed page by page", async () => {
    const { sources } = (await owner.get('/settlement-sources')).body
    const query = `source=${sources[0].id}&month=${dayIn('UTC', new Date()).slice(0, 7)}`
    const { operatorFees } = (await owner.get(`/statements?${query}`)).body
    const { fees } = (await owner.get(`/statements/fees?${query}&fee=all`)).body

    assert.equal(
      BigInt(sumOf(fees, 'feeMinor')),
      minors(operatorFees, ['salesMinor', 'refundsMinor', 'monthlyMinor']),
    )
    // A page may end behind the last transaction, with the months still to come.
    for (const [at, { id }] of fees.entries()) {
      const rest = (await owner.get(`/statements/fees?${query}&fee=all&after=${id}`)).body.fees
      assert.deepEqual(rest, fees.slice(at + 1))
    }
    const { text: csv } = await owner.get(`/statements/fees.csv?${query}&fee=all`)
    assert.equal(parse(csv, { bom: true, columns: true }).length, fees.length)
    assert.equal((await owner.get(`/statements/fees?${query}&fee=all&after=7`)).status, 400)
  })

  test('a payout carries in what the one before left, and its lines since then', async () => {
    const found = (await payouts()).payouts
    const details = await Promise.all(
      found.map(async ({ id }: { id: string }) => (await owner.get(`/payouts/${id}`)).body),
    )
    for (const detail of details) {
      const { lines } = (await owner.get(`/payouts/${detail.id}/lines?part=carried`)).body
      const before = BigInt(detail.previous?.leftMinor ?? 0)
      assert.equal(before + BigInt(sumOf(lines, 'netMinor')), BigInt(detail.carriedMinor))
      const following = details.find(({ id }) => id === detail.nextId)
      if (detail.nextId !== null) assert.equal(following?.previous.id, detail.id)
    }
    const [last, ...others] = details.filter(({ nextId }) => nextId === null)
    assert.equal(others.length, 0)
    const untaken = (await owner.get(`/settlement-sources/${last.sourceId}`)).body
    assert.deepEqual([untaken.lastPayoutId, untaken.leftMinor], [last.id, last.leftMinor])
  })

  test('each sum in the settlement of a batch leads to the transactions that add up to it', async () => {
    const settlementOf = async (id: string): Promise<number> => {
      const { settlements } = (await owner.get(`/batches/${id}/settlements`)).body
      for (const group of settlements) {
        const { currency, grossMinor, netMinor, payoutId, state, transactions: count } = group
        const of = `state=${state}&currency=${currency}${payoutId === null ? '' : `&payout=${payoutId}`}`
        const path = `/batches/${id}/settlements/transactions?${of}`
        const { transactions } = (await owner.get(path)).body
        assert.equal(transactions.length, count, of)
        assert.equal(sumOf(transactions, 'grossMinor'), grossMinor, of)
        if (netMinor !== null) assert.equal(sumOf(transactions, 'netMinor'), netMinor, of)
        const rest = (await owner.get(`${path}&after=${transactions[0].id}`)).body.transactions
        assert.deepEqual(rest, transactions.slice(1), of)
      }
      return settlements.length
    }
    const sale = await gateway.client().sale(payment('30.00'))
    await gateway.client().refund({ orderId: sale.orderId, amount: '5.00' })
    const unsettled = await closeAnsweredBatch(gateway, owner)
    await untilBatchEnded(gateway, unsettled)
    const groups = await settlementOf(batch)

    // A part of the batch waits for a file, and another part for a payout.
    const move = (from: string, to: string) =>
      gateway.pool.query('update transactions set batch_id = $2 where batch_id = $1', [from, to])
    await move(unsettled, batch)
    const { rows } = await gateway.pool.query(
      `update settled_transactions x set file_id = (select max(id) from settlement_files)
         from transactions t where t.id = x.transaction_id and t.kind = 'refund'
        returning x.transaction_id`,
    )
    assert.ok(rows.length > 0)
    assert.equal(await settlementOf(batch), groups + 2)
    await gateway.pool.query(
      `update settled_transactions set file_id = (select min(id) from settlement_files)
        where transaction_id = any($1)`,
      [rows.map(({ transaction_id: id }) => id)],
    )
    await gateway.pool.query(
      'update transactions set batch_id = $2 where order_id = $1 and batch_id is not null',
      [sale.orderId, unsettled],
    )
  })

  test('a line has the id that the merchant gave its order', async () => {
    await gateway.pool.query(`update orders set reference = 'INV-7' where id = $1`, [orderId])
    const { settlements } = (await owner.get(`/orders/${orderId}`)).body
    const path = `/payouts/${settlements[0].payoutId}/lines`

    const { body } = await owner.get(path)

    const own = body.lines.filter((line: { orderId: string }) => line.orderId === orderId)
    assert.ok(own.length > 0)
    for (const line of own) assert.equal(line.orderReference, 'INV-7')
    const csv: Record<string, string>[] = parse((await owner.get(`${path}.csv`)).text, {
      bom: true,
      columns: true,
    })
    assert.ok(csv.some((row) => row['Your order id'] === 'INV-7' && row['Order'] === orderId))
  })

  test('a batch has its transactions by payout, and their sum is that of the batch', async () => {
    const { settlements } = (await owner.get(`/batches/${batch}/settlements`)).body
    const { sums } = (await owner.get(`/batches/${batch}`)).body
    const net = sums.reduce(
      (sum: bigint, { action, amountMinor }: { action: string; amountMinor: string }) =>
        sum + (action === 'refund' ? -BigInt(amountMinor) : BigInt(amountMinor)),
      0n,
    )
    assert.equal(BigInt(sumOf(settlements, 'grossMinor')), net)
    const { settlements: ofOrder } = (await owner.get(`/orders/${orderId}`)).body
    assert.ok(
      settlements.some(({ payoutId }: { payoutId: string }) => payoutId === ofOrder[0].payoutId),
    )
  })

  test('a month without files opens and closes with the same balance', async () => {
    const { sources } = (await owner.get('/settlement-sources')).body
    const { body } = await owner.get(`/statements?source=${sources[0].id}&month=2020-01`)

    assert.deepEqual([body.openingMinor, body.closingMinor, body.isOver], ['0', '0', true])
  })

  test('payouts, lines and statements of another merchant do not exist', async () => {
    const other = await signIn(gateway, OTHER_OWNER)
    const [payout] = (await payouts()).payouts
    const { sources } = (await owner.get('/settlement-sources')).body
    const paths = [
      `/payouts/${payout.id}`,
      `/payouts/${payout.id}/lines`,
      `/payouts/${payout.id}/lines.csv`,
      `/settlement-sources/${sources[0].id}`,
      `/settlement-sources/${sources[0].id}/lines`,
      `/settlement-sources/${sources[0].id}/lines.csv`,
      `/batches/${batch}/settlements`,
      `/batches/${batch}/settlements/transactions?state=settled&currency=USD`,
      `/statements/lines?source=${sources[0].id}&month=2026-11&row=captures`,
      `/statements/lines.csv?source=${sources[0].id}&month=2026-11&row=captures`,
      `/statements/fees?source=${sources[0].id}&month=2026-11&fee=sales`,
      `/statements/fees.csv?source=${sources[0].id}&month=2026-11&fee=sales`,
      `/statements?source=${sources[0].id}&month=2026-11`,
      `/statements.csv?source=${sources[0].id}&month=2026-11`,
    ]
    for (const path of paths) {
      assert.equal((await owner.get(path)).status, 200, path)
      assert.equal((await other.get(path)).status, 404, path)
    }
    const list = (await other.get('/payouts')).body
    assert.deepEqual([list.payouts, list.totals, list.sources], [[], [], []])
  })
})

/** The operator charges a sale 0.35 and the month 10.00, and returns 0.05 for a refund. */
const FEES_OF_OPERATOR = `
  insert into fee_plans (merchant_id, starts_on, prices, actor) values (1, '2026-01-01', '{}', 'test');
  insert into fee_charges (batch_id, merchant_id, fees, charged_at)
    select id, 1, 2, now() from batches
     where merchant_account_id = 2001 and closed_at is not null;
  insert into fee_months (merchant_id, month) values (1, date_trunc('month', now())::date);
  insert into transaction_fees (transaction_id, merchant_id, batch_id, kind, brand, plan_starts_on,
      day, currency, amount_minor, fee_minor)
    select t.id, 1, t.batch_id, t.kind, 'visa', '2026-01-01', current_date, 'USD', t.value_minor,
           case t.kind when 'sale' then 35 else -5 end
      from transactions t
     where t.order_id = (select order_id from transactions where kind = 'refund')
       and t.kind in ('sale', 'refund');
  insert into monthly_fees (merchant_id, month, currency, plan_starts_on, fee_minor)
    values (1, date_trunc('month', now())::date, 'USD', '2026-01-01', 1000)`

/** The rows of a statement, from the entries of the ledger alone. */
const LEDGER = `
  with entries as (
    select debit as account, credit as other, amount_minor as minor, currency, merchant_id,
           posted_at from account_entries
     union all
    select credit, debit, -amount_minor, currency, merchant_id, posted_at from account_entries)
  select case when account = 'fee_gateway' then 'operator'
              when other in ('acquirer_receivable', 'currency_conversion')
                then case when minor > 0 then 'captures' else 'refunds' end
              when other = 'merchant_refunds' then 'refunds'
              when other = 'disputes_open' then 'chargebacks'
              when other = 'reserve_held' then 'reserve'
              when other = 'payout_in_transit' then 'payouts'
              when other = 'suspense' then 'unexplained'
              else other end as name, sum(minor) as minor
    from entries
   where account in ('acquirer_balance', 'fee_gateway') and currency = 'USD' and merchant_id = 1
     and posted_at >= date_trunc('month', now())
   group by 1
   union all
  select 'balance', sum(minor) from entries
   where account = 'acquirer_balance' and merchant_id = 1 and currency = 'USD'`
