import type { RequestOutcome } from '@tollgate/portal-contract/request-outcomes'
import type pg from 'pg'
import type {
  KeptRequest,
  RequestFilter,
  RequestLogReader,
  RequestRow,
} from '../usecases/request-views.ts'

/** The number of log entries that are read for one page, with any filter. */
const LOOKED_THROUGH = 20_000

// The portal refuses an operation of its users with a status of HTTP, and often without a code.
const OUTCOME = `case when r.state in ('APPROVED', 'DECLINED', 'FAILED', 'PENDING', 'RUNNING') and r.transaction_id is not null
          then replace(lower(r.state), 'running', 'pending')
          when r.api_code = '0' and r.service_code in (0, 100, 101, 102) and r.http_status < 400
          then 'answered' else 'refused' end`

const COLUMNS = `r.id, r.received_at, r.site_id, r.username, r.address, r.action, r.state, r.http_status,
  r.api_code, r.service_code, r.ref_field, r.order_id, r.transaction_id, r.took_ms, ${OUTCOME} as outcome`

// The newest entries come out of an index in sequence, limited in number. Filters take from these
// until the page is full.
const LOOKED_AT = `select * from requests
   where merchant_id = $1
     and received_at < coalesce($2::timestamptz, 'infinity') and received_at >= coalesce($3::timestamptz, '-infinity')
     and received_at <= coalesce($4::timestamptz, 'infinity') and (received_at, id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::bigint, 9223372036854775807))
   order by received_at desc, id desc`

export const LIST = `select ${COLUMNS} from (${LOOKED_AT} limit ${LOOKED_THROUGH}) r
 where ($6::bigint is null or r.site_id = $6)
   and ($7::text is null or r.action = $7)
   and ($8::text is null or ${OUTCOME} = $8)
   and ($9::text is null or r.api_code = $9)
   and ($10::integer is null or r.service_code = $10)
   and ($11::text is null or r.username = $11)
   and ($12::text is null or r.address = $12)
   and ($13::boolean is null or (r.order_id is not null) = $13)
 order by r.received_at desc, r.id desc limit $14`

const LAST_LOOKED_AT = `select received_at, id from (${LOOKED_AT}) r offset ${LOOKED_THROUGH - 1} limit 1`

// The source of an order or a transaction is written with the transaction.
const BY_ID = `select ${COLUMNS} from requests r
 where r.merchant_id = $1
   and r.id = any (array(select $2::bigint
             union select t.request_id from transactions t where t.id = $2 and t.merchant_id = $1
             union select t.request_id from transactions t where t.order_id = $2 and t.merchant_id = $1))
 order by r.received_at desc, r.id desc limit $3`

interface Row {
  readonly id: string
  readonly received_at: Date
  readonly site_id: string | null
  readonly username: string
  readonly address: string
  readonly action: string
  readonly state: string
  readonly http_status: number
  readonly api_code: string
  readonly service_code: number
  readonly ref_field: string
  readonly order_id: string | null
  readonly transaction_id: string | null
  readonly took_ms: number
  readonly outcome: RequestOutcome
}

/** Reads the request log for portal users: each question names the merchant. */
export function createRequestLogReader(pool: pg.Pool): RequestLogReader {
  return {
    async list(merchantId, filter, after, limit) {
      if (filter.id !== null) {
        const { rows } = await pool.query<Row>(BY_ID, [merchantId, filter.id, limit])
        return { rows: rows.map(rowOf), next: null, lookedBackTo: null }
      }
      const place = [
        merchantId,
        filter.to,
        filter.from,
        after?.receivedAt ?? null,
        after?.id ?? null,
      ]
      const { rows } = await pool.query<Row>(LIST, [...place, ...choices(filter), limit + 1])
      const shown = rows.slice(0, limit).map(rowOf)
      if (rows.length > limit) {
        const last = shown.at(-1)
        return {
          rows: shown,
          next: last === undefined ? null : { receivedAt: last.receivedAt, id: last.id },
          lookedBackTo: null,
        }
      }
      if (!isNarrowed(filter)) return { rows: shown, next: null, lookedBackTo: null }
      const { rows: ends } = await pool.query<{ received_at: Date; id: string }>(
        LAST_LOOKED_AT,
        place,
      )
      const [end] = ends
      if (end === undefined) return { rows: shown, next: null, lookedBackTo: null }
      return {
        rows: shown,
        next: { receivedAt: end.received_at, id: BigInt(end.id) },
        lookedBackTo: end.received_at,
      }
    },
    async find(merchantId, id) {
      const { rows } = await pool.query<
        Row & Pick<KeptRequest, 'parameters'> & { readonly sentence: string | null }
      >(
        `select ${COLUMNS}, r.parameters, p.result ->> 'sentence' as sentence
           from requests r
           left join portal_operations p on p.request_id = r.id and p.merchant_id = r.merchant_id
                 and p.state in ('refused', 'interrupted')
          where r.id = $2 and r.merchant_id = $1`,
        [merchantId, id],
      )
      const [row] = rows
      if (row === undefined) return null
      return { ...rowOf(row), parameters: row.parameters, operationRefusal: row.sentence }
    },
  }
}

function choices(filter: RequestFilter): readonly unknown[] {
  const { siteId, action, outcome, apiCode, serviceCode, username, address, hasOrder } = filter
  return [siteId, action, outcome, apiCode, serviceCode, username, address, hasOrder]
}

/** Whether the filter has more than the time. */
function isNarrowed(filter: RequestFilter): boolean {
  return choices(filter).some((choice) => choice !== null)
}

function rowOf(row: Row): RequestRow {
  return {
    id: BigInt(row.id),
    receivedAt: row.received_at,
    siteId: row.site_id === null ? null : BigInt(row.site_id),
    username: row.username,
    address: row.address,
    action: row.action,
    outcome: row.outcome,
    state: row.state,
    httpStatus: row.http_status,
    apiCode: row.api_code,
    serviceCode: row.service_code,
    refField: row.ref_field,
    orderId: row.order_id === null ? null : BigInt(row.order_id),
    transactionId: row.transaction_id === null ? null : BigInt(row.transaction_id),
    tookMs: row.took_ms,
  }
}
