import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { statementXml } from '../../packages/gateway/test/adapters/postgres/settlement/statement-xml.ts'
import {
  fileText,
  type FileRecord,
} from '../../packages/gateway/test/domain/settlement/file-text.ts'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { COMMANDS } from '../../packages/tollgate/src/commands.ts'
import { auditedAsDone } from '../support/audit.ts'
import { closeAnsweredBatch, untilBatchEnded } from '../support/batches.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { assertSchema, eventsOf } from '../support/events.ts'
import { payment } from '../support/payments.ts'
import { signIn, type SignedInUser } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

suite('settlement files of a running gateway', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  let folder: string
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
    folder = mkdtempSync(join(tmpdir(), 'tollgate-settlement-'))
  })
  after(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The exit code and the lines of `tollgate settlement …`. */
  const settlement = (...args: readonly string[]) => run('settlement', args)
  const deposits = (...args: readonly string[]) => run('deposits', args)

  async function run(
    wanted: string,
    args: readonly string[],
  ): Promise<{ code: number; text: string }> {
    const lines: string[] = []
    const keep = (line: string): void => void lines.push(line)
    const command = COMMANDS.find(({ name }) => name === wanted)
    assert.ok(command !== undefined)
    const { databaseUrl, vaultKey } = gateway
    const env = { DATABASE_URL: databaseUrl, VAULT_KEY: vaultKey.reveal(), DATA_DIR: folder }
    const context = { env, print: keep, complain: keep }
    const code = await runCommand(command, args, context as never)
    return { code, text: lines.join('\n') }
  }

  /** A file of the acquirer for the captures and refunds of a batch. */
  async function linesOf(batch: string): Promise<FileRecord[]> {
    const { rows } = await gateway.pool.query<{
      id: string
      rrn: string
      kind: string
      minor: string
    }>(
      `select t.order_id as id, t.kind, t.value_minor - t.voided_minor as minor,
              retrieval_reference(o.message_number, o.message_at) as rrn
         from transactions t join orders o on o.id = t.order_id
        where t.batch_id = $1 and t.kind in ('sale', 'capture', 'refund') order by t.id`,
      [batch],
    )
    return rows.map(({ id, kind, minor, rrn }) => {
      const amount = `${minor.slice(0, -2)}.${minor.slice(-2)}`
      return kind === 'refund'
        ? { kind, order: id, rrn, gross: `-${amount}` }
        : { kind: 'sale', order: id, rrn, gross: amount, fees: { acquirer: '-0.30' } }
    })
  }

  test('an operator imports the file of a batch, and verify, recon and the commands explain it', async () => {
    const client = gateway.client()
    const sale = await client.sale(payment('100.00'))
    await client.sale(payment('50.00'))
    await client.refund({ orderId: sale.orderId, amount: '20.00' })
    const batch = await closeAnsweredBatch(gateway, owner)
    await untilBatchEnded(gateway, batch)
    const source = ['--currency', 'USD', '--sender', 'bank-demo', '--receiver', 'gw-01']
    const pasted = await settlement(
      'source',
      '2001',
      ...source,
      '--account',
      '4111111111111111',
      '--since',
      '2026-01-01',
      '--fx-band',
      '250',
    )
    assert.match(pasted.text, /The account looks like a card number/)
    const made = await settlement(
      'source',
      '2001',
      ...source,
      '--account',
      'MA-1042',
      '--since',
      '2026-01-01',
      '--fx-band',
      '250',
    )
    assert.equal(made.code, 0, made.text)

    const path = join(folder, 'one.jsonl')
    const lines = await linesOf(batch)
    assert.equal(lines.length, 3)
    const stray = { kind: 'sale', order: '5', gross: '1.00' }
    writeFileSync(path, fileText([...lines, stray], { currency: 'USD' }))
    const imported = await settlement('import', path)

    assert.match(imported.text, /is booked: 4 lines, 3 settled, 0 rejected, 0 payouts\./)
    assert.equal(imported.code, 0)
    assert.match((await settlement('import', path)).text, /^already imported/)
    const recon = await settlement('recon')
    assert.match(recon.text, /\(test\) USD: settled 3, 130\.00 USD; rejected 0/)
    assert.equal(recon.code, 0)
    await assertBooksAreClean(gateway)

    const listed = await settlement('differences', 'list')
    const [, id = ''] = /^difference (\d+): missing_here/.exec(listed.text) ?? []
    assert.notEqual(id, '', listed.text)
    const email = 'owner@demo.test'
    const stranger = await settlement('differences', 'assign', id, email)
    assert.match(stranger.text, /is no active portal user/)
    assert.equal((await settlement('differences', 'assign', id, 'ada')).code, 0)
    assert.equal((await settlement('differences', 'note', id, 'Another shop.')).code, 0)
    const ended = await settlement('differences', 'end', id, 'not_ours', 'Of another shop.')
    assert.match(ended.text, /ended as not_ours/)
    assert.match((await settlement('differences', 'show', id)).text, /note of .*: Another shop\./)
    assert.match((await settlement('list')).text, /MA-1042 USD 1 of 2026-11-19/)
    assert.match((await settlement('show', '1')).text, /difference missing_here: 1/)
    const events = await eventsOf(gateway, `settlement_difference ${id}`)
    for (const event of events) assertSchema(event)
    assert.deepEqual(
      events.map(({ data, type }) => [type, data['bank_amount'], data['ended_as']]),
      [
        ['settlement.difference', '1.00', null],
        ['settlement.cleared', '1.00', 'not_ours'],
      ],
    )
  })

  test('an operator imports bank statements, and the commands show the deposit of a payout', async () => {
    const { rows } = await gateway.pool.query<{ content_sha256: string; closing_minor: string }>(
      'select content_sha256, closing_minor from settlement_files order by seq desc limit 1',
    )
    const closing = rows[0]?.closing_minor ?? ''
    const amount = `${closing.slice(0, -2)}.${closing.slice(-2)}`
    const file = join(folder, 'payout.jsonl')
    const payout = { kind: 'payout', gross: `-${amount}`, payout: 'PO-417', trace: 'TRACE-417' }
    const header = {
      currency: 'USD',
      seq: 2,
      file_id: '0192f0c4-7b1e-7c55-9a10-3f6f6d1c0418',
      prev_sha256: rows[0]?.content_sha256,
      opening: amount,
    }
    writeFileSync(file, fileText([payout], header))
    assert.equal((await settlement('import', file)).code, 0)
    const entries = [
      { amount, endToEndId: 'TRACE-417' },
      { amount: '5.00', text: 'NO NAME' },
      { amount: '-20.00', payer: 'LANDLORD' },
    ]
    const xml = join(folder, 'statement.xml')
    const facts = { id: 'S1', opening: '100.00', currency: 'USD', entries }
    writeFileSync(xml, statementXml(facts))

    const unknown = await deposits('import', xml)
    assert.equal(unknown.code, 1)
    assert.match(unknown.text, /ending in 3000 in USD is not registered\. Run: tollgate deposits/)
    const merchant = await merchantId()
    const iban = 'DE89 3704 0044 0532 0130 00'
    const days = ['--currency', 'USD', '--since', '2026-01-01']
    const made = await deposits('account', merchant, iban, ...days)
    assert.match(made.text, /^The bank account ending in 3000 in USD belongs to merchant/)
    assert.match((await deposits('import', xml)).text, /tollgate deposits payer 2001/)
    const payer = ['--currency', 'USD', '--name', 'Bank-Demo Acquiring']
    assert.equal((await deposits('payer', '2001', ...payer)).code, 0)
    const imported = await deposits('import', xml)
    assert.equal(imported.code, 0, imported.text)
    assert.match(imported.text, /is bank statement 1: 3 entries, 1 of other business\./)
    assert.match(imported.text, /1 payouts deposited, 0 returned, 0 completed\./)
    assert.match(imported.text, / {2}difference payout_unknown: 1/)
    assert.match((await deposits('import', xml)).text, /already imported, as bank statement 1/)
    writeFileSync(xml, statementXml({ ...facts, entries: [] }))
    const changed = await deposits('import', xml)
    assert.match(
      changed.text,
      /with 3 entries from 100\.00 .* before\. This one has 0 from 100\.00/,
    )
    assert.equal(changed.code, 1)
    writeFileSync(xml, '<a/>')
    assert.match((await deposits('import', xml)).text, /Refused \(unreadable\)/)

    assert.match((await deposits('list')).text, /3 entries: 1 matched, 1 unknown, 1 not booked/)
    const shown = await deposits('show', '1')
    assert.match(shown.text, /deposit of payout \d+ PO-417\n {2}entry \d+: 5\.00 USD .*, unknown/)
    assert.match((await deposits('accounts')).text, /ending in 3000, USD, reversals as_given/)
    assert.match((await deposits('match', '1', '1')).text, /has a payout, or its difference ended/)
    assert.match((await settlement('differences', 'list')).text, /payout_unknown, bank entry \d+/)
    assert.match((await settlement('show', '2')).text, /PO-417: .*, deposited/)
    const { rows: paid } = await gateway.pool.query<{ id: string }>(
      `select id from settlement_payouts where payout = 'PO-417'`,
    )
    const events = await eventsOf(gateway, `payout ${paid[0]?.id}`)
    for (const event of events) assertSchema(event)
    assert.deepEqual(
      events.map(({ data, type }) => [type, data['amount'], data['trace']]),
      ['payout.created', 'payout.deposited'].map((type) => [type, amount, 'TRACE-417']),
    )
    await assertBooksAreClean(gateway)
  })

  async function merchantId(): Promise<string> {
    const { rows } = await gateway.pool.query<{ id: string }>(
      'select merchant_id as id from merchant_accounts where id = 2001',
    )
    return rows[0]?.id ?? ''
  }

  test('a damaged file is refused with its line and its reason, and exits with 1', async () => {
    const path = join(folder, 'damaged.jsonl')
    const text = fileText([{ kind: 'sale', order: '5', gross: '1.00' }], { currency: 'USD' })
    writeFileSync(path, text.replace('"gross":"1.00"', '"gross":"1.01"'))
    const { code, text: said } = await settlement('import', path)
    assert.equal(code, 1)
    assert.match(said, /^S07 in line 2: net is 1\.00; gross 1\.01 and fees 0\.00 make 1\.01\./)
  })

  test('each of these operations is in the audit log as done', async () => {
    const operations = [
      'settlement.source_put',
      'deposits.account_put',
      'deposits.payer_put',
      'deposits.imported',
    ] as const
    assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  })
})
