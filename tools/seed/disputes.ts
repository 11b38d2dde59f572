import type pg from 'pg'
import type { Chance } from '../torture/chance.ts'
import type { CaseDates } from './date-disputes.ts'
import { DAY_MS } from './days.ts'
import { casesOf, type SampleCase, type SampleStep } from './dispute-plan.ts'
import type { OwnerSession } from './owner-session.ts'
import type { SampleBank } from './sample-bank.ts'
import { acquirerIdOf, SAMPLE_MERCHANT } from './sample-merchant.ts'

const LOOK_EVERY_MS = 50
/** Only so many of the latest orders are candidates for a case. */
const CANDIDATES = 30
/** A case is about an order of the days before it. */
const DISPUTED_WITHIN_DAYS = 90

/** The disputes of an account: raised and decided by the bank, answered by the owner. */
export interface SampleDisputes {
  /** Makes the steps up to a time of the site. @param at milliseconds since 1970 */
  takeUntil(at: number): Promise<void>
}

export interface DisputeParts {
  readonly pool: pg.Pool
  readonly owner: OwnerSession
  readonly bank: SampleBank
  readonly now: Date
  readonly chance: Chance
  /** Gets the time of each step, by which the cases are dated at the end. */
  readonly dates: CaseDates
}

/** @param reached the time of the site before this run: an earlier run made the cases up to it */
export function createSampleDisputes(
  parts: DisputeParts,
  account: number,
  reached: number,
): SampleDisputes {
  const today = Math.floor(parts.now.getTime() / DAY_MS) * DAY_MS
  const waiting = casesOf(account)
    .flatMap((each, number) => {
      const of = { ...each, number, caseId: '' }
      const chance = parts.chance.branch(`times/${account}/${number}`)
      return of.steps.map((step) => {
        const atWork = chance.between(8 * 3_600_000, 17 * 3_600_000)
        return { of, step, at: today - step.days * DAY_MS + atWork }
      })
    })
    .filter(({ at }) => at > reached)
    .toSorted((left, right) => left.at - right.at)
  const own = new AccountDisputes(parts, account)
  return {
    async takeUntil(end) {
      const due = waiting.splice(0, waiting.filter(({ at }) => at <= end).length)
      for (const { at, of, step } of due) {
        // The gateway sends answers every few seconds, and payments go on meanwhile.
        if (step.kind === 'moved') await own.untilSent()
        if (step.kind === 'opened') of.caseId = await own.open(of, step, at)
        // No order fits where the sample is very small.
        else if (of.caseId !== '') await own.take(of.caseId, step, at)
      }
    },
  }
}

class AccountDisputes {
  readonly #parts: DisputeParts
  readonly #account: number
  #isSending = false

  constructor(parts: DisputeParts, account: number) {
    this.#parts = parts
    this.#account = account
  }

  /** The id of the case; '' where no order fits. */
  async open(
    { brand, number }: SampleCase & { readonly number: number },
    { event, reason }: Extract<SampleStep, { kind: 'opened' }>,
    at: number,
  ): Promise<string> {
    const { bank, chance, pool } = this.#parts
    const found = await findOrders(pool, this.#account, brand, new Date(at))
    if (found.length === 0) return ''
    const { rrn } = chance.branch(`${this.#account}/${number}`).pick(found)
    const caseId = await bank.openCase(acquirerIdOf(this.#account), { rrn, event, reason })
    await this.#happened(caseId, event, at)
    return caseId
  }

  async take(caseId: string, step: SampleStep, at: number): Promise<void> {
    const { bank } = this.#parts
    const account = acquirerIdOf(this.#account)
    switch (step.kind) {
      case 'charged':
        await bank.chargeInquiry(account, caseId)
        return this.#happened(caseId, 'chargeback', at)
      case 'moved':
        await bank.moveCase(account, caseId, step.to)
        return this.#happened(caseId, step.to, at)
      case 'contested':
        await this.#answer(caseId, step)
        return this.#happened(caseId, 'representment', at)
      case 'accepted':
        await this.#answer(caseId, null)
        return this.#happened(caseId, 'accepted', at)
      case 'opened':
    }
  }

  /** Waits until the gateway has sent the owner's answers, and records the bank's notices. */
  async untilSent(): Promise<void> {
    if (!this.#isSending) return
    const sql = `select from dispute_answers where merchant_id = $1 and state = 'queued' limit 1`
    while ((await this.#parts.pool.query(sql, [SAMPLE_MERCHANT.id])).rows.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
    this.#isSending = false
    await this.#parts.bank.recordNotices(this.#parts.pool)
  }

  async #answer(
    caseId: string,
    contested: Extract<SampleStep, { kind: 'contested' }> | null,
  ): Promise<void> {
    const { owner, pool } = this.#parts
    const { rows } = await pool.query<{ id: string }>(
      'select id from disputes where merchant_account_id = $1 and case_id = $2',
      [this.#account, caseId],
    )
    const path = `/disputes/${rows[0]?.id ?? ''}`
    if (contested === null) {
      await owner.call('POST', `${path}/accept`)
    } else {
      const { file: name, text } = contested
      const content = Buffer.from(`${name}\n${text}\n`).toString('base64')
      await owner.call('POST', `${path}/files`, { name, content })
      await owner.call('POST', `${path}/contest`, { text })
    }
    this.#isSending = true
  }

  async #happened(caseId: string, event: string, at: number): Promise<void> {
    const { bank, dates, pool } = this.#parts
    dates.push({ account: this.#account, caseId, event, at: new Date(at) })
    await bank.recordNotices(pool)
  }
}

/** Orders of closed batches of which everything is left, the latest days first. */
async function findOrders(
  pool: pg.Pool,
  account: number,
  brand: string | null,
  at: Date,
): Promise<readonly { readonly rrn: string }[]> {
  const { rows } = await pool.query<{ rrn: string }>(
    `select retrieval_reference(o.message_number, o.message_at) as rrn
       from orders o join payment_methods p on p.id = o.payment_method_id
      where o.merchant_id = $1 and o.merchant_account_id = $2 and o.reference <> ''
        and ($3::text is null or lower(p.brand) = $3)
        and o.created_at between $4::timestamptz - $5 * interval '1 day' and $4
        and o.captured_minor > 0 and o.refunded_minor = 0
        and not exists (select from disputes d where d.order_id = o.id)
        and exists (select from transactions t join batches b on b.id = t.batch_id
                     where t.order_id = o.id and t.kind in ('sale', 'capture')
                       and t.state = 'approved' and b.closed_at <= $4)
      order by (o.created_at at time zone 'UTC')::date desc, o.reference limit $6`,
    [SAMPLE_MERCHANT.id, account, brand, at, DISPUTED_WITHIN_DAYS, CANDIDATES],
  )
  return rows
}
