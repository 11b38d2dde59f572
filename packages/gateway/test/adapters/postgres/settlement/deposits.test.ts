import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { inspect } from 'node:util'
import { auditedAsDone } from '../../../../../../test/support/audit.ts'
import { contentHash, fileText, type FileRecord } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { openDepositBooks, type DepositBooks } from './deposit-books.ts'
import type { StatementFacts } from './statement-xml.ts'

const SECOND_FILE = '0192f0c4-7b1e-7c55-9a10-3f6f6d1c0418'

/** A payout of a file: the money comes by an adjustment. */
function payout(name: string, amount: string, more: FileRecord = {}): FileRecord[] {
  return [
    { kind: 'adjustment', reason: 'ADJ', gross: amount },
    {
      kind: 'payout',
      gross: amount.startsWith('-') ? amount.slice(1) : `-${amount}`,
      payout: name,
      trace: `TRACE${name}`,
      arrives: '2026-11-23',
      ...more,
    },
  ]
}

suite('deposits', () => {
  let server: TestServer
  let books: DepositBooks
  before(async () => {
    server = await startTestServer()
  })
  beforeEach(async () => {
    books = await openDepositBooks(await server.createDatabase())
  })
  afterEach(() => books?.close())
  after(() => server?.stop())

  /** Books a file with these lines, and registers account and payer. */
  async function announce(...lines: readonly FileRecord[]): Promise<void> {
    const outcome = await books.import(fileText(lines))
    assert.equal(outcome.kind, 'booked', inspect(outcome))
    assert.ok((await books.putAccount()).ok)
    assert.ok((await books.putPayer()).ok)
  }

  /** The counts of an import, or the code of its refusal. */
  async function say(
    facts: StatementFacts | readonly StatementFacts[],
    options: { readonly acceptGap?: boolean } = {},
  ): Promise<string> {
    const outcome = await books.statements([facts].flat(), options)
    if (outcome.kind !== 'imported') return outcome.kind === 'busy' ? 'busy' : outcome.code
    const { deposited, returned } = outcome.counts
    const repeated = outcome.statements.filter(({ isRepeated }) => isRepeated).length
    return `${deposited} deposited, ${returned} returned, ${repeated} repeated`
  }

  async function transit(): Promise<Record<string, number>> {
    const { bank = 0, payout_in_transit = 0, suspense = 0 } = await books.balances()
    return { bank, payout_in_transit, suspense }
  }

  const first: StatementFacts = {
    id: 'S1',
    sequence: 1,
    opening: '1000.00',
    entries: [
      { amount: '161.11', endToEndId: 'TRACEPO-417', reference: 'R1' },
      { amount: '-20.00', payer: 'LANDLORD', text: 'Rent of Ms Doe', reference: 'R2' },
    ],
  }

  test('a deposit that names its payout clears the transit, and entries of others keep no text', async () => {
    await announce(...payout('PO-417', '161.11'))
    assert.equal(await say(first), '1 deposited, 0 returned, 0 repeated')
    assert.deepEqual(await transit(), { bank: 16_111, payout_in_transit: 0, suspense: 0 })
    assert.deepEqual(await books.payouts(), ['PO-417 deposited 16111'])
    assert.deepEqual(await books.found(), [])
    assert.deepEqual(
      await books.rows('select state, amount_minor, texts from bank_entries order by position'),
      ['matched 16111 TRACEPO-417', 'other -2000 '],
    )
    assert.deepEqual(await books.broken(), [])
  })

  test('the same statement again changes nothing, and with other content it is refused', async () => {
    await announce(...payout('PO-417', '161.11'))
    await say(first)
    const before = await transit()
    assert.equal(await say(first), '0 deposited, 0 returned, 1 repeated')
    const [entry, rent] = first.entries
    assert.ok(entry && rent)
    const other = { ...first, entries: [entry, { ...rent, amount: '-21.00' }] }
    assert.equal(await say(other), 'changed')
    assert.deepEqual(await transit(), before)
    assert.deepEqual(await books.rows('select count(*) from bank_statements'), ['1'])
  })

  test('an unregistered account, a source without a payer and a foreign owner are refused', async () => {
    assert.equal((await books.import(fileText(payout('PO-417', '161.11')))).kind, 'booked')
    const outcome = await books.statements([first])
    assert.ok(outcome.kind === 'refused')
    assert.match(
      outcome.reasons.join(),
      /ending in 3000 in EUR is not registered\. Run: tollgate deposits account/,
    )
    const wrong = await books.putAccount({ number: 'DE88370400440532013000' })
    assert.match(wrong.ok ? '' : wrong.faults.join(), /ending in 3000 has wrong check digits/)
    assert.ok((await books.putAccount()).ok)
    await books.database.pool.query(
      `insert into merchants (id, name, time_zone) values (2, 'Other', 'UTC')`,
    )
    const foreign = await books.putAccount({ merchantId: 2n })
    assert.match(foreign.ok ? '' : foreign.faults.join(), /belongs to merchant 1/)
    assert.equal(await say(first), 'payer')
    assert.deepEqual(await books.rows('select count(*) from bank_statements'), ['0'])
    assert.deepEqual(
      await books.rows(`select details from audit_entries where operation = 'deposits.refused'`),
      ['{"files":["a.xml"],"code":"account"}', '{"files":["a.xml"],"code":"payer"}'],
    )
    const everything = await books.rows(
      `select a::text from bank_accounts a union all select e::text from audit_entries e`,
    )
    assert.doesNotMatch(everything.join(), /DE89370400440532013000/)
  })

  test('a gap is refused with both balances unless it is accepted, and an older statement always', async () => {
    await announce(...payout('PO-417', '161.11'))
    await say({ ...first, day: '2026-11-23' })
    const later = { id: 'S3', sequence: 3, opening: '900.00', day: '2026-11-25', entries: [] }
    assert.equal(await say(later), 'sequence')
    assert.equal(await say({ ...later, id: 'S0', day: '2026-11-20' }), 'sequence')
    assert.equal(await say({ ...later, opening: '1141.11' }), '0 deposited, 0 returned, 0 repeated')
    const last = { id: 'S9', sequence: 9, opening: '5.00', day: '2026-11-26', entries: [] }
    assert.equal(await say(last, { acceptGap: true }), '0 deposited, 0 returned, 0 repeated')
    assert.deepEqual(await books.rows('select statement, follows_gap from bank_statements'), [
      'S1 false',
      'S3 false',
      'S9 true',
    ])
    assert.deepEqual(await books.broken(), [])
  })

  test('entries that a notification, a pending line or an earlier statement has count once', async () => {
    await announce(...payout('PO-417', '161.11'))
    const [deposit] = first.entries
    assert.ok(deposit)
    const notice = { ...first, id: 'N1', isNotification: true, entries: [deposit] }
    assert.equal(await say(notice), '0 deposited, 0 returned, 0 repeated')
    assert.equal(await say({ ...first, isCopy: true }), '0 deposited, 0 returned, 0 repeated')
    const pending = { ...deposit, status: 'PDNG' as const }
    await say({ id: 'S0', opening: '1000.00', entries: [pending] })
    assert.deepEqual(await books.payouts(), ['PO-417 announced 16111'])
    assert.equal(await say(first), '1 deposited, 0 returned, 0 repeated')
    const again = { id: 'S2', sequence: 2, opening: '1141.11', entries: [deposit] }
    assert.equal(await say(again), '0 deposited, 0 returned, 0 repeated')
    assert.deepEqual(await books.rows('select state, amount_minor from bank_entries order by id'), [
      'matched 16111',
      'other -2000',
      'repeated 16111',
    ])
    assert.deepEqual(await transit(), { bank: 16_111, payout_in_transit: 0, suspense: 0 })
    assert.deepEqual(await books.broken(), [])
  })

  test('a second statement with a fault leaves nothing of the first one', async () => {
    await announce(...payout('PO-417', '161.11'))
    const broken = { id: 'S2', opening: '1141.11', closing: '1.00', entries: [], day: '2026-11-24' }
    assert.equal(await say([first, broken]), 'balance')
    const counts = `select (select count(*) from bank_statements), (select count(*) from bank_entries),
                           (select count(*) from settlement_postings where event = 'deposit')`
    assert.deepEqual(await books.rows(counts), ['0 0 0'])
    assert.equal(await say({ ...first, page: [1, false] }), 'pages')
  })

  test('a failure while a matching is written leaves nothing of the statement', async () => {
    await announce(...payout('PO-417', '161.11'))
    await books.database.pool.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise 'full'; end $$;
       create trigger fail before update on settlement_payouts
         for each statement execute function fail()`,
    )
    await assert.rejects(books.statements([first]), /full/)
    const counts = `select (select count(*) from bank_statements), (select count(*) from bank_entries),
                           (select count(*) from payout_deposits),
                           (select count(*) from settlement_postings where event = 'deposit')`
    assert.deepEqual(await books.rows(counts), ['0 0 0 0'])
  })

  test('a short deposit is in suspense, a later rest ends it, and a write-off posts a loss', async () => {
    await announce(...payout('PO-417', '161.11'), ...payout('PO-418', '50.00'))
    await say({
      ...first,
      entries: [
        { amount: '159.61', endToEndId: 'TRACEPO-417', charges: '1.50' },
        { amount: '48.00', endToEndId: 'TRACEPO-418' },
      ],
    })
    assert.deepEqual(await transit(), { bank: 20_761, payout_in_transit: 0, suspense: 350 })
    const open = ['payout_short 16111 15961 open', 'payout_short 5000 4800 open']
    assert.deepEqual(await books.found(), open)
    await say({
      id: 'S2',
      opening: '1207.61',
      day: '2026-11-24',
      entries: [{ amount: '2.00', endToEndId: 'TRACEPO-418' }],
    })
    assert.deepEqual(await books.found(), [
      'payout_short 16111 15961 open',
      'payout_short 5000 5000 matched_late',
    ])
    const by = { actor: 'operator:test', address: '' }
    assert.ok((await books.changes.end(1n, 'written_off', 'A charge of the bank.', by)).ok)
    assert.deepEqual(await transit(), { bank: 20_961, payout_in_transit: 0, suspense: 0 })
    assert.equal((await books.balances())['fee_other'], 150)
    assert.deepEqual(await books.broken(), [])
  })

  test('one deposit for two payouts and two deposits for one payout fit without a difference', async () => {
    await announce(
      ...payout('PO-417', '100.00'),
      ...payout('PO-418', '60.00'),
      ...payout('PO-419', '30.00'),
    )
    assert.equal(
      await say({
        ...first,
        entries: [
          { amount: '160.00', text: 'TRACEPO-417 TRACEPO-418' },
          { amount: '20.00', endToEndId: 'TRACEPO-419' },
          { amount: '10.00', text: 'REST TRACEPO-419' },
        ],
      }),
      '3 deposited, 0 returned, 0 repeated',
    )
    assert.deepEqual(await books.found(), [])
    assert.deepEqual(await transit(), { bank: 19_000, payout_in_transit: 0, suspense: 0 })
    assert.deepEqual(await books.broken(), [])
  })

  test('a deposit that the bank returns is in transit again until a file has it', async () => {
    await announce(...payout('PO-417', '161.11'))
    const back = { amount: '-161.11', endToEndId: 'TRACEPO-417', isReversal: true }
    await say(first)
    assert.equal(
      await say({ id: 'S2', opening: '1141.11', day: '2026-11-24', entries: [back] }),
      '0 deposited, 1 returned, 0 repeated',
    )
    assert.deepEqual(await books.payouts(), ['PO-417 returned 16111'])
    assert.deepEqual(await transit(), { bank: 0, payout_in_transit: 16_111, suspense: 0 })
    const again = { ...back, amount: '161.11', isReversal: false }
    await say({ id: 'S3', opening: '980.00', day: '2026-11-25', entries: [again] })
    assert.deepEqual(await books.found(), ['payout_unknown nothing 16111 open'])
    assert.deepEqual(await books.broken(), [])
  })

  test('an inverted reversal is refused as given, and booked by the setting of the account', async () => {
    await announce(...payout('PO-417', '161.11'))
    await say(first)
    // This bank gives the direction of the reversed entry: the money leaves the account.
    const back = { amount: '161.11', endToEndId: 'TRACEPO-417', isReversal: true }
    const facts = { id: 'S2', opening: '1141.11', closing: '980.00', entries: [back] }
    assert.equal(await say(facts), 'balance')
    assert.ok((await books.putAccount({ reversals: 'inverted' })).ok)
    assert.equal(await say(facts), '0 deposited, 1 returned, 0 repeated')
    assert.deepEqual(await books.broken(), [])
  })

  test('a deposit before its file is unknown, and the job matches it when the file comes', async () => {
    assert.ok((await books.putAccount()).ok)
    assert.ok((await books.putPayer()).ok)
    await say(first)
    assert.deepEqual(await transit(), { bank: 16_111, payout_in_transit: 0, suspense: -16_111 })
    assert.deepEqual(await books.found(), ['payout_unknown nothing 16111 open'])
    assert.deepEqual(await books.broken(), [])
    const outcome = await books.import(fileText(payout('PO-417', '161.11')))
    assert.equal(outcome.kind, 'booked')
    assert.deepEqual(await books.watch('2026-11-24T10:00:00Z'), { raised: 0, matched: 1 })
    assert.deepEqual(await transit(), { bank: 16_111, payout_in_transit: 0, suspense: 0 })
    assert.deepEqual(await books.found(), ['payout_unknown nothing 16111 matched_late'])
    assert.deepEqual(await books.watch('2026-11-24T10:00:00Z'), { raised: 0, matched: 0 })
    assert.deepEqual(await books.broken(), [])
  })

  test('a payout without a deposit is missing after two bank days, once, and a late one ends it', async () => {
    await announce(...payout('PO-417', '161.11', { arrives: '2026-11-20' }))
    // Friday the 20th: Monday and Tuesday are the two bank days.
    assert.deepEqual(await books.watch('2026-11-24T10:00:00Z'), { raised: 0, matched: 0 })
    assert.deepEqual(await books.watch('2026-11-25T10:00:00Z'), { raised: 1, matched: 0 })
    assert.deepEqual(await books.watch('2026-11-26T10:00:00Z'), { raised: 0, matched: 0 })
    assert.deepEqual(await books.found(), ['payout_missing 16111 nothing open'])
    await say({ ...first, day: '2026-11-26' })
    assert.deepEqual(await books.found(), ['payout_missing 16111 nothing matched_late'])
    assert.deepEqual(await books.broken(), [])
  })

  test('two deposits of one amount wait for an operator, who chooses the payout once', async () => {
    await announce(...payout('PO-417', '50.00'), ...payout('PO-418', '50.00'))
    await say({ ...first, entries: [{ amount: '50.00', text: 'NO NAME' }] })
    assert.deepEqual(await books.found(), ['payout_unknown nothing 5000 open'])
    assert.deepEqual(await books.rows('select payouts from settlement_differences'), ['1,2'])
    const done = await books.match(1n, 2n)
    assert.ok(done.ok, inspect(done))
    const operations = ['deposits.matched'] as const
    assert.deepEqual(await auditedAsDone(books.database.pool, operations), operations)
    assert.deepEqual(await books.payouts(), ['PO-417 announced 5000', 'PO-418 deposited 5000'])
    assert.deepEqual(await books.found(), ['payout_unknown nothing 5000 matched_late'])
    const again = await books.match(1n, 1n)
    assert.match(again.ok ? '' : again.faults.join(), /Entry 1 has a payout/)
    const none = await books.match(9n, 1n)
    assert.match(none.ok ? '' : none.faults.join(), /No merchant has the entry 9/)
    assert.deepEqual(await transit(), { bank: 5_000, payout_in_transit: 5_000, suspense: 0 })
    assert.deepEqual(await books.broken(), [])
  })

  test('the acquirer debits the account for a negative payout', async () => {
    await announce(...payout('PO-417', '-40.00'))
    const debit = { amount: '-40.00', text: 'TRACEPO-417' }
    assert.equal(await say({ ...first, entries: [debit] }), '1 deposited, 0 returned, 0 repeated')
    assert.deepEqual(await transit(), { bank: -4_000, payout_in_transit: 0, suspense: 0 })
    assert.deepEqual(await books.broken(), [])
  })

  test('a payout that a later file sends back before a bank had it is returned', async () => {
    const text = fileText(payout('PO-417', '161.11', { arrives: '2026-11-20' }))
    assert.equal((await books.import(text)).kind, 'booked')
    assert.ok((await books.putAccount()).ok)
    assert.deepEqual(await books.watch('2026-11-25T10:00:00Z'), { raised: 1, matched: 0 })
    const back = { kind: 'payout_return', gross: '161.11', payout: 'PO-417', id: 'back' }
    const next = fileText([back], {
      seq: 2,
      file_id: SECOND_FILE,
      prev_sha256: contentHash(text),
    })
    const outcome = await books.import(next)
    assert.equal(outcome.kind, 'booked', inspect(outcome))
    await books.putPayer()
    await say({ ...first, entries: [] })
    assert.deepEqual(await books.payouts(), ['PO-417 returned 16111'])
    assert.deepEqual(await books.found(), ['payout_missing 16111 nothing matched_late'])
    assert.deepEqual(await books.broken(), [])
  })

  test('statements and their entries never change in the database', async () => {
    await announce(...payout('PO-417', '161.11'))
    await say(first)
    const { pool } = books.database
    await assert.rejects(pool.query('update bank_statements set closing_minor = 0'), /never change/)
    await assert.rejects(pool.query('update bank_entries set amount_minor = 1'), /never change/)
    await assert.rejects(pool.query('delete from bank_entries'), /never change/)
    await assert.rejects(pool.query('delete from payout_deposits'), /append/)
  })
})
