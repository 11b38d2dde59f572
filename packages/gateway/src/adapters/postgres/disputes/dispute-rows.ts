import { daysUntil } from '../../../domain/disputes/deadline.ts'
import { takesAnswers, type DisputeState } from '../../../domain/disputes/dispute-states.ts'
import { findReason } from '../../../domain/disputes/network-rules.ts'
import {
  NOTHING_DUE,
  type AnswerState,
  type DisputeFilter,
  type DisputeOrder,
  type DisputeView,
} from '../../../usecases/disputes/dispute-views.ts'
import { ACCOUNT_TODAY } from './account-day.ts'

export interface DisputeRow {
  readonly id: string
  readonly merchant_id: string
  readonly merchant_account_id: string
  readonly case_id: string
  readonly state: DisputeState
  readonly order_id: string | null
  readonly brand: string
  readonly amount_minor: string
  readonly currency: string
  readonly reason: string | null
  readonly is_charged: boolean
  readonly network_due: string | null
  readonly respond_by: string | null
  readonly today: string
  readonly is_overdue: boolean
  readonly answer: 'accept' | 'contest' | null
  readonly answer_state: AnswerState | null
  readonly is_answered: boolean
  readonly opened_at: Date
  readonly changed_at: Date
  readonly ended_at: Date | null
  readonly fees: readonly { readonly currency: string; readonly minor: string }[]
}

/** Whether the stage of a case `d` has an answer that was not refused. */
const IS_ANSWERED = `exists (
  select from dispute_answers w
   where w.dispute_id = d.id and w.state <> 'refused'
     and w.stage_n = (select max(n.n) from dispute_notices n where n.dispute_id = d.id))`

/** The columns of a DisputeRow, at a time of the machine. */
export const SELECT_DISPUTES = (now: string): string => `
select d.id, d.merchant_id, d.merchant_account_id, d.case_id, d.state, d.order_id, d.brand,
       d.amount_minor, d.currency, d.reason, d.is_charged, d.network_due::text, d.respond_by::text,
       ${ACCOUNT_TODAY(now)}::text as today, d.is_overdue, w.answer, w.state as answer_state,
       ${IS_ANSWERED} as is_answered, d.opened_at, d.changed_at, d.ended_at,
       (select coalesce(json_agg(json_build_object('currency', e.currency, 'minor', e.minor::text)
                                 order by e.currency), '[]')
          from (select v.currency, sum(v.fee_minor) as minor from dispute_movements v
                 where v.dispute_id = d.id group by v.currency having sum(v.fee_minor) <> 0) e)
         as fees
  from disputes d
  join merchant_accounts a on a.id = d.merchant_account_id
  left join lateral (
    select x.answer, x.state from dispute_answers x
     where x.dispute_id = d.id and x.state <> 'refused' order by x.id desc limit 1) w on true`

const NO_MONEY = `d.state = 'reported'`
const TAKES_ANSWERS = `d.state in ('inquiry', 'chargeback', 'pre_arbitration', 'arbitration')`

/** `dueDayOf` a case. */
const DUE_DAY = `coalesce(
  case when ${TAKES_ANSWERS} and not ${IS_ANSWERED} then d.respond_by end, '${NOTHING_DUE}')`

/** The place behind the case $10 with the day $11, and the sequence of a list. */
export const IN_ORDER: Readonly<Record<DisputeOrder, string>> = {
  newest: `($10::bigint is null or $11::date is null
    or (d.opened_at, d.id) < (select x.opened_at, x.id from disputes x
                               where x.id = $10 and ($1::bigint is null or x.merchant_id = $1)))
    order by d.opened_at desc, d.id desc`,
  due: `($10::bigint is null or (${DUE_DAY}, d.id) > ($11::date, $10)) order by ${DUE_DAY}, d.id`,
}

/** $1 to $8 are those of `filterValues`. A month counts as in the ratios. */
export const FOUND_DISPUTES = `
 ($1::bigint is null or d.merchant_id = $1)
 and ($2::bigint is null or d.merchant_account_id = $2)
 and ($3::bigint is null or d.order_id = $3)
 and ($4::text is null or case $4
        when 'open' then d.ended_at is null and not ${NO_MONEY}
        when 'due' then ${TAKES_ANSWERS} and not ${IS_ANSWERED}
        when 'ended' then d.ended_at is not null
        when 'charged' then d.is_charged
        when 'counted' then d.is_charged or ${NO_MONEY}
        else ${NO_MONEY} end)
 and ($5::text is null or d.state = $5)
 and ($6::text is null or d.brand = $6)
 and ($7::text is null or d.currency = $7)
 and ($8::date is null or $8::date = date_trunc('month', coalesce(d.charged_at, d.opened_at)
        at time zone (select m.time_zone from merchants m where m.id = d.merchant_id))::date)`

export function filterValues(filter: DisputeFilter): readonly unknown[] {
  const { brand, currency, group, merchantAccountId, merchantId, month, orderId, state } = filter
  const day = month === null ? null : `${month}-01`
  return [merchantId, merchantAccountId, orderId, group, state, brand, currency, day]
}

export function viewOf(row: DisputeRow): DisputeView {
  const openedOn = row.opened_at.toISOString().slice(0, 10)
  const respondBy = row.respond_by
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    merchantAccountId: BigInt(row.merchant_account_id),
    caseId: row.case_id,
    state: row.state,
    orderId: row.order_id === null ? null : BigInt(row.order_id),
    brand: row.brand,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    reason: row.reason,
    reasonName: findReason(row.brand, row.reason, openedOn)?.name ?? null,
    isCharged: row.is_charged,
    networkDue: row.network_due,
    respondBy,
    daysLeft: respondBy === null ? null : daysUntil(respondBy, row.today),
    isOverdue: row.is_overdue,
    answer: row.answer,
    answerState: row.answer_state,
    canAnswer: takesAnswers(row.state) && !row.is_answered,
    openedAt: row.opened_at,
    changedAt: row.changed_at,
    endedAt: row.ended_at,
    fees: row.fees.map(({ currency, minor }) => ({ currency, minor: BigInt(minor) })),
  }
}
