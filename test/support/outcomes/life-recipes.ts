import assert from 'node:assert/strict'
import { readFeed } from '../events.ts'
import { untilSeen } from '../eventually.ts'
import { credentials } from '../running-gateway.ts'
import { CARD } from '../three-ds.ts'
import type { Fields, Form } from './answer.ts'
import { enrol } from './card-recipes.ts'
import { readRows } from './status-rows.ts'
import { approvedAuthorization, approvedSale, newProduct, operate } from './steps.ts'
import type { Sweep } from './sweep.ts'

/** Orders whose rows of CCSTATUS have every action, status and origin of a shop. */
export async function readEveryRow(sweep: Sweep): Promise<void> {
  const { pay, send } = sweep
  const step = (action: string, { PO_ID = '' }: Fields, more: Form = {}) =>
    send({ REQUEST_ACTION: action, REQUEST_REF_PO_ID: PO_ID, ...more })
  const captured = await approvedAuthorization(sweep)
  await step('CCCAPTURE', captured, { LI_VALUE_1: '5.00' })
  await step('CCREVERSECAP', captured)
  await step('CCREVERSE', captured)
  const refunded = await approvedSale(sweep)
  await step('CCCREDIT', refunded)
  const expired = await approvedAuthorization(sweep)
  await operate(sweep, 'expire-authorization', { order: expired['PO_ID'] })
  const declined = (await pay({ SANDBOX_TEST: 'de39=05' })).fields
  const failed = (await pay({ SANDBOX_TEST: 'answer=lost-unbooked' })).fields
  const pending = (await enrol(sweep, CARD.challenged)).fields
  for (const { PO_ID = '' } of [captured, refunded, expired, declined, failed, pending]) {
    await readRows(sweep, { REQUEST_REF_PO_ID: PO_ID })
  }
}

/** Approves the customer, and declines renewals: for want of money, and as a closed account. */
const POOR = '4012889000000517'
const CLOSED = '4012889000001036'

interface Throwaway {
  readonly site: number
}

async function sandbox(
  { gateway }: Sweep,
  path: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { REQ_PASSWORD: password, REQ_USERNAME: username } = credentials()
  const response = await fetch(new URL(`/sandbox/${path}`, gateway.baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, site: 1001, ...more }),
  })
  const body = (await response.json()) as Readonly<Record<string, unknown>>
  assert.ok(response.ok, `${path}: ${JSON.stringify(body)}`)
  return body
}

/** Memberships of a site with a clock of its own, which goes on past their next renewals. */
export async function endEveryMembership(sweep: Sweep): Promise<void> {
  const { site } = (await sandbox(sweep, 'sites', { days: 1 })) as unknown as Throwaway
  const at: Form = { SITE_ID: String(site), MERCH_ACCT_ID: null }
  const begin = async (type: '1' | '2', more: Form = {}): Promise<Fields> =>
    approvedSale(sweep, { ...newProduct(type), ...at, ...more })
  const cancel = ({ MBSHP_ID_1 = '' }: Fields, type: string) =>
    sweep.send({
      ...at,
      REQUEST_ACTION: 'SUB_CANCEL',
      REQUEST_REF_MBSHP_ID: MBSHP_ID_1,
      SUB_CANCEL_TYPE: type,
    })
  const state = async ({ MBSHP_ID_1 = '' }: Fields): Promise<string> => {
    const [row] = await readRows(sweep, { ...at, REQUEST_REF_MBSHP_ID: MBSHP_ID_1 })
    const found = row?.['MBSHP_STATE'] ?? ''
    sweep.see('membership', found)
    return found
  }
  const [active, term, scheduled, requested, poor, closed] = await Promise.all([
    begin('2'),
    begin('1'),
    begin('2'),
    begin('2'),
    begin('2', { PMT_NUMB: POOR }),
    begin('2', { PMT_NUMB: CLOSED }),
  ])
  const sameCard = { PMT_NUMB: null, PMT_EXPIRY: null, CUST_ID: closed['CUST_ID'] ?? '' }
  const beside = await begin('2', { ...sameCard, PROD_REBILL_PERIOD: '5' })
  const { MBSHP_ID_1 = '', PMT_ID = '' } = active
  const change = { REQUEST_REF_MBSHP_ID: MBSHP_ID_1, SUB_UPDATE_PMT_ID: PMT_ID }
  await sweep.send({ ...at, REQUEST_ACTION: 'SUB_UPDATE', ...change })
  await cancel(scheduled, '2')
  await cancel(requested, '1')
  await Promise.all([state(active), state(scheduled)])
  await sandbox(sweep, 'clock/step', { site, by: 'P32D', wait: 30 })
  for (const [membership, expected] of [
    [active, 'ACTIVE'],
    [term, 'ENDED'],
    [scheduled, 'CANCELLED'],
    [requested, 'CANCELLED'],
    [poor, 'PAST_DUE'],
    [closed, 'CANCELLED'],
    [beside, 'CANCELLED'],
  ] as const) {
    const what = `membership ${membership['MBSHP_ID_1']} is ${expected}`
    await untilSeen(
      what,
      () => state(membership),
      (found) => found === expected,
    )
  }
  await noteReasons(sweep, site)
}

/** Notes the reasons that the feed of events states for each membership that is over. */
async function noteReasons({ gateway, see }: Sweep, site: number): Promise<void> {
  const types = 'membership.cancelled,membership.ended'
  await untilSeen(
    'the feed has the ends of five memberships',
    async () => (await readFeed(gateway, { types, site_id: String(site) })).events,
    (events) => {
      for (const { data } of events) see('ending', String(data['reason']))
      return events.length >= 5
    },
  )
}
