import type pg from 'pg'
import {
  RETENTION_KINDS,
  type RetentionKindName,
} from '../../../domain/retention/retention-kinds.ts'
import type {
  RetentionPass,
  RetentionRule,
  RetentionStep,
  RetentionStore,
} from '../../../usecases/retention/retention-store.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { adviceRows } from './advice-rows.ts'
import { guestCardRows, personalDataRows } from './customer-rows.ts'
import { eventDayRows } from './event-day-rows.ts'
import { evidenceRows } from './evidence-rows.ts'
import { requestRows } from './request-rows.ts'
import {
  caughtWebhookRows,
  deliveryRows,
  mailRows,
  operationRows,
  operatorSessionRows,
  readPage,
  sessionRows,
  threeDsMessageRows,
  type DueRow,
  type RetentionRows,
} from './retention-rows.ts'

const ROWS: Readonly<Record<RetentionKindName, (actor: string) => RetentionRows>> = {
  guest_cards: () => guestCardRows,
  advices: () => adviceRows,
  three_ds_messages: () => threeDsMessageRows,
  requests: () => requestRows,
  operations: () => operationRows,
  sessions: () => sessionRows,
  operator_sessions: () => operatorSessionRows,
  evidence: () => evidenceRows,
  events: () => eventDayRows,
  deliveries: () => deliveryRows,
  caught_webhooks: () => caughtWebhookRows,
  mails: () => mailRows,
  customers: personalDataRows,
}

/** A pass of each kind begins a day after the last one ended. */
const PASS_EVERY = `interval '24 hours'`

/** Null while no pass has ended. */
const PASSES = `
select kind, case when next_at > '-infinity' then next_at - ${PASS_EVERY} end as "endedAt"
  from retention_passes`

const ADD_PASS = `insert into retention_passes (kind) values ($1) on conflict do nothing`

/** Another process may have it; then it is left to that one. */
const TAKE_PASS = `
select after_id, erased from retention_passes
 where kind = $1 and (next_at <= $2 or not $3::boolean) for update skip locked`

const MOVE_ON = `
update retention_passes
   set after_id = case when $3::boolean then 0 else $2::bigint end,
       erased = case when $3::boolean then 0 else $4::bigint end,
       next_at = case when $3::boolean then $5::timestamptz + ${PASS_EVERY} else next_at end
 where kind = $1`

export function createRetentionStore(pool: pg.Pool): RetentionStore {
  return {
    async countPage(rule, after) {
      const rows = ROWS[rule.kind]('')
      const { ids, isEnd } = await readPage(pool, rows, after.toString())
      const due = await rows.due(pool, ids, rule)
      const last = ids.at(-1)
      return {
        due: due.length,
        oldest: oldestOf(due),
        last: isEnd || last === undefined ? null : BigInt(last),
      }
    },
    readPasses: () => readRetentionPasses(pool),
    async step(rule, actor, isDueOnly) {
      const { step } = await inTransaction(pool, AUDITED, async (client) => ({
        step: await stepOn(client, rule, actor, isDueOnly),
      }))
      return step
    },
  }
}

/** The last whole pass of each kind that a process has started. */
export async function readRetentionPasses(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
): Promise<readonly RetentionPass[]> {
  const { rows } = await client.query<RetentionPass>(PASSES)
  return rows
}

/** The ids of the due rows, in the sequence in which the table is walked. */
function inSequence(due: readonly DueRow[], ids: readonly string[]): string[] {
  const found = new Set(due.map(({ id }) => id))
  return ids.filter((id) => found.has(id))
}

function oldestOf(rows: readonly DueRow[]): Date | null {
  return rows.reduce<Date | null>(
    (oldest, { since }) => (oldest === null || since < oldest ? since : oldest),
    null,
  )
}

async function stepOn(
  client: pg.ClientBase,
  rule: RetentionRule,
  actor: string,
  isDueOnly: boolean,
): Promise<RetentionStep | null> {
  const { kind, now } = rule
  await client.query(ADD_PASS, [kind])
  const { rows: passes } = await client.query<{ after_id: string; erased: string }>(TAKE_PASS, [
    kind,
    now,
    isDueOnly,
  ])
  const [pass] = passes
  if (pass === undefined) return null
  const rows = ROWS[kind](actor)
  const dropped = pass.after_id === '0' ? await rows.dropPart?.(client, rule) : null
  if (typeof dropped === 'number') {
    await client.query(MOVE_ON, [kind, 0, false, Number(pass.erased) + dropped, now])
    return { erased: dropped, isEnd: false }
  }
  const page = await readPage(client, rows, pass.after_id)
  const due = inSequence(await rows.due(client, page.ids, rule), page.ids)
  const taken = due.slice(0, rows.atOnce)
  const erased = taken.length === 0 ? 0 : await rows.erase(client, taken, rule)
  const inPass = Number(pass.erased) + erased
  // The next step goes on behind the last taken row, if this one left some.
  const isLeft = taken.length < due.length
  const last = (isLeft ? taken : page.ids).at(-1) ?? pass.after_id
  const isEnd = page.isEnd && !isLeft
  await client.query(MOVE_ON, [kind, last, isEnd, inPass, now])
  if (isEnd && inPass > 0) {
    await appendAudit(client, [
      {
        actor,
        operation: 'retention.erased',
        object: RETENTION_KINDS[kind].title,
        result: 'done',
        details: { erased: inPass, days: rule.days },
      },
    ])
  }
  return { erased, isEnd }
}
