import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test, type TestContext } from 'node:test'
import { untilSeen } from '../../../../../../test/support/eventually.ts'
import { fc } from '../../../../../../test/support/properties.ts'
import {
  createCardTestingStore,
  type CardTestingCounters,
} from '../../../../src/adapters/postgres/card-testing/card-testing-store.ts'
import {
  openDatabase,
  type Database,
} from '../../../../src/adapters/postgres/connection/database.ts'
import type { Clock } from '../../../../src/base/clock.ts'
import {
  count,
  isFull,
  type CardTestingRule,
  type Counter,
} from '../../../../src/domain/card-testing/card-testing.ts'
import type { CounterQuestion } from '../../../../src/usecases/card-testing/card-testing-store.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

interface Node {
  readonly database: Database
  readonly store: CardTestingCounters
}

/** As many gateways as there are, on one fresh database. */
async function nodes(t: TestContext, many: number, clock: Clock | null = null): Promise<Node[]> {
  const url = await server.createDatabase()
  const made = Array.from({ length: many }, () => {
    const database = openDatabase(url, () => undefined)
    const onLost = (error: unknown): never => {
      throw error
    }
    return { database, store: createCardTestingStore(database, onLost, clock) }
  })
  t.after(() =>
    Promise.all(
      made.map(async ({ store, database }) => {
        await store.idle()
        await database.close()
      }),
    ),
  )
  return made
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

function rule(
  subject: CardTestingRule['subject'],
  counts: CardTestingRule['counts'],
  limit: number,
  windowSeconds = 600,
): CardTestingRule {
  return { name: `${subject}-${counts}`, subject, counts, limit, windowSeconds, code: 601 }
}

function question(of: CardTestingRule, value: string, card = ''): CounterQuestion {
  const subject = digest(`${of.name} ${value}`)
  return { rule: of, subject, card: of.counts === 'cards' ? digest(`${subject} ${card}`) : null }
}

/** Until all counts that follow the answers are written. */
async function refreshed(each: readonly Node[]): Promise<void> {
  await Promise.all(each.map(({ store }) => store.idle()))
}

test('of 300 payments at once on two nodes exactly as many pass as the limit says', async (t) => {
  const two = await nodes(t, 2)
  const perAddress = rule('address', 'attempts', 25)
  const perBin = rule('bin', 'cards', 40)

  const full = await Promise.all(
    Array.from({ length: 300 }, async (_, at) => {
      const questions = [
        question(perAddress, '198.51.100.1'),
        question(perBin, '411111', `card ${at}`),
      ]
      return (await two[at % 2]?.store.judge(questions)) ?? []
    }),
  )

  assert.equal(full.filter((rules) => rules.length === 0).length, 25)
  const names = new Set(full.flat().map(({ name }) => name))
  assert.deepEqual([...names], ['address-attempts'])
})

test('a payment that one rule refuses uses up no other limit', async (t) => {
  const [node] = await nodes(t, 1)
  assert.ok(node !== undefined)
  const perAddress = rule('address', 'attempts', 2)
  const perBin = rule('bin', 'attempts', 3)
  const ask = (address: string) =>
    node.store.judge([question(perBin, '411111'), question(perAddress, address)])

  for (let i = 0; i < 20; i += 1) await ask('198.51.100.1')

  assert.deepEqual(await ask('198.51.100.2'), [])
  assert.deepEqual(await ask('198.51.100.3'), [perBin])
})

test('a card that was counted passes again where cards are counted, and a new one does not', async (t) => {
  const [node] = await nodes(t, 1)
  const perAddress = rule('address', 'cards', 2)
  const ask = (card: string) => node?.store.judge([question(perAddress, '198.51.100.1', card)])

  assert.deepEqual(await ask('a'), [])
  assert.deepEqual(await ask('b'), [])
  assert.deepEqual(await ask('c'), [perAddress])
  assert.deepEqual([await ask('a'), await ask('b')], [[], []])
})

test('declines are counted after the answers, by every node on one counter', async (t) => {
  const two = await nodes(t, 2)
  const perCard = rule('card', 'declines', 6)
  const asked = [question(perCard, 'card')]
  for (let i = 0; i < 3; i += 1) for (const { store } of two) store.countDeclines(asked)
  await refreshed(two)

  assert.deepEqual(await two[0]?.store.judge(asked), [perCard])
  assert.deepEqual(await two[1]?.store.judge([question(perCard, 'another')]), [])
})

test('two groups that name the same subjects in other sequences wait for each other, not in a circle', async (t) => {
  const [one, two, third] = await nodes(t, 3)
  assert.ok(one !== undefined && two !== undefined && third !== undefined)
  const perAddress = rule('address', 'attempts', 1_000)
  const asked = [question(perAddress, 'a'), question(perAddress, 'b')].toSorted((x, y) =>
    x.subject < y.subject ? -1 : 1,
  )
  await one.store.judge(asked)
  const client = await third.database.pool.connect()
  await client.query('begin')
  await client.query(
    'select from card_testing_counters where subject = decode($1, $2) for update',
    [asked[1]?.subject, 'hex'],
  )

  // The holder of the first counter waits for the second, and the other for the first.
  const backwards = one.store.judge(asked.toReversed())
  await untilOneWaits(third.database, 1)
  const forwards = two.store.judge(asked)
  two.store.countDeclines(asked)
  await untilOneWaits(third.database, 3)
  await client.query('commit')
  client.release()

  assert.deepEqual(await Promise.all([backwards, forwards]), [[], []])
  await refreshed([one, two])
  const { rows } = await third.database.pool.query('select count from card_testing_counters')
  assert.deepEqual(rows, [{ count: 4 }, { count: 4 }])
})

async function untilOneWaits({ pool }: Database, many: number): Promise<void> {
  await untilSeen(
    `${many} statements wait for a lock`,
    async () => {
      const { rows } = await pool.query<{ waiting: string }>(
        `select count(*) as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows[0]?.waiting
    },
    (waiting) => waiting === String(many),
  )
}

test('a subject begins again once its window is over, and the purge removes unused counters', async (t) => {
  let now = Date.UTC(2026, 10, 21)
  const [node] = await nodes(t, 1, { now: () => new Date(now) })
  assert.ok(node !== undefined)
  const perAddress = rule('address', 'attempts', 1, 60)
  const ask = () => node.store.judge([question(perAddress, '198.51.100.1')])
  await node.store.judge([question(perAddress, '198.51.100.2')])

  assert.deepEqual(await ask(), [])
  now += 59_999
  assert.deepEqual(await ask(), [perAddress])
  now += 1
  assert.deepEqual(await ask(), [])
  assert.deepEqual(await ask(), [perAddress])

  now += 1
  await node.store.purge()
  const { rows } = await node.database.pool.query('select subject from card_testing_counters')
  assert.equal(rows.length, 1)
})

test('counters and the written rules agree on any sequence of payments', async (t) => {
  let now = Date.UTC(2026, 10, 21)
  const [node] = await nodes(t, 1, { now: () => new Date(now) })
  assert.ok(node !== undefined)
  const { store } = node
  const rules = [
    rule('address', 'attempts', 5, 60),
    rule('bin', 'cards', 2, 90),
    rule('card', 'declines', 2, 30),
  ]
  const step = fc.record({
    waitS: fc.nat(40),
    address: fc.constantFrom('a', 'b'),
    bin: fc.constantFrom('x', 'y'),
    card: fc.constantFrom('1', '2', '3'),
    isDeclined: fc.boolean(),
  })
  let run = 0

  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      run += 1
      const model = new Map<string, Counter>()
      for (const { waitS, address, bin, card, isDeclined } of steps) {
        now += waitS * 1_000
        const values = [`${run} ${address}`, `${run} ${bin}`, `${run} ${card}`]
        const asked = rules.map((each, at) => question(each, values[at] ?? '', card))
        const expected = asked
          .filter((each) => isFull(each.rule, model.get(each.subject), each.card ?? '', now))
          .map((each) => each.rule)
        const full = await store.judge(asked)
        assert.deepEqual(full, expected)
        if (full.length > 0) continue
        const declines = asked.filter((each) => each.rule.counts === 'declines' && isDeclined)
        const passed = asked.filter((each) => each.rule.counts !== 'declines')
        for (const each of [...passed, ...declines]) {
          model.set(each.subject, count(each.rule, model.get(each.subject), each.card ?? '', now))
        }
        store.countDeclines(declines)
        await store.idle()
      }
    }),
    { numRuns: 40 },
  )
})

test('every rule that is hit is kept, with the payment that hit it', async (t) => {
  const [node] = await nodes(t, 1)
  const site = { id: 1001n, merchantId: 1n }
  node?.store.keepHit({ site, rules: ['a', 'b'], refused: true, orderId: 5n, transactionId: 6n })
  await node?.store.idle()

  const { rows } = (await node?.database.pool.query(
    'select site_id, rule, refused, order_id, transaction_id from card_testing_hits order by rule',
  )) ?? { rows: [] }
  const kept = { site_id: '1001', refused: true, order_id: '5', transaction_id: '6' }
  assert.deepEqual(rows, [
    { ...kept, rule: 'a' },
    { ...kept, rule: 'b' },
  ])
})

test('hits are kept for 90 days', async (t) => {
  const [node] = await nodes(t, 1)
  assert.ok(node !== undefined)
  const { pool } = node.database
  await pool.query(
    `insert into card_testing_hits (at, merchant_id, site_id, rule, refused, order_id, transaction_id)
     select now() - make_interval(days => days), 1, 1001, 'a', true, days, 1 from unnest(array[91, 89, 0]) days`,
  )
  await node.store.purge()

  const { rows } = await pool.query('select order_id from card_testing_hits order by id')
  assert.deepEqual(rows, [{ order_id: '89' }, { order_id: '0' }])
})
