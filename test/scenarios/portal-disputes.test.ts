import { brandName } from '@tollgate/portal-contract/card-brands'
import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  ANOTHER_NODE_TALKS,
  dayIn,
  openNoticeSender,
  type NoticeSender,
} from '../support/disputes.ts'
import { payment } from '../support/payments.ts'
import { addPortalUser, OTHER_OWNER, OWNER, signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const PDF = Buffer.from('%PDF-1.7 a receipt')

suite('disputes in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  let acquirer: NoticeSender
  let cases = 0
  before(async () => {
    gateway = await startRunningGateway(ANOTHER_NODE_TALKS)
    owner = await signIn(gateway)
    acquirer = await openNoticeSender(gateway)
  })
  after(() => gateway?.stop())

  /** A sale of 120.00 USD with a notice about it. */
  async function disputed(notice: Readonly<Record<string, unknown>> = {}) {
    const { orderId } = await gateway.client().sale(payment('120.00'))
    const order = String(orderId)
    const caseId = `CASE-${(cases += 1)}`
    const send = (...notices: readonly Readonly<Record<string, unknown>>[]) =>
      acquirer.send(order, ...notices.map((each) => ({ case: caseId, currency: 'USD', ...each })))
    await send({ network_due: dayIn(20), ...notice })
    const { disputes } = (await owner.get(`/disputes?order=${order}`)).body
    return { id: String(disputes[0].id), order, caseId, send, path: `/disputes/${disputes[0].id}` }
  }

  test('a case has its order, its reason in words, the evidence that wins and the days left', async () => {
    const { order, path } = await disputed()

    const { body, status } = await owner.get(path)

    assert.equal(status, 200)
    assert.deepEqual(
      [body.state, body.orderId, body.amountMinor, body.currency, body.reason, body.canAnswer],
      ['chargeback', order, '12000', 'USD', '10.4', true],
    )
    assert.match(body.reasonName, /card absent/)
    assert.match(body.evidenceHint, /3-D Secure/)
    // The network's limit less seven days for the acquirer.
    assert.equal(body.daysLeft, 13)
    assert.deepEqual([body.files, body.answers, body.movements], [[], [], []])
    assert.equal(body.merchantId, undefined)
  })

  test('filters leave out the cases that do not fit them, and the file has the same cases', async () => {
    const mastercard = await disputed({ brand: 'mastercard', reason: '4853' })
    const inquiry = await disputed({ event: 'inquiry' })
    const has = async (query: string, id: string): Promise<boolean> => {
      const { body } = await owner.get(`/disputes?${query}`)
      const csv: Record<string, string>[] = parse(
        (await owner.get(`/disputes.csv?${query}`)).text,
        {
          bom: true,
          columns: true,
        },
      )
      const isInFile = csv.some((row) => row['Dispute'] === id)
      assert.equal(
        isInFile,
        body.disputes.some((each: { id: string }) => each.id === id),
        query,
      )
      return isInFile
    }

    assert.deepEqual(
      [
        await has('brand=mastercard', mastercard.id),
        await has('brand=visa', mastercard.id),
        await has('group=due', inquiry.id),
        await has('state=inquiry', inquiry.id),
        await has('group=ended', inquiry.id),
        await has('account=2001', inquiry.id),
        await has('account=2003', inquiry.id),
      ],
      [true, false, true, true, false, true, false],
    )
    assert.deepEqual((await owner.get('/disputes')).body.accounts, ['2001'])
    const soon = await disputed({ network_due: dayIn(3) })
    const { disputes } = (await owner.get('/disputes?sort=due')).body
    assert.equal(disputes[0].id, soon.id)
  })

  test('a case is contested with a text and a file, and the notices of the acquirer end it', async () => {
    const { id, path, send } = await disputed()
    const file = { name: 'receipt.pdf', content: PDF.toString('base64') }
    assert.equal((await owner.post(`${path}/files`, file)).status, 200)
    assert.equal((await owner.post(`${path}/contest`, { text: 'It was delivered.' })).status, 200)

    const contested = (await owner.get(path)).body
    assert.deepEqual(
      [contested.answer, contested.answerState, contested.canAnswer, contested.answers[0].text],
      ['contest', 'queued', false, 'It was delivered.'],
    )
    const [kept] = contested.files
    assert.deepEqual(
      [kept.name, kept.type, kept.bytes, kept.answerId],
      ['receipt.pdf', 'application/pdf', PDF.length, contested.answers[0].id],
    )
    await send({ event: 'representment', answer: contested.answers[0].id }, { event: 'won' })

    const won = (await owner.get(path)).body
    assert.deepEqual([won.state, won.answerState, won.canAnswer], ['won', 'acknowledged', false])
    assert.deepEqual(
      won.notices.map(({ event }: { event: string }) => event),
      ['chargeback', 'representment', 'won'],
    )
    const { rows } = await gateway.pool.query<{ operation: string; actor: string }>(
      `select operation, actor from audit_entries where object = $1 order by number`,
      [`dispute ${id}`],
    )
    assert.deepEqual(
      rows.map(({ actor, operation }) => `${actor} ${operation}`),
      ['evidence_added', 'answered'].map((name) => `portal:${OWNER.email} dispute.${name}`),
    )
  })

  test('a file of evidence is returned as it was sent, and the audit log has each reading', async () => {
    const { id, path } = await disputed()
    const name = 'a "receipt"; über.pdf'
    await owner.post(`${path}/files`, { name, content: PDF.toString('base64') })
    const [file] = (await owner.get(path)).body.files
    assert.equal(file.name, name)

    const read = await owner.get(`${path}/files/${file.id}`)

    assert.equal(read.status, 200)
    assert.equal(read.text, PDF.toString())
    assert.equal(read.headers.get('content-type'), 'application/pdf')
    assert.equal(
      read.headers.get('content-disposition'),
      `attachment; filename="evidence-${file.id}.pdf"`,
    )
    const { rowCount } = await gateway.pool.query(
      `select from audit_entries where object = $1 and operation = 'dispute.evidence_read'`,
      [`dispute ${id}`],
    )
    assert.equal(rowCount, 1)
    assert.equal((await owner.remove(`${path}/files/${file.id}`)).status, 200)
    assert.equal((await owner.get(`${path}/files/${file.id}`)).status, 404)
  })

  test('a file of another type, with a card number or above the limit is refused, and nothing is kept', async () => {
    const { path } = await disputed()
    const send = async (content: Buffer, name = 'proof.txt'): Promise<number> =>
      (await owner.post(`${path}/files`, { name, content: content.toString('base64') })).status

    const statuses = [
      await send(Buffer.from([0, 1, 2, 3])),
      await send(Buffer.from('card 4111 1111 1111 1111')),
      await send(Buffer.alloc(4_000_001, 'a')),
      await send(Buffer.alloc(6_000_000, 'a')),
      await send(Buffer.from('fine'), '../proof.txt'),
      await send(Buffer.from('fine')),
    ]

    assert.deepEqual(statuses, [400, 400, 400, 413, 400, 200])
    assert.equal((await owner.get(path)).body.files.length, 1)
  })

  test('an accepted case takes no further answer, and an empty one contests nothing', async () => {
    const { path } = await disputed()
    assert.equal((await owner.post(`${path}/contest`, { text: ' ' })).status, 400)
    assert.equal((await owner.post(`${path}/accept`)).status, 200)
    assert.equal((await owner.post(`${path}/accept`)).status, 409)
    assert.equal((await owner.post(`${path}/contest`, { text: 'No.' })).status, 409)
    assert.equal((await owner.get(path)).body.answer, 'accept')
  })

  test('a large body of a client that is not signed in is refused before it is read', async () => {
    const { path } = await disputed()
    const response = await fetch(`${gateway.baseUrl}/portal/api${path}/files`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'a.txt', content: 'a'.repeat(6_000_000) }),
    })
    assert.equal(response.status, 401)
  })

  test('a user without the right to answer reads cases and answers none', async () => {
    const { path } = await disputed()
    const support = await signIn(gateway, await addPortalUser(gateway, 'support'))
    const statuses = [
      (await support.get(path)).status,
      (await support.post(`${path}/accept`)).status,
      (await support.post(`${path}/contest`, { text: 'No.' })).status,
      (await support.post(`${path}/files`, { name: 'a', content: '' })).status,
    ]
    assert.deepEqual(statuses, [200, 403, 403, 403])
  })

  test('cases and evidence of another merchant do not exist', async () => {
    const { path } = await disputed()
    await owner.post(`${path}/files`, { name: 'a.txt', content: 'YWJj' })
    const [file] = (await owner.get(path)).body.files
    const other = await signIn(gateway, OTHER_OWNER)
    const statuses = [
      (await other.get(path)).status,
      (await other.get(`${path}/files/${file.id}`)).status,
      (await other.post(`${path}/accept`)).status,
      (await other.post(`${path}/contest`, { text: 'Mine.' })).status,
      (await other.post(`${path}/files`, { name: 'a.txt', content: 'YWJj' })).status,
      (await other.remove(`${path}/files/${file.id}`)).status,
    ]
    assert.deepEqual(statuses, [404, 404, 404, 404, 404, 404])
    assert.deepEqual((await other.get('/disputes')).body.disputes, [])
    assert.deepEqual((await other.get('/dispute-monitoring')).body.months, [])
  })

  test('a month has its disputes and reports of fraud beside the limits of the programmes', async () => {
    await disputed({ at: new Date().toISOString(), event: 'fraud_report' })
    const { months } = (await owner.get('/dispute-monitoring')).body
    const month = months.find(
      (each: { brand: string; month: string }) =>
        each.brand === 'visa' && each.month === new Date().toISOString().slice(0, 7),
    )
    assert.ok(month.fraudReports >= 1)
    const [standing] = month.standings
    assert.equal(standing.programme, 'VAMP merchant excessive')
    assert.equal(standing.mostEvents, 1500)
    assert.equal(standing.events, month.disputes + month.fraudReports)
  })

  test('each count, sum and total of disputes leads to exactly the cases that add up to it', async () => {
    await disputed({ event: 'fraud_report' })
    const older = await disputed()
    await disputed({ event: 'inquiry' })
    await disputed({ brand: 'mastercard', reason: '4853' })
    // A month ago, and another currency.
    await gateway.pool.query(
      `update disputes set opened_at = opened_at - interval '1 month', currency = 'EUR',
              charged_at = charged_at - interval '1 month' where id = $1`,
      [older.id],
    )
    await gateway.pool.query(
      `insert into settled_transactions (transaction_id, order_id, merchant_id, file_id, n, state,
         settled_on, currency, gross_minor, net_minor)
       select id, order_id, merchant_id, 999, row_number() over (), 'settled',
              case when order_id = $1 then current_date - interval '1 month' else current_date end,
              'USD', value_minor, value_minor
         from transactions where kind = 'sale' and state = 'approved' and merchant_id = 1
       on conflict do nothing`,
      [older.order],
    )
    const cases = async (query: string) => (await owner.get(`/disputes?${query}`)).body.disputes
    const sumOf = (rows: readonly { amountMinor: string }[]): string =>
      String(rows.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n))

    const { months } = (await owner.get('/dispute-monitoring')).body
    assert.equal(new Set(months.map(({ month }: { month: string }) => month)).size, 2)
    for (const row of months) {
      const of = `account=${row.merchantAccountId}&brand=${row.brand}&month=${row.month}`
      assert.equal((await cases(`${of}&group=charged`)).length, row.disputes, of)
      assert.equal((await cases(`${of}&group=reported`)).length, row.fraudReports, of)
      for (const { counts, events } of row.standings) {
        const group = counts === 'disputes' ? 'charged' : 'counted'
        assert.equal((await cases(`${of}&group=${group}`)).length, events, of)
      }
      const settled = `account=${row.merchantAccountId}&brand=${brandName(row.brand)}&settled=${row.month}`
      const { totals: sales } = (
        await owner.get(`/transactions/totals?${settled}&action=sale,renewal,capture`)
      ).body
      const count = sales.reduce((sum: number, each: { count: number }) => sum + each.count, 0)
      assert.equal(count, row.sales, settled)
      if (row.brand === 'visa') assert.ok(count > 0, settled)
      for (const { currency, minor } of row.amounts) {
        assert.equal(sumOf(await cases(`${of}&group=charged&currency=${currency}`)), minor, of)
      }
    }
    const { totals } = (await owner.get('/disputes')).body
    assert.equal(totals.length, 2)
    for (const { amountMinor, count, currency } of totals) {
      const rows = await cases(`currency=${currency}`)
      assert.deepEqual([rows.length, sumOf(rows)], [count, amountMinor], currency)
      const csv = await owner.get(`/disputes.csv?currency=${currency}`)
      assert.equal(parse(csv.text, { bom: true, columns: true }).length, count)
    }
  })
})
