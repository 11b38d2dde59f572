import type pg from 'pg'
import { rulesFor } from '../../../domain/card-testing/card-testing.ts'
import { customerIp } from '../../../domain/card-testing/customer-ip.ts'
import type { PastPayment } from '../../../usecases/card-testing/card-testing-operator.ts'
import { readLoggedPayment } from '../audit/logged-parameters.ts'

/**
 * A request that became a payment; what it said is in the request log, its card number cut down.
 */
interface PastRow {
  readonly id: string
  readonly at: Date
  /** The same in microseconds since 1970: pages continue behind the last row. */
  readonly micros: string
  readonly action: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly fingerprint: Buffer
  readonly was_known: boolean
  readonly currency: string
  readonly amount_minor: string
  readonly state: string
  readonly service_code: number
}

const PAGE = 2_000

const READ = `
select t.id, t.created_at as at, (extract(epoch from t.created_at) * 1000000)::bigint as micros, r.action, r.parameters, p.fingerprint, p.created_at < t.created_at as was_known,
       o.currency, t.amount_minor, t.state, t.service_code
  from sites s
  join transactions t on t.merchant_id = s.merchant_id and t.kind in ('authorization', 'sale')
  join orders o on o.id = t.order_id and o.site_id = s.id and o.mode = s.mode
  join requests r on r.id = t.request_id and r.transaction_id = t.id
  join payment_methods p on p.id = o.payment_method_id
 where s.id = $1
   and t.created_at > site_time($1, now()) - make_interval(days => $2)
   and t.created_at <= site_time($1, now())
   and (t.created_at, t.id)
       > (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::bigint)
 order by t.created_at, t.id limit ${PAGE}`

/**
 * The site's payments of the last days in its present mode, the oldest first. Days and times are
 * those of the site's clock.
 */
export async function* readPastPayments(
  pool: pg.Pool,
  siteId: bigint,
  days: number,
): AsyncGenerator<readonly PastPayment[]> {
  let after: readonly [string, string] = ['0', '0']
  for (;;) {
    const { rows } = await pool.query<PastRow>(READ, [siteId, days, ...after])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(pastPayment)
    after = [last.micros, last.id]
  }
}

function pastPayment(row: PastRow): PastPayment {
  const said = readLoggedPayment(row.parameters)
  return {
    atMs: row.at.getTime(),
    rules: rulesFor({
      kind: 'sale',
      savedCard: !said.hasNewCard,
      onFileElsewhere: said.onFileElsewhere,
      knownCard: row.was_known,
      securityCode: said.hasSecurityCode,
      initiator: said.byMerchant ? 'merchant' : null,
      recurring: said.isRenewal ? 'rebill' : 'none',
      rebillType: said.rebillType === 'REBILL' ? 'REBILL' : null,
    }),
    facts: {
      fingerprint: row.fingerprint.toString('hex'),
      bin: said.bin,
      address: customerIp(said.ipAddress),
      currency: row.currency,
      amountMinor: BigInt(row.amount_minor),
    },
    state: row.state,
    serviceCode: row.service_code,
  }
}
