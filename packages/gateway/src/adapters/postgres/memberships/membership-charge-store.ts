import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency } from '../../../domain/currency.ts'
import type { CardAttempt, CardHistory } from '../../../domain/memberships/next-attempt.ts'
import type { RenewalCharge } from '../../../domain/memberships/renewal.ts'
import type { CardBrand } from '../../../domain/payments/card.ts'
import type { StoredMembership } from '../../../usecases/memberships/membership-store.ts'
import type {
  Begun,
  ChargeAnswer,
  ChargeConclusion,
  OpenCharge,
  RenewalStore,
} from '../../../usecases/memberships/renewal-store.ts'
import { isRolledBack, onConnection, type Database } from '../connection/database.ts'
import { isOfDisabled, isStopped } from '../connection/disabled-merchants.ts'
import { createGroupLane } from '../connection/group-lane.ts'
import { inTransaction } from '../connection/transaction.ts'
import { inScope, lockDue, type DueMembership } from './due-memberships.ts'
import {
  BEGIN,
  CONCLUDE_CHARGES,
  HISTORIES,
  changedColumns,
  endedChargeColumns,
  newChargeColumns,
} from './membership-charge-statements.ts'
import { conclusionFacts, endFacts, membershipFactValues } from './membership-fact-rows.ts'
import {
  changeMembership,
  MEMBERSHIP_COLUMNS,
  membershipStateRow,
  storedMembership,
  type MembershipRow,
} from './membership-rows.ts'

const GROUP_SIZE = 64

export interface RenewalStoreOptions {
  readonly nextId: (kind: 'order' | 'transaction') => bigint | Promise<bigint>
  /** The lease of the process that started a charge; longer than any payment takes. */
  readonly leaseSeconds: number
  /** A membership that is due could not be started, and others were; it stays due. */
  readonly onFault: (membershipId: bigint, error: unknown) => void
}

/** Charges of memberships: started in groups under a lease, and concluded in groups. */
export function createRenewalStore(
  database: Database,
  { nextId, leaseSeconds, onFault }: RenewalStoreOptions,
): RenewalStore & { idle(): Promise<void> } {
  const { pool } = database
  const beginnings = database.lane('renewals')
  const ends = database.lane('renewal ends')
  const conclusions = createGroupLane<ChargeConclusion, boolean>({
    groupSize: GROUP_SIZE,
    limit: Infinity,
    write: (rows) => writeConclusions(ends, rows),
  })
  const begin = BEGIN(leaseSeconds)

  const beginOnce = (
    { scope, until, limit, decide }: Parameters<RenewalStore['begin']>[0],
    tried: (ids: readonly bigint[]) => void,
    only: bigint | null,
  ): Promise<Begun> =>
    inTransaction(beginnings, null, async (client) => {
      const due = await lockDue(client, scope, until, limit, only)
      tried(due.map(({ stored }) => stored.id))
      const decided: (DueMembership & Pick<OpenCharge, 'charge' | 'identity'>)[] = []
      const changed: ReturnType<typeof changedRow>[] = []
      const ended: Parameters<typeof membershipFactValues>[0][number][] = []
      const cards = new Set<bigint>()
      let over = 0
      for (const { bankTest, stored, retryDays } of due) {
        const { cardId } = stored.membership
        // Another membership of the same card waits for this one's attempt to count.
        if (cards.has(cardId)) continue
        const decision = decide(stored.membership)
        if (decision.kind === 'nothing') continue
        changed.push(changedRow(stored, decision.membership, decision.kind === 'charge'))
        if (decision.kind === 'over') {
          over += 1
          ended.push({ read: stored, facts: endFacts(stored, decision.membership) })
          continue
        }
        cards.add(cardId)
        const identity = {
          orderId: await nextId('order'),
          transactionId: await nextId('transaction'),
        }
        const { id, version } = stored
        const begun = { ...stored, id, version: version + 1n, membership: decision.membership }
        const { charge } = decision
        decided.push({ stored: begun, retryDays, bankTest, charge, identity })
      }
      if (changed.length === 0) return { charges: [], over }
      const written = await client.query({
        name: 'begin charges',
        text: begin,
        values: [
          ...changedColumns.values(changed),
          ...newChargeColumns.values(decided.map(newChargeRow)),
          ...membershipFactValues(ended),
        ],
      })
      invariant(written.rowCount === changed.length, 'a locked membership was changed by another')
      const histories = await readHistories(client, decided)
      return {
        over,
        charges: decided.map((each) => ({
          ...each,
          history: historyOf(histories, each.stored.id),
          isTakenOver: false,
          isStopped: false,
        })),
      }
    })

  return {
    async begin(due) {
      let ids: readonly bigint[] = []
      try {
        return await beginOnce(due, (found) => (ids = found), null)
      } catch (error) {
        if (!isRolledBack(error) || ids.length < 2) throw error
      }
      // A fault of one charge must not keep the others from being charged.
      const begun: Begun[] = []
      for (const id of ids) {
        try {
          begun.push(await beginOnce({ ...due, limit: 1 }, () => undefined, id))
        } catch (error) {
          onFault(id, error)
        }
      }
      return {
        charges: begun.flatMap(({ charges }) => charges),
        over: begun.reduce((sum, { over }) => sum + over, 0),
      }
    },

    takeOver: (scope, limit) =>
      inTransaction(beginnings, null, async (client) => {
        const { name, where, values } = inScope(scope, 2)
        const { rows } = await client.query<
          MembershipRow & ChargeRow & { readonly is_stopped: boolean }
        >({
          name: `take over charges ${name}`,
          text: `with open as materialized (
                   select m.id from memberships m
                    where m.charge_at is not null and ${where}
                      and (m.leased_until is null or m.leased_until < clock_timestamp())
                    order by m.charge_at limit $1 for update skip locked
                 )
                 update memberships m
                    set leased_until = clock_timestamp() + interval '${leaseSeconds} seconds'
                   from open
                   join membership_charges e on e.membership_id = open.id and e.outcome = 'open', sites s
                  where m.id = open.id and s.id = m.site_id
                 returning ${MEMBERSHIP_COLUMNS}, s.renewal_retry_days as retry_days, e.due_at,
                           ${isOfDisabled('m.merchant_id')} as is_stopped,
                           e.attempt, e.at, e.payment_method_id as charged_card_id,
                           e.amount_minor, e.order_id as charge_order_id, e.transaction_id,
                           e.bank_test`,
          values: [limit, ...values],
        })
        const open = rows.map((row) => ({
          stored: storedMembership(row),
          retryDays: row.retry_days,
          isStopped: row.is_stopped,
          bankTest: row.bank_test,
          charge: chargeOf(row),
          identity: {
            orderId: BigInt(row.charge_order_id),
            transactionId: BigInt(row.transaction_id),
          },
        }))
        if (open.length === 0) return []
        const histories = await readHistories(client, open)
        return open.map((each): OpenCharge => ({
          ...each,
          history: historyOf(histories, each.stored.id),
          isTakenOver: true,
        }))
      }),

    async findAnswer(transactionId) {
      const { rows } = await pool.query<{
        state: ChargeAnswer['state']
        service_code: number
        response_code: string
        merchant_advice: string | null
        update_result: ChargeAnswer['update']
      }>({
        name: 'find answer of a charge',
        text: `select t.state, t.service_code, t.response_code, n.merchant_advice, n.update_result
                 from transactions t left join account_updates n on n.transaction_id = t.id
                where t.id = $1`,
        values: [transactionId],
      })
      const row = rows[0]
      if (row === undefined) return null
      return {
        state: row.state,
        serviceCode: row.service_code,
        responseCode: row.response_code,
        merchantAdvice: row.merchant_advice ?? '',
        update: row.update_result,
      }
    },

    conclude: (conclusion) => conclusions.submit(conclusion),

    async find(membershipId) {
      const { rows } = await pool.query<MembershipRow>({
        name: 'find any membership',
        text: `select ${MEMBERSHIP_COLUMNS} from memberships m where m.id = $1`,
        values: [membershipId],
      })
      return rows[0] === undefined ? null : storedMembership(rows[0])
    },

    async findOthersOfCard(cardId, but) {
      const { rows } = await pool.query<MembershipRow>(
        `select ${MEMBERSHIP_COLUMNS} from memberships m
          where m.payment_method_id = $1 and m.id <> $2 and m.over_at is null`,
        [cardId, but],
      )
      return rows.map(storedMembership)
    },

    change: (read, membership, cause) => changeMembership(pool, read, membership, cause),

    async nextDue(site, until) {
      const { rows } = await pool.query<{ at: Date | null }>({
        name: 'next due membership',
        text: `select min(at) as at from (
                 select min(m.next_at) as at from memberships m
                  where m.site_id = $1 and m.mode = $2 and m.next_at <= $3
                 union all
                 select min(m.charge_at) from memberships m
                  where m.site_id = $1 and m.mode = $2 and m.charge_at <= $3) due`,
        values: [site.id, site.mode, until],
      })
      return rows[0]?.at ?? null
    },

    findUpcoming: upcomingMemberships(pool),

    async overdueSeconds(now) {
      const { rows } = await pool.query<{ since: Date | null }>({
        name: 'longest overdue membership',
        text: `select m.next_at as since from memberships m join sites s on s.id = m.site_id
                where m.next_at <= $1 and s.mode = m.mode and not ${isStopped('m')}
                  and not exists (select from site_clocks k where k.site_id = m.site_id)
                order by m.next_at limit 1`,
        values: [now],
      })
      const since = rows[0]?.since ?? now
      return Math.max(0, (now.getTime() - since.getTime()) / 1_000)
    },

    idle: () => conclusions.idle(),
  }
}

/** Those of a site that do something next. */
export function upcomingMemberships(pool: pg.Pool): RenewalStore['findUpcoming'] {
  return async (site, limit) => {
    const { rows } = await pool.query<MembershipRow>(
      `select ${MEMBERSHIP_COLUMNS} from memberships m
        where m.site_id = $1 and m.mode = $2 and m.next_at is not null
        order by m.next_at, m.id limit $3`,
      [site.id, site.mode, limit],
    )
    return rows.map(storedMembership)
  }
}

function changedRow(
  { id, version }: Pick<StoredMembership, 'id' | 'version'>,
  membership: StoredMembership['membership'],
  leased: boolean,
): Parameters<typeof changedColumns.values>[0][number] {
  return { id, version, leased, ...membershipStateRow(membership) }
}

function newChargeRow({
  bankTest,
  stored,
  charge,
  identity,
}: Pick<OpenCharge, 'bankTest' | 'stored' | 'charge' | 'identity'>): Parameters<
  typeof newChargeColumns.values
>[0][number] {
  return {
    membership_id: stored.id,
    merchant_id: stored.merchantId,
    due_at: charge.dueAt,
    attempt: charge.attempt,
    at: charge.at,
    payment_method_id: charge.cardId,
    amount_minor: charge.amount.minor,
    currency: charge.amount.currency.code,
    order_id: identity.orderId,
    transaction_id: identity.transactionId,
    bank_test: bankTest,
  }
}

interface ChargeRow {
  readonly retry_days: number[] | null
  readonly due_at: Date
  readonly attempt: number
  readonly at: Date
  readonly charged_card_id: string
  readonly amount_minor: string
  readonly currency: string
  readonly charge_order_id: string
  readonly transaction_id: string
  readonly bank_test: string | null
}

function chargeOf(row: ChargeRow): RenewalCharge {
  const currency = findCurrency(row.currency)
  invariant(currency !== null, 'a charge has an unknown currency')
  return {
    dueAt: row.due_at,
    attempt: row.attempt,
    at: row.at,
    amount: { minor: BigInt(row.amount_minor), currency },
    cardId: BigInt(row.charged_card_id),
  }
}

interface HistoryRow {
  readonly membership_id: string
  readonly brand: string
  readonly data_changed_at: Date | null
  readonly at: Date | null
  readonly amount_minor: string
  readonly currency: string
  readonly state: 'approved' | 'declined' | 'failed'
  readonly response_code: string
  readonly service_code: number
  readonly merchant_advice: string
}

interface History extends CardHistory {
  readonly attempts: CardAttempt[]
}

/** The known facts of a membership's card at `at`. */
export async function readCardHistory(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  stored: StoredMembership,
  at: Date,
): Promise<CardHistory> {
  const charge = { at, cardId: stored.membership.cardId }
  return historyOf(await readHistories(client, [{ stored, charge }]), stored.id)
}

async function readHistories(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  charges: readonly {
    readonly stored: StoredMembership
    readonly charge: Pick<RenewalCharge, 'at' | 'cardId'>
  }[],
): Promise<ReadonlyMap<bigint, History>> {
  if (charges.length === 0) return new Map()
  const { rows } = await client.query<HistoryRow>({
    name: 'read histories of cards',
    text: HISTORIES,
    values: [
      charges.map(({ stored }) => stored.id),
      charges.map(({ stored }) => stored.customerId),
      charges.map(({ charge }) => charge.cardId),
      charges.map(({ charge }) => charge.at),
    ],
  })
  const histories = new Map<bigint, History>()
  for (const row of rows) {
    const id = BigInt(row.membership_id)
    const history = histories.get(id) ?? {
      // The stored text is the result of `cardBrand` for the number.
      brand: row.brand === '' ? null : (row.brand as CardBrand),
      dataChangedAt: row.data_changed_at,
      attempts: [],
    }
    histories.set(id, history)
    if (row.at !== null) history.attempts.push(attemptOf(row, row.at))
  }
  return histories
}

function attemptOf(row: HistoryRow, at: Date): CardAttempt {
  const currency = findCurrency(row.currency)
  invariant(currency !== null, 'a stored order has an unknown currency')
  return {
    at,
    amount: { minor: BigInt(row.amount_minor), currency },
    outcome: row.state === 'failed' ? 'unknown' : row.state,
    responseCode: row.response_code,
    serviceCode: row.service_code,
    merchantAdvice: row.merchant_advice,
  }
}

function historyOf(histories: ReadonlyMap<bigint, History>, id: bigint): CardHistory {
  return histories.get(id) ?? { brand: null, attempts: [], dataChangedAt: null }
}

async function writeConclusions(
  pool: pg.Pool,
  rows: readonly ChargeConclusion[],
): Promise<boolean[]> {
  // Locked in the sequence of their ids, so that two groups never wait for each other.
  const ordered = rows.toSorted((left, right) => (left.read.id < right.read.id ? -1 : 1))
  const { rows: changed } = await onConnection(pool, (client) =>
    client.query<{ id: string }>({
      name: 'conclude charges',
      text: CONCLUDE_CHARGES,
      values: [
        ...changedColumns.values(ordered.map((row) => changedRow(row.read, row.membership, false))),
        ...endedChargeColumns.values(
          ordered.map(({ identity, outcome, reason }) => ({
            transaction_id: identity.transactionId,
            outcome,
            reason,
          })),
        ),
        ...membershipFactValues(
          ordered.map((row) => ({ read: row.read, facts: conclusionFacts(row) })),
        ),
      ],
    }),
  )
  const ids = new Set(changed.map(({ id }) => id))
  return rows.map(({ read }) => ids.has(read.id.toString()))
}
