import { X509Certificate } from 'node:crypto'
import type pg from 'pg'
import type {
  EndingCertificate,
  HealthReader,
  MerchantHealth,
  RunningNode,
  WaitingWork,
} from '../usecases/health.ts'

/** A kind of work, and the statement of what waits of it: count and oldest time. */
const WAITING: readonly (readonly [what: string, rows: string])[] = [
  ['Advices to banks', `select created_at as at from advices where state = 'queued'`],
  ['Events without a number', 'select recorded_at as at from event_outbox'],
  ['Deliveries of webhooks', `select due_at as at from webhook_deliveries where state = 'pending'`],
  ['E-mails', `select created_at as at from mail_messages where state = 'waiting'`],
  [
    'Settlement differences',
    `select found_at as at from settlement_differences where ended_at is null`,
  ],
  [
    'Reconciliation differences',
    `select first_seen_at as at from recon_differences
      where gone_at is null and resolved_at is null`,
  ],
]

const MERCHANTS = `
select m.id, m.name, coalesce(q.count, 0)::int as queued, q.oldest,
       coalesce(d.count, 0)::int as settlement, coalesce(r.count, 0)::int as recon
  from merchants m
  left join (select merchant_id, count(*) as count, min(created_at) as oldest from advices
              where state = 'queued' group by merchant_id) q on q.merchant_id = m.id
  left join (select merchant_id, count(*) as count from settlement_differences
              where ended_at is null group by merchant_id) d on d.merchant_id = m.id
  left join (select merchant_id, count(*) as count from recon_differences
              where gone_at is null and resolved_at is null group by merchant_id) r
    on r.merchant_id = m.id
 where coalesce(q.count, d.count, r.count) is not null
 order by queued desc, settlement desc, recon desc, m.id limit 50`

/** A process whose last entry is its start. One that was killed leaves no other entry. */
const NODES = `
select actor, at, details::json as details from (
  select distinct on (actor) actor, at, operation, details from audit_entries
   where operation in ('gateway.started', 'gateway.stopped')
     and number > (select coalesce(max(number), 0) - 100000 from audit_entries)
   order by actor, number desc) last
 where operation = 'gateway.started' order by at desc limit 50`

/** Reads the state of the gateway in the database, for operators. */
export function createHealthReader(
  pool: pg.Pool,
  readLinks: HealthReader['readLinks'],
  ownCertificates: () => readonly { readonly what: string; readonly pem: string }[],
): HealthReader {
  return {
    readLinks,

    async readWaiting() {
      const counted = WAITING.map(
        ([, rows], at) =>
          `select ${at} as kind, count(*)::int as count, min(at) as oldest from (${rows}) w${at}`,
      )
      const { rows } = await pool.query<{ kind: number; count: number; oldest: Date | null }>(
        `${counted.join('\nunion all\n')} order by kind`,
      )
      return rows.map(({ kind, count, oldest }): WaitingWork => ({
        what: WAITING[kind]?.[0] ?? '',
        count,
        oldestAt: oldest,
      }))
    },

    async readMerchants() {
      const { rows } = await pool.query<{
        id: string
        name: string
        queued: number
        oldest: Date | null
        settlement: number
        recon: number
      }>(MERCHANTS)
      return rows.map((row): MerchantHealth => ({
        id: BigInt(row.id),
        name: row.name,
        queuedAdvices: row.queued,
        oldestAdviceAt: row.oldest,
        settlementDifferences: row.settlement,
        reconDifferences: row.recon,
      }))
    },

    async readCertificates() {
      const { rows } = await pool.query<{ what: string; pem: string }>(
        `select 'Link ' || name || ', its own' as what, tls_certificate as pem
           from processor_links where tls_certificate is not null
         union all
         select 'Link ' || name || ', authority', tls_ca from processor_links
          where tls_ca is not null`,
      )
      return [...ownCertificates(), ...rows]
        .map(({ what, pem }): EndingCertificate => ({
          what,
          endsAt: new Date(new X509Certificate(pem).validTo),
        }))
        .toSorted((a, b) => a.endsAt.getTime() - b.endsAt.getTime())
    },

    async readDataKey() {
      const { rows } = await pool.query<{ created_at: Date }>(
        `select created_at from data_keys where state = 'active' and purpose <> 'fingerprint'
          order by id desc limit 1`,
      )
      return rows[0]?.created_at ?? null
    },

    async readNodes() {
      const { rows } = await pool.query<{
        actor: string
        at: Date
        details: { readonly tollgate?: string; readonly node?: string }
      }>(NODES)
      return rows.map(({ actor, at, details }): RunningNode => ({
        name: actor.replace(/^gateway:/, ''),
        startedAt: at,
        // A version before these details entered none.
        tollgate: details.tollgate ?? null,
        node: details.node ?? null,
      }))
    },

    async readSchema() {
      const { rows } = await pool.query<{ count: number }>(
        'select count(*)::int as count from schema_migrations',
      )
      return rows[0]?.count ?? 0
    },
  }
}
