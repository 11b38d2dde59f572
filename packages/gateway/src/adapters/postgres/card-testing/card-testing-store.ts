import type { Clock } from '../../../base/clock.ts'
import type {
  CardTestingHit,
  CardTestingStore,
  CounterQuestion,
} from '../../../usecases/card-testing/card-testing-store.ts'
import { defineColumns } from '../connection/columns.ts'
import type { Database } from '../connection/database.ts'
import { createGroupLane } from '../connection/group-lane.ts'

const questions = defineColumns({
  payment: 'int',
  subject: 'text',
  counts: 'text',
  at_most: 'int',
  window_s: 'int',
  card: 'text',
})

const JUDGE = `select judge_card_testing(${questions.parameters(1)}, $${questions.count + 1}::timestamptz) as full_row`

const declined = defineColumns({ subject: 'text', window_s: 'int' })

// In the sequence in which payments lock the same counters.
const COUNT_DECLINES = `
insert into card_testing_counters as c (subject, ends_at, count)
select decode(d.subject, 'hex'), t.at + make_interval(secs => max(d.window_s)), count(*)
  from unnest(${declined.parameters(1)}) as d (subject, window_s),
       (select coalesce($${declined.count + 1}::timestamptz, clock_timestamp()) as at) t
 group by d.subject, t.at
 order by decode(d.subject, 'hex')
    on conflict (subject) do update
   set count = excluded.count
             + case when c.ends_at <= coalesce($${declined.count + 1}::timestamptz, clock_timestamp())
                    then 0 else c.count end,
       ends_at = case when c.ends_at <= coalesce($${declined.count + 1}::timestamptz, clock_timestamp())
                      then excluded.ends_at else c.ends_at end`

const hits = defineColumns({
  merchant_id: 'bigint',
  site_id: 'bigint',
  rule: 'text',
  refused: 'boolean',
  order_id: 'bigint',
  transaction_id: 'bigint',
})

const KEEP_HITS = `insert into card_testing_hits (${hits.names}) select * from unnest(${hits.parameters(1)})`

// Rows that are being counted are locked and skipped, so no caller waits for another here.
const PURGE_COUNTERS = `
delete from card_testing_counters where subject in
  (select subject from card_testing_counters
    where ends_at < coalesce($1::timestamptz, clock_timestamp())
    order by ends_at limit 5000 for update skip locked)`

/** How long an operator can look back. */
const HITS_ARE_KEPT = '90 days'

// Ids follow the time closely enough: the oldest thousand are looked at, and no more.
const PURGE_HITS = `
delete from card_testing_hits where at < now() - interval '${HITS_ARE_KEPT}'
   and id in (select id from card_testing_hits order by id limit 1000)`

/** A group holds its counters' locks until it is written, so it is a small one. */
const GROUP_SIZE = 16

export interface CardTestingCounters extends CardTestingStore {
  /** Removes what is over; true when there may be more. */
  purge(): Promise<boolean>
  /** Resolves when nothing waits to be written. */
  idle(): Promise<void>
}

/**
 * Counters in the database. Time is the database's, the same for every node and out of reach of a
 * site's test clock; a test hands in its own. Opens no connection before it is used.
 */
export function createCardTestingStore(
  database: Database,
  onLost: (error: unknown) => void,
  clock: Clock | null = null,
): CardTestingCounters {
  // A crash of the server may lose the last half second of counters, which is harmless.
  const judging = database.lane('card testing', { durable: false })
  const keeping = database.lane('card testing records', { durable: false })
  const now = (): string | null => clock?.now().toISOString() ?? null

  const judge = createGroupLane<readonly CounterQuestion[], CardTestingRules>({
    groupSize: GROUP_SIZE,
    limit: 4_096,
    async write(payments) {
      const rows = payments.flatMap((questions, payment) =>
        questions.map((question) => ({ payment, question })),
      )
      const { rows: full } = await judging.query<{ full_row: number }>({
        name: 'judge card testing',
        text: JUDGE,
        values: [...questions.values(rows.map(questionRow)), now()],
      })
      const found = payments.map((): CardTestingRules[number][] => [])
      for (const { full_row: at } of full) {
        const row = rows[at - 1]
        if (row !== undefined) found[row.payment]?.push(row.question.rule)
      }
      return found
    },
  })

  const behind = { groupSize: 256, limit: 20_000, gatherMs: 20 } as const
  const declines = createGroupLane<CounterQuestion, null>({
    ...behind,
    async write(questions) {
      const rows = questions.map(({ subject, rule }) => ({ subject, window_s: rule.windowSeconds }))
      await keeping.query({
        name: 'count card declines',
        text: COUNT_DECLINES,
        values: [...declined.values(rows), now()],
      })
      return questions.map(() => null)
    },
  })
  const kept = createGroupLane<CardTestingHit, null>({
    ...behind,
    async write(group) {
      const values = hits.values(group.flatMap(hitRows))
      await keeping.query({ name: 'keep card testing hits', text: KEEP_HITS, values })
      return group.map(() => null)
    },
  })

  return {
    judge: (questions) => judge.submit(questions),
    countDeclines(questions) {
      for (const question of questions) declines.submit(question).catch(onLost)
    },
    keepHit(hit) {
      kept.submit(hit).catch(onLost)
    },
    async purge() {
      const { rowCount } = await database.pool.query(PURGE_COUNTERS, [now()])
      const { rowCount: old } = await database.pool.query(PURGE_HITS)
      return (rowCount ?? 0) >= 5_000 || (old ?? 0) >= 1_000
    },
    async idle() {
      await Promise.all([judge.idle(), declines.idle(), kept.idle()])
    },
  }
}

type CardTestingRules = Awaited<ReturnType<CardTestingStore['judge']>>

function questionRow({
  payment,
  question: { rule, subject, card },
}: {
  readonly payment: number
  readonly question: CounterQuestion
}): Parameters<typeof questions.values>[0][number] {
  const { counts, limit, windowSeconds } = rule
  return { payment, subject, counts, at_most: limit, window_s: windowSeconds, card }
}

/** One for each rule. */
function hitRows({ site, rules, refused, orderId, transactionId }: CardTestingHit) {
  return rules.map((rule) => ({
    merchant_id: site.merchantId,
    site_id: site.id,
    rule,
    refused,
    order_id: orderId,
    transaction_id: transactionId,
  }))
}
