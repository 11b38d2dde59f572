import type { Role } from '@tollgate/portal-contract/rights'
import type pg from 'pg'
import type { OrderFigures } from '../../../domain/books/order-comparison.ts'
import type { CurrencyTotals } from '../../../usecases/books/reconcile.ts'
import type {
  PortalUserName,
  ReconBook,
  ReconDifference,
  ReconNote,
  ReconRun,
} from '../usecases/recon.ts'

interface RunRow {
  readonly id: string
  readonly state: ReconRun['state']
  readonly asked_by: string
  readonly asked_at: Date
  readonly finished_at: Date | null
  readonly doing: string
  readonly orders_seen: string
  readonly fault: string
  readonly orders: string | null
  readonly differences: number | null
  readonly totals: readonly StoredTotals[]
}

interface StoredFigures {
  readonly approvedMinor: string
  readonly capturedMinor: string
  readonly refundedMinor: string
}

interface StoredTotals {
  readonly currency: string
  readonly orders: number
  readonly gateway: StoredFigures
  readonly ledger: StoredFigures
  readonly bank: StoredFigures
}

interface DifferenceRow {
  readonly id: string
  readonly order_id: string
  readonly currency: string
  readonly bank_currency: string | null
  readonly gateway_minor: readonly string[] | null
  readonly ledger_minor: readonly string[] | null
  readonly bank_minor: readonly string[] | null
  readonly reasons: readonly string[]
  readonly first_seen_at: Date
  readonly last_seen_at: Date
  readonly gone_at: Date | null
  readonly owner: PortalUserNameRow | null
  readonly resolver: PortalUserNameRow | null
  readonly resolved_at: Date | null
  readonly version: number
  readonly notes: readonly {
    portalUser: string
    at: string
    what: ReconNote['what']
    text: string
  }[]
}

interface PortalUserNameRow {
  readonly id: string
  readonly name: string
  readonly email: string
}

const RUN = `select id, state, asked_by, asked_at, finished_at, doing, orders_seen, fault, orders, differences, totals
  from recon_runs`

const portalUser = (column: string): string =>
  `(select json_build_object('id', p.id::text, 'name', p.name, 'email', p.email)
      from portal_users p where p.id = ${column})`

/** Comparisons of a merchant, and what portal users do about what they found. */
export function createReconBook(pool: pg.Pool): ReconBook {
  return {
    async runs(merchantId, limit) {
      const { rows } = await pool.query<RunRow>(
        `${RUN} where merchant_id = $1 order by id desc limit $2`,
        [merchantId, limit],
      )
      return rows.map(runOf)
    },
    async run(merchantId, id) {
      const { rows } = await pool.query<RunRow>(`${RUN} where merchant_id = $1 and id = $2`, [
        merchantId,
        id,
      ])
      const [row] = rows
      return row === undefined ? null : runOf(row)
    },
    async schedule(merchantId) {
      const { rows } = await pool.query<{ hour: number }>(
        'select hour from recon_schedules where merchant_id = $1',
        [merchantId],
      )
      return rows[0]?.hour ?? null
    },
    async differences(merchantId, filter, before, limit) {
      const { rows } = await pool.query<DifferenceRow>(
        `select d.id, d.order_id, d.currency, d.bank_currency, d.gateway_minor, d.ledger_minor, d.bank_minor,
                d.reasons, d.first_seen_at, d.last_seen_at, d.gone_at, d.resolved_at, d.version,
                ${portalUser('d.owner_id')} as owner, ${portalUser('d.resolved_by')} as resolver,
                coalesce((select json_agg(json_build_object(
                                   'portalUser', p.name, 'at', n.at, 'what', n.what, 'text', n.text) order by n.id)
                            from recon_notes n join portal_users p on p.id = n.portal_user_id
                           where n.difference_id = d.id), '[]') as notes
           from recon_differences d
          where d.merchant_id = $1 and ($2::bigint is null or d.id < $2)
            and case $3 when 'open' then d.gone_at is null and d.resolved_at is null
                        when 'resolved' then d.gone_at is null and d.resolved_at is not null
                        when 'gone' then d.gone_at is not null
                        else true end
          order by d.id desc limit $4`,
        [merchantId, before, filter, limit],
      )
      return rows.map(differenceOf)
    },
    async portalUsers(merchantId) {
      const { rows } = await pool.query<PortalUserNameRow & { role: Role }>(
        'select id, name, email, role from portal_users where merchant_id = $1 and active order by name, id',
        [merchantId],
      )
      return rows.map((row) => ({ ...portalUserNameOf(row), role: row.role }))
    },
    async comparable(merchantId) {
      const { rows } = await pool.query<{ bundled: number; others: number }>(
        `select count(*) filter (where mode = 'test' and processor_link_id is null)::int as bundled,
                count(*) filter (where mode = 'live' or processor_link_id is not null)::int as others
           from merchant_accounts where merchant_id = $1`,
        [merchantId],
      )
      return rows[0] ?? { bundled: 0, others: 0 }
    },
  }
}

function runOf(row: RunRow): ReconRun {
  return {
    id: BigInt(row.id),
    state: row.state,
    requestedBy: row.asked_by,
    requestedAt: row.asked_at,
    finishedAt: row.finished_at,
    doing: row.doing,
    ordersSeen: Number(row.orders_seen),
    fault: row.fault,
    orders: row.orders === null ? null : Number(row.orders),
    differences: row.differences,
    totals: row.totals.map(({ currency, orders, gateway, ledger, bank }): CurrencyTotals => ({
      currency,
      orders,
      gateway: storedFigures(gateway),
      ledger: storedFigures(ledger),
      bank: storedFigures(bank),
    })),
  }
}

function storedFigures({
  approvedMinor,
  capturedMinor,
  refundedMinor,
}: StoredFigures): OrderFigures {
  return {
    approvedMinor: BigInt(approvedMinor),
    capturedMinor: BigInt(capturedMinor),
    refundedMinor: BigInt(refundedMinor),
  }
}

function differenceOf(row: DifferenceRow): ReconDifference {
  return {
    id: BigInt(row.id),
    orderId: BigInt(row.order_id),
    currency: row.currency,
    bankCurrency: row.bank_currency,
    gateway: figuresOf(row.gateway_minor),
    ledger: figuresOf(row.ledger_minor),
    bank: figuresOf(row.bank_minor),
    reasons: row.reasons,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    goneAt: row.gone_at,
    owner: row.owner && portalUserNameOf(row.owner),
    resolvedBy: row.resolver && portalUserNameOf(row.resolver),
    resolvedAt: row.resolved_at,
    version: row.version,
    notes: row.notes.map((note) => ({ ...note, at: new Date(note.at) })),
  }
}

function figuresOf(minor: readonly string[] | null): OrderFigures | null {
  if (minor === null) return null
  const [approved = '0', captured = '0', refunded = '0'] = minor
  return {
    approvedMinor: BigInt(approved),
    capturedMinor: BigInt(captured),
    refundedMinor: BigInt(refunded),
  }
}

function portalUserNameOf({ id, name, email }: PortalUserNameRow): PortalUserName {
  return { id: BigInt(id), name, email }
}
