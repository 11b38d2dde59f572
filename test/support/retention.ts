import type { TestContext } from 'node:test'
import { ask, codes, sale, type Record as Answer } from './memberships.ts'
import { untilNoAdviceIsQueued, untilRow } from './payments.ts'
import type { RunningGateway } from './running-gateway.ts'

/** Any number that no other program locks. */
const GATE = 4_140_043

/** Moves everything of an order that counts for retention into the past. */
export async function ageOrder(
  gateway: RunningGateway,
  { PO_ID: order }: Readonly<{ PO_ID?: string }>,
  days: number,
): Promise<void> {
  await untilNoAdviceIsQueued(gateway)
  const by = `make_interval(days => $2)`
  const statements = [
    `update transactions set created_at = created_at - ${by}, concluded_at = concluded_at - ${by}
      where order_id = $1`,
    `update advices set acknowledged_at = acknowledged_at - ${by} where order_id = $1`,
    `update payment_methods p set created_at = p.created_at - ${by} from orders o
      where o.id = $1 and p.id = o.payment_method_id and p.created_at = o.created_at`,
    `update orders set created_at = created_at - ${by} where id = $1`,
  ]
  for (const statement of statements) await gateway.pool.query(statement, [order, days])
}

/** Holds up statements on a table until the returned function is called, or the test ends. */
export async function gateOn(
  t: TestContext,
  gateway: RunningGateway,
  table: string,
  event: string,
): Promise<() => Promise<void>> {
  await gateway.pool.query(`
    create or replace function wait_at_gate() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(${GATE});
      return coalesce(new, old);
    end $$;
    create trigger gate before ${event} execute function wait_at_gate()`)
  const holder = await gateway.pool.connect()
  await holder.query(`select pg_advisory_lock(${GATE})`)
  let isHeld = true
  const open = async (): Promise<void> => {
    if (!isHeld) return
    isHeld = false
    await holder.query(`select pg_advisory_unlock(${GATE})`)
    holder.release()
  }
  t.after(async () => {
    await open()
    await gateway.pool.query(`drop trigger gate on ${table}`)
  })
  return open
}

/** The process id of the connection that waits for a lock of this type, once one does. */
export async function untilSomebodyWaits(
  gateway: RunningGateway,
  lockType: 'advisory' | 'transactionid',
): Promise<number> {
  const { pid } = await untilRow(
    gateway,
    `a connection waits for a lock (${lockType})`,
    'select pid from pg_locks where not granted and locktype = $1',
    [lockType],
  )
  return Number(pid)
}

/** Brand and last four digits of a saved card, and whether its number is there. */
export async function cardText(
  { pool }: RunningGateway,
  cardId: string | undefined,
): Promise<string> {
  const { rows } = await pool.query<{ text: string }>(
    `select concat_ws(' ', brand, last4,
                      case when pan_ciphertext is null then 'erased' else 'kept' end) as text
       from payment_methods where id = $1`,
    [cardId],
  )
  return rows[0]?.text ?? ''
}

/** The object and details of the newest entry of an operation in the audit log. */
export async function lastAuditEntry(
  { pool }: RunningGateway,
  operation: string,
): Promise<unknown> {
  const { rows } = await pool.query<{ object: string; details: unknown }>(
    `select object, details::json as details from audit_entries where operation = $1
      order by number desc limit 1`,
    [operation],
  )
  return rows[0]
}

/**
 * The answers of everything that wants the number of an erased card, by what asks for it.
 * @param form the site's credentials, CUST_ID and PMT_ID of the card
 * @param order the order that brought it, with the reference `years`
 * @param member the sale of an active membership of another customer
 */
export async function answersOfErasedCard(
  gateway: RunningGateway,
  form: Readonly<{ [name: string]: string }>,
  order: Answer,
  member: Answer,
): Promise<Readonly<{ [request: string]: string }>> {
  const { CUST_ID: customer = '', PMT_ID: card = '', ...site } = form
  const request = (more: Readonly<{ [name: string]: string | null }>): Promise<Answer> =>
    ask(gateway, { ...site, ...more })
  const saved = { CUST_ID: customer, PMT_ID: card, PMT_NUMB: null, PMT_EXPIRY: null }
  const credit = { REQUEST_ACTION: 'CCCREDIT', LI_VALUE_1: '1.00' }
  const repeat = sale({ XTL_ORDER_ID: 'years', UNIQUE_XTL_ORDER_ID: '2' })
  const repeated = await request(repeat)
  return {
    'sale by the customer': codes(await request(sale({ ...saved, PMT_ID: null }))),
    'sale by card': codes(await request(sale(saved))),
    'charge by the merchant': codes(await request(sale({ ...saved, REQUEST_INITATOR: 'M' }))),
    'refund of the order': codes(
      await request({ ...credit, REQUEST_REF_PO_ID: order['PO_ID'] ?? '' }),
    ),
    'membership with the card': codes(
      await request({
        REQUEST_ACTION: 'SUB_UPDATE',
        REQUEST_REF_MBSHP_ID: member['MBSHP_ID_1'] ?? '',
        SUB_UPDATE_PMT_ID: card,
      }),
    ),
    'repeat of the payment': `${codes(repeated)} ${repeated['TRANS_ID']}`,
  }
}
