import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { askBank } from './bank-control.ts'
import type { Chance } from './chance.ts'
import { messageKeyOf } from './gateway-books.ts'
import { ACCOUNTS, MERCHANT, wakeJobs } from './settlement-work.ts'
import type { Stage } from './stage.ts'
import { untilDone } from './until-done.ts'

/** Disputes that the bank raises and moves and the merchant answers, while everything is killed. */
export interface DisputeWork {
  /** So much is in the gateway's books so far. */
  readonly counts: { readonly cases: number; readonly answers: number }
  /** The gateway's number of the case for each answer that a command reported as stored. */
  readonly given: readonly string[]
  /** Begins nothing new, and waits for what is under way. */
  stop(): Promise<void>
  /**
   * Waits until the gateway has every notice, and the bank every answer, on a stage where nothing
   * is killed any more.
   * @returns a sentence for each step that did not come to its end
   */
  finish(): Promise<readonly string[]>
}

/** Cases beside those of disputed amounts. */
const MOST_RAISED = 40
const EVENTS = { chargeback: 11, inquiry: 4, fraud_report: 3, rapid_resolution: 2 } as const
/** Codes of each way of crediting; null for that of fraud. */
const REASONS = [null, '13.1', '12.6.1', '4853'] as const
const MOVES = { won: 3, lost: 3, pre_arbitration: 3, arbitration: 2, withdrawn: 1 } as const
const ANSWERS = { accept: 2, contest: 5 } as const
const TEXTS = ['winning_evidence', 'losing_evidence', 'escalate_evidence'] as const

/**
 * Orders without a case, with what their closed batches have: no client voids that any more. The
 * bank disputes those of disputed amounts by itself.
 */
const DISPUTABLE = `
select o.message_number as number, o.message_at as at, a.acquirer_merchant_id as account,
       sum(t.value_minor - t.voided_minor) - o.refunded_minor as minor
  from orders o
  join merchant_accounts a on a.id = o.merchant_account_id
  join transactions t on t.order_id = o.id and t.kind in ('sale', 'capture')
                     and t.state = 'approved'
  join batches b on b.id = t.batch_id and b.agreement = 'agreed'
 where o.merchant_id = $1 and o.kind = 'payment'
   and o.authorized_minor not between 911300 and 911399
   and not exists (select from disputes d where d.order_id = o.id)
 group by o.id, a.id having sum(t.value_minor - t.voided_minor) > o.refunded_minor
 order by o.id desc limit 20`

/** Raises, answers and moves cases from now on. */
export function startDisputes(stage: Stage, chance: Chance, folder: string): DisputeWork {
  const { pool } = stage
  const counts = { cases: 0, answers: 0 }
  const given: string[] = []
  const evidence = join(folder, 'evidence.txt')
  writeFileSync(evidence, 'The parcel was delivered.\n')
  /** The keys of their orders: the bank takes the same amount twice. */
  const raised = new Set<string>()
  let stopped = false

  const raise = async (): Promise<void> => {
    const { rows } = await pool.query<{
      number: string
      at: Date
      account: string
      minor: string
    }>(DISPUTABLE, [MERCHANT])
    const fresh = rows
      .map((row) => ({ ...row, key: messageKeyOf(BigInt(row.number), row.at) }))
      .filter(({ key }) => !raised.has(key))
    if (fresh.length === 0) return
    const { account, key, minor } = chance.pick(fresh)
    const whole = BigInt(minor)
    const part = chance.happens(0.3) && whole > 1n ? whole / 2n : whole
    const reason = chance.pick(REASONS)
    raised.add(key)
    await askBank(stage, 'disputes', {
      merchant: account,
      event: chance.weighted(EVENTS),
      order: key,
      minor: part.toString(),
      ...(reason === null ? {} : { reason }),
    })
  }
  /** A case that the gateway knows, in one of these states. */
  const someCase = async (states: readonly string[], without: string) => {
    const { rows } = await pool.query<{ id: string; caseId: string; account: string }>(
      `select d.id, d.case_id as "caseId", f.account
         from disputes d join dispute_feeds f on f.id = d.feed_id
        where d.state = any ($1::text[]) and not exists (${without}) order by d.id`,
      [states],
    )
    return rows.length === 0 ? null : chance.pick(rows)
  }
  const answer = async (killAfterMs: number | null): Promise<void> => {
    const found = await someCase(
      ['inquiry', 'chargeback', 'pre_arbitration', 'arbitration'],
      `select from dispute_answers w where w.dispute_id = d.id and w.state in ('queued', 'sent')`,
    )
    if (found === null) return
    const kind = chance.weighted(ANSWERS)
    const file = chance.happens(0.4) ? ['--file', evidence] : []
    const more = kind === 'accept' ? [] : ['--text', chance.pick(TEXTS), ...file]
    const command = stage.runCommand(['disputes', 'answer', found.id, kind, ...more])
    const kill = killAfterMs === null ? undefined : setTimeout(() => command.kill(), killAfterMs)
    const code = await command.ended
    clearTimeout(kill)
    if (code === 0) given.push(found.id)
  }
  const move = async (): Promise<void> => {
    const found = await someCase(
      ['inquiry', 'chargeback', 'represented', 'pre_arbitration', 'arbitration'],
      'select where false',
    )
    if (found === null) return
    const named = { merchant: found.account, case: found.caseId }
    // The bank refuses a move that the case does not take, and another one comes.
    if (chance.happens(0.2)) await askBank(stage, 'disputes', { ...named, event: 'chargeback' })
    else await askBank(stage, 'disputes/move', { ...named, to: chance.weighted(MOVES) })
  }
  const count = async (): Promise<void> => {
    const { rows } = await pool.query<{ cases: number; answers: number }>(
      `select (select count(*)::int from disputes) as cases,
              (select count(*)::int from dispute_answers where state = 'acknowledged') as answers`,
    )
    Object.assign(counts, rows[0])
  }
  const running = (async () => {
    while (!stopped) {
      const steps = [count, ...(raised.size < MOST_RAISED ? [raise, raise] : []), move]
      const killAfterMs = chance.happens(0.4) ? chance.between(200, 1_500) : null
      if (chance.happens(0.4)) steps.push(() => answer(killAfterMs))
      // A part that is down does its step in a later round.
      for (const step of steps) await step().catch(() => undefined)
      await pause(chance.between(300, 1_200))
    }
  })()
  const stop = async (): Promise<void> => {
    stopped = true
    await running
  }
  return {
    counts,
    given,
    stop,
    async finish() {
      await stop()
      // On a slow machine a kill may have met each of the commands before.
      if (given.length === 0) await answer(null)
      const left = await untilDone('every notice and every answer is recorded', async () => {
        await wakeJobs(pool)
        await count()
        return isAllRecorded(stage)
      })
      return left === null ? [] : [`dispute: ${left}`]
    },
  }
}

/** Whether the gateway has the last notice of each account, and no answer waits for the bank. */
async function isAllRecorded(stage: Stage): Promise<boolean> {
  const { rows } = await stage.pool.query<{ account: string; last: string }>(
    'select account, last_n as last from dispute_feeds',
  )
  for (const { account } of ACCOUNTS) {
    const last = rows.find((row) => row.account === account)?.last ?? '0'
    const { body } = await askBank(stage, `disputes?merchant=${account}&after=${last}`, null)
    if ((body as { readonly notices: readonly unknown[] }).notices.length > 0) return false
  }
  const { rowCount } = await stage.pool.query(
    `select from dispute_answers where state in ('queued', 'sent') limit 1`,
  )
  return rowCount === 0
}
