import type pg from 'pg'

/** Memberships that fall due again and again while everything is killed. */
export interface Renewals {
  /** Nothing falls due any more. */
  stop(): Promise<void>
  /**
   * Waits until every renewal that fell due is paid; those that wait for their retry get it at
   * once.
   */
  untilPaid(deadlineMs: number): Promise<void>
}

export interface RenewalsOptions {
  readonly baseUrl: string
  readonly pool: pg.Pool
  readonly memberships: number
}

/** Visa bears more attempts that fail within a month than the others. */
const CARD = '4111111111111111'
const DUE_EVERY_MS = 400
/** A crash holds up those that it met; there must be others left. */
const DUE_AT_ONCE = 8
const LOOK_EVERY_MS = 500
/** A second more than a day, so that no renewal is due at the moment of an earlier one. */
const AGEING_SECONDS = 86_401
const AGEING = `interval '${AGEING_SECONDS} seconds'`

/** Sells daily memberships to customers of their own, and lets some fall due all the while. */
export async function startRenewals({
  baseUrl,
  pool,
  memberships,
}: RenewalsOptions): Promise<Renewals> {
  for (let n = 0; n < memberships; n += 1) await sellMembership(baseUrl)
  let stopped = false
  const running = (async () => {
    while (!stopped) {
      // A database that is down makes nothing due.
      await letFallDue(pool).catch(() => undefined)
      await retryNow(pool).catch(() => undefined)
      await new Promise((wake) => setTimeout(wake, DUE_EVERY_MS))
    }
  })()
  return {
    async stop() {
      stopped = true
      await running
    },
    async untilPaid(deadlineMs) {
      const end = performance.now() + deadlineMs
      while (performance.now() < end) {
        await retryNow(pool)
        const { rows } = await pool.query<{ open: number }>(
          'select count(*)::int as open from memberships where renewal_due_at is not null or next_at <= now()',
        )
        if (rows[0]?.open === 0) return
        await new Promise((wake) => setTimeout(wake, LOOK_EVERY_MS))
      }
    },
  }
}

/** Sells one to a customer of its own. */
export async function sellMembership(baseUrl: string): Promise<void> {
  const response = await fetch(new URL('/payment/pmt_service.cfm', baseUrl), {
    method: 'POST',
    body: new URLSearchParams({
      REQ_USERNAME: 'demo@tollgate.test',
      REQ_PASSWORD: 'Sandbox-4.14-demo',
      SITE_ID: '1001',
      REQUEST_API_VERSION: '4.14',
      REQUEST_RESPONSE_FORMAT: 'JSON',
      REQUEST_ACTION: 'CCAUTHCAP',
      PMT_NUMB: CARD,
      PMT_EXPIRY: '122040',
      LI_VALUE_1: '7.50',
      PROD_NAME: 'Torture',
      PROD_TYPE: '2',
      PROD_REBILL_METRIC: 'D',
      PROD_REBILL_PERIOD: '1',
    }),
  })
  const answer = (await response.json()) as Readonly<Record<string, string>>
  if (!answer['MBSHP_ID_1']) throw new Error(`No membership was sold: ${JSON.stringify(answer)}`)
}

/**
 * Makes paid memberships a day older, and so due. The number of days that a membership has aged
 * since it was made is the number of renewals it must have paid. The database itself counts, in
 * spite of kills.
 */
async function letFallDue(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update memberships
        set anchor_at = anchor_at - ${AGEING}, next_at = next_at - ${AGEING}, version = version + 1
      where id in (select id from memberships
                    where state = 'active' and next_kind = 'renewal' and next_at > now()
                    order by random() limit ${DUE_AT_ONCE})
        and state = 'active' and next_kind = 'renewal' and next_at > now()`,
  )
}

/** A renewal that failed is tried again at once instead of on another day. */
async function retryNow(pool: pg.Pool): Promise<void> {
  await pool.query(
    `update memberships set next_at = now(), version = version + 1
      where next_kind = 'retry' and next_at > now()`,
  )
}

interface Count {
  readonly id: string
  readonly state: string
  readonly due: number
  readonly charged: number
  readonly periods: number
  readonly orders: number
  readonly open: number
}

/** Contradictions between renewals, charges and orders of memberships, a sentence each. */
export async function compareRenewals(
  pool: pg.Pool,
): Promise<{ readonly charged: number; readonly differences: readonly string[] }> {
  const { rows } = await pool.query<Count>(
    `select m.id, m.state,
            round(extract(epoch from m.created_at - m.anchor_at) / ${AGEING_SECONDS})::int as due,
            count(c.*) filter (where c.outcome = 'approved')::int as charged,
            count(distinct c.due_at) filter (where c.outcome = 'approved')::int as periods,
            count(c.*) filter (where c.outcome = 'open')::int as open,
            (select count(distinct o.id)::int from orders o join order_lines l on l.order_id = o.id
              where l.membership_id = m.id and o.id <> m.order_id and o.state = 'authorized'
                and o.captured_minor = m.price_minor) as orders
       from memberships m left join membership_charges c on c.membership_id = m.id
      group by m.id order by m.id`,
  )
  const differences = rows.flatMap((row) => {
    const { id, state, due, charged, periods, orders, open } = row
    if (due === charged && due === periods && due === orders && open === 0 && state === 'active')
      return []
    return [
      `membership ${id} (${state}) was due ${due} times, and has ${charged} approved charges of ` +
        `${periods} periods, ${orders} orders that are paid and ${open} open charges`,
    ]
  })
  return { charged: rows.reduce((sum, { charged }) => sum + charged, 0), differences }
}
