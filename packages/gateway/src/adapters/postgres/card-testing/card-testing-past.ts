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
  readonly received_at: Date
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
select r.id, r.received_at, r.action, r.parameters, p.fingerprint, p.created_at < t.created_at as was_known,
       o.currency, t.amount_minor, t.state, t.service_code
  from requests r
  join sites s on s.id = r.site_id
  join transactions t on t.id = r.transaction_id and t.request_id = r.id and t.kind in ('authorization', 'sale')
  join orders o on o.id = t.order_id and o.mode = s.mode
  join payment_methods p on p.id = o.payment_method_id
 where s.id = $1 and r.merchant_id = s.merchant_id
   and r.received_at > now() - make_interval(days => $2)
   and (r.received_at, r.id) > ($3, $4)
 order by r.received_at, r.id limit ${PAGE}`

/** The site's payments of the last days in its present mode, the oldest first. */
export async function* readPastPayments(
  pool: pg.Pool,
  siteId: bigint,
  days: number,
): AsyncGenerator<readonly PastPayment[]> {
  let after: readonly [Date, string] = [new Date(0), '0']
  for (;;) {
    const { rows } = await pool.query<PastRow>(READ, [siteId, days, ...after])
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(pastPayment)
    after = [last.received_at, last.id]
  }
}

function pastPayment(row: PastRow): PastPayment {
  const said = readLoggedPayment(row.parameters)
  return {
    atMs: row.received_at.getTime(),
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
