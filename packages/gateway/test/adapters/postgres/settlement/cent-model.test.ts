import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { inspect } from 'node:util'
import { fc } from '../../../../../../test/support/properties.ts'
import { createSettlementImportStore } from '../../../../src/adapters/postgres/settlement/import-store.ts'
import { createStatementReader } from '../../../../src/portal/payouts/store/statement-reader.ts'
import {
  makeStatement,
  type Statement,
} from '../../../../src/portal/payouts/usecases/make-statement.ts'
import { importFile } from '../../../../src/usecases/settlement/import-file.ts'
import { sha256 } from '../../../domain/settlement/file-text.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { decimal, FILES, SourceModel, type MadeFile } from './cent-model.ts'
import { openDepositBooks, type DepositBooks } from './deposit-books.ts'

/**
 * Business days of files. The first is a month end and a Sunday, and the clocks of Berlin change. A
 * closing day follows on the second. Then come a leap day and the other change of the clocks.
 */
const DAYS = ['2027-10-31', '2027-12-31', '2028-02-29', '2028-03-26'] as const
const ZONE = 'Europe/Berlin'
const RUNS = 5

/**
 * Midnight in Berlin after the third bank day of a capture, by the days of TARGET. The earliest is
 * the first.
 */
const DEADLINES = [
  {
    name: 'in the night in which summer time ends',
    captured: '2027-10-30T22:30:00Z',
    day: '2027-10-31',
    missing: '2027-11-03T23:00:00Z',
  },
  {
    name: 'on the 29th of February',
    captured: '2028-02-29T22:30:00Z',
    day: '2028-02-29',
    missing: '2028-03-05T23:00:00Z',
  },
  {
    name: 'in the last hour before summer time begins',
    captured: '2028-03-26T00:30:00Z',
    day: '2028-03-26',
    missing: '2028-03-29T22:00:00Z',
  },
  {
    name: 'at the end of a month between Good Friday and Easter Monday',
    captured: '2029-03-31T10:00:00Z',
    day: '2029-03-31',
    missing: '2029-04-05T22:00:00Z',
  },
] as const

suite('a model that knows single cents', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer()
  })
  after(() => server?.stop())

  /** Books of an account that is settled in euros and in dollars, apart from each other. */
  async function withBooks(work: (books: DepositBooks) => Promise<void>): Promise<void> {
    const books = await openDepositBooks(await server.createDatabase())
    try {
      await books.database.pool.query(
        `insert into settlement_sources (merchant_id, merchant_account_id, currency, sender, receiver,
           account, since, fx_band_basis_points, made_by)
         select merchant_id, merchant_account_id, 'USD', sender, receiver, account, since,
                fx_band_basis_points, made_by from settlement_sources`,
      )
      await work(books)
    } finally {
      await books.close()
    }
  }

  async function book({ database }: DepositBooks, { at, text }: MadeFile): Promise<void> {
    const outcome = await importFile(
      {
        store: createSettlementImportStore(database.files()),
        newSha256: sha256,
        clock: { now: () => at },
        by: 'operator:test',
        onProgress: () => undefined,
      },
      {
        name: 'file.jsonl',
        // eslint-disable-next-line @typescript-eslint/require-await
        async *open() {
          yield new TextEncoder().encode(text)
        },
      },
      null,
    )
    assert.equal(outcome.kind, 'booked', inspect(outcome))
  }

  /** The balance at the acquirer after each line of the newest file, by the ledger. */
  async function balancesByLine(books: DepositBooks, currency: string): Promise<number[]> {
    const rows = await books.rows(
      `select sum(coalesce(p.minor, 0)) over (order by f.seq, l.n)
         from settlement_files f
         join settlement_sources s on s.id = f.source_id and s.currency = '${currency}'
         join settlement_lines l on l.file_id = f.id
         left join lateral (
           select sum(case when k.debit = 'acquirer_balance' then x.amount_minor
                           else -x.amount_minor end) as minor
             from settlement_postings x join settlement_posting_kinds k on k.kind = x.kind
            where x.event = 'line' and x.event_id = f.id and x.n = l.n
              and 'acquirer_balance' in (k.debit, k.credit)) p on true
        order by f.seq, l.n`,
    )
    return rows.map(Number)
  }

  /** The balances of all accounts in a currency. */
  async function balancesIn(books: DepositBooks, currency: string): Promise<object> {
    const rows = await books.rows(
      `select account, sum(minor) from (
         select debit as account, amount_minor as minor from account_entries
          where currency = '${currency}'
         union all select credit, -amount_minor from account_entries
                    where currency = '${currency}') e
        group by account having sum(minor) <> 0 order by account`,
    )
    return Object.fromEntries(rows.map((row) => [row.split(' ')[0], Number(row.split(' ')[1])]))
  }

  /** The statements of the months of all files, of the source in euros. */
  async function statementsOf(books: DepositBooks): Promise<readonly Statement[]> {
    const statements: Statement[] = []
    const now = new Date('2029-01-01T00:00:00Z')
    for (const month of ['2027-11', '2028-01', '2028-03']) {
      const asked = { merchantId: 1n, sourceId: 1n, month, timeZone: ZONE, now }
      const made = await makeStatement(createStatementReader(books.database.pool), asked)
      assert.ok(made !== null)
      statements.push(made)
    }
    return statements
  }

  async function pay(books: DepositBooks, files: readonly MadeFile[]): Promise<number> {
    const payouts = files.flatMap((file) => file.payouts)
    assert.ok((await books.putAccount()).ok)
    assert.ok((await books.putPayer()).ok)
    const entries = payouts.map(({ cents, trace }) => ({
      amount: decimal(cents),
      endToEndId: trace,
    }))
    const last = { id: 'S1', opening: '0.00', day: '2028-04-03', entries }
    const outcome = await books.statements([last])
    assert.equal(outcome.kind, 'imported', inspect(outcome))
    return payouts.reduce((sum, { cents }) => sum + cents, 0)
  }

  test('agrees with ledger, files, statements and deposits after any history of an account', async () => {
    await fc.assert(
      fc.asyncProperty(FILES, (facts) =>
        withBooks(async (books) => {
          const model = new SourceModel('EUR')
          const files: MadeFile[] = []
          const lines: number[] = []
          for (const [at, fact] of facts.entries()) {
            const file = await model.make(books, fact, DAYS[at] ?? '')
            files.push(file)
            lines.push(...file.balances)
            await book(books, file)
            assert.deepEqual(await balancesByLine(books, 'EUR'), lines)
            assert.deepEqual(await books.balances(), model.cents.all())
            assert.deepEqual(await books.broken(), [])
          }
          const deposited = await pay(books, files)
          model.cents.move(deposited, 'bank', 'payout_in_transit')
          assert.deepEqual(await books.balances(), model.cents.all())
          const statements = await statementsOf(books)
          const rowOf = (name: string): number =>
            statements
              .flatMap(({ rows }) => rows.filter((row) => row.name === name))
              .reduce((sum, { minor }) => sum + Number(minor), 0)
          assert.equal(rowOf('payouts') + deposited, 0)
          assert.equal(rowOf('fee_acquirer') + model.cents.of('fee_acquirer'), 0)
          assert.equal(rowOf('captures') + rowOf('refunds') + unpaidOf(model), 0)
          assert.equal(Number(statements.at(-1)?.closingMinor), model.cents.of('acquirer_balance'))
          assert.deepEqual(await books.differences(), [])
          assert.deepEqual(await books.broken(), [])
        }),
      ),
      { numRuns: RUNS },
    )
  })

  test('does not depend on the sequence in which independent files are imported', async () => {
    const picks = fc.array(fc.boolean(), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(FILES, FILES, picks, async (euros, dollars, order) => {
        const results: object[] = []
        for (const mix of [interleaved(order), (one: Files, other: Files) => [...other, ...one]]) {
          await withBooks(async (books) => {
            const [one, other] = [new SourceModel('EUR'), new SourceModel('USD')]
            const first = await makeAll(books, one, euros)
            const second = await makeAll(books, other, dollars)
            for (const file of mix(first, second)) await book(books, file)
            assert.deepEqual(await balancesIn(books, 'EUR'), one.cents.all())
            assert.deepEqual(await balancesIn(books, 'USD'), other.cents.all())
            assert.deepEqual(await books.differences(), [])
            const settled =
              'select transaction_id, state, net_minor from settled_transactions order by 1'
            results.push(await books.rows(settled))
          })
        }
        assert.deepEqual(results[0], results[1])
      }),
      { numRuns: 2 },
    )
  })

  test('agrees with a file of no line, and with one of one line', async () => {
    await withBooks(async (books) => {
      const model = new SourceModel('EUR')
      const nothing = { orders: [], monthlyFee: 0, held: 0, isReleasing: false, adjustment: 0 }
      const empty = await model.make(books, { ...nothing, payout: 'all' }, DAYS[0])
      const single = await model.make(books, { ...nothing, adjustment: 1, payout: 'none' }, DAYS[1])
      assert.deepEqual(
        [empty, single].map(({ balances }) => balances),
        [[], [1]],
      )
      for (const file of [empty, single]) await book(books, file)
      assert.deepEqual(await books.balances(), { acquirer_balance: 1, adjustments: -1 })
      assert.deepEqual(await books.broken(), [])
    })
  })

  test('days count as in Berlin, at both changes of the clocks, in a leap year and over Easter', async () => {
    await withBooks(async (books) => {
      for (const { captured } of DEADLINES) {
        await books.order([{ kind: 'sale', minor: 1 }], { at: new Date(captured) })
      }
      for (const { missing, name } of DEADLINES) {
        const moment = Date.parse(missing)
        assert.equal(await books.raiseMissing(new Date(moment - 1).toISOString()), 0, name)
        assert.equal(await books.raiseMissing(missing), 1, name)
      }
      const days = await books.rows('select since::text from settlement_differences order by id')
      assert.deepEqual(
        days,
        DEADLINES.map(({ day }) => day),
      )
    })
  })
})

type Files = readonly MadeFile[]

async function makeAll(
  books: DepositBooks,
  model: SourceModel,
  facts: readonly Parameters<SourceModel['make']>[1][],
): Promise<MadeFile[]> {
  const files: MadeFile[] = []
  for (const [at, fact] of facts.entries())
    files.push(await model.make(books, fact, DAYS[at] ?? ''))
  return files
}

/** Both in their sequences, one or the other next. */
function interleaved(picks: readonly boolean[]) {
  return (one: Files, other: Files): Files => {
    const [left, right] = [[...one], [...other]]
    const mixed = picks.flatMap((isLeft) => (isLeft ? left : right).splice(0, 1))
    return [...mixed, ...left, ...right]
  }
}

/** Refunds less captures that are settled. */
function unpaidOf({ cents }: SourceModel): number {
  return cents.of('merchant_payable') + cents.of('merchant_refunds')
}
