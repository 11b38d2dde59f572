import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertBooksAreClean, recon } from '../support/books.ts'
import { comingYear } from '../support/dates.ts'
import { ask, codes, sale } from '../support/memberships.ts'
import { untilNoAdviceIsQueued } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'

const DAY_MS = 86_400_000
const MEMBERS = 200
const BEGIN = Date.UTC(comingYear(2031), 0, 1, 9, 30)
/** Those who came first and pay by the year have renewed. */
const END = Date.UTC(comingYear(2031) + 1, 0, 10)

interface Plan {
  readonly name: string
  readonly type: '1' | '2'
  readonly metric: 'D' | 'M' | 'Y'
  readonly length: number
  readonly minor: number
}

const MONTHLY: Plan = { name: 'Monthly', type: '2', metric: 'M', length: 1, minor: 1_995 }
const QUARTERLY: Plan = { name: 'Quarterly', type: '2', metric: 'M', length: 3, minor: 4_500 }
const PLANS: readonly Plan[] = [
  MONTHLY,
  { name: 'Weekly', type: '2', metric: 'D', length: 7, minor: 250 },
  QUARTERLY,
  { name: 'Thirty days', type: '2', metric: 'D', length: 30, minor: 999 },
  { name: 'Yearly', type: '2', metric: 'Y', length: 1, minor: 9_900 },
  { name: 'Half a year', type: '1', metric: 'M', length: 6, minor: 6_000 },
]

const GOOD = '4111111111111111'
/** The bank's answers to their renewals, by the numbers of its test cards. */
const LOST = '4012889000000418'
const AWAY = '4012889000000913'
const CLOSED = '4012889000001036'
const RENEWED = '4012889000001028'
const WAITS_SIX_DAYS = '5200829000004282'

interface Charge {
  readonly at: number
  readonly outcome: 'approved' | 'declined'
  readonly minor: number
}

interface Member {
  readonly plan: Plan
  readonly joined: number
  readonly card: string
  /** A later request of the member: the action's parameters. */
  readonly request: {
    readonly at: number
    readonly form: 'cancel now' | 'cancel later' | 'new card' | 'quarterly'
  } | null
  readonly charges: readonly Charge[]
  readonly state: string
}

/**
 * The beginning of a period, worked out without the gateway's calendar: month by month, on paper.
 */
function begins(joined: number, { metric, length }: Plan, period: number): number {
  if (metric === 'D') return joined + period * length * DAY_MS
  const from = new Date(joined)
  const months = from.getUTCMonth() + period * length * (metric === 'Y' ? 12 : 1)
  const [year, month] = [from.getUTCFullYear() + Math.floor(months / 12), months % 12]
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? NaN
  return Date.UTC(year, month, Math.min(from.getUTCDate(), days)) + (joined % DAY_MS)
}

/** Paid renewals from a period on that begin before `until`. */
function paid(joined: number, plan: Plan, first = 1, until = END): Charge[] {
  const charges: Charge[] = []
  for (let period = first; ; period += 1) {
    const at = begins(joined, plan, period)
    if (at > Math.min(until, END)) return charges
    charges.push({ at, outcome: 'approved', minor: plan.minor })
  }
}

/** A member with the expected charges and the expected state, by the member's number. */
function member(number: number): Member {
  const plan = PLANS[number % PLANS.length] ?? MONTHLY
  const joined = BEGIN + number * 1.5 * DAY_MS + number * 61_000
  const first = begins(joined, plan, 1)
  const declined = (...days: number[]): Charge[] =>
    days
      .map((day) => ({ at: first + day * DAY_MS, outcome: 'declined' as const, minor: plan.minor }))
      .filter(({ at }) => at <= END)
  const over = (days: number): string =>
    first + days * DAY_MS <= END ? 'cancelled' : first <= END ? 'past_due' : 'active'
  const usual = {
    plan,
    joined,
    card: GOOD,
    request: null,
    charges: paid(joined, plan),
    state: 'active',
  }
  const rescued = (card: string, days: readonly number[], onDay: number): Member => {
    const at = first + onDay * DAY_MS
    if (at > END) return { ...usual, card, charges: declined(...days), state: over(7) }
    const late: Charge = { at, outcome: 'approved', minor: plan.minor }
    return {
      ...usual,
      card,
      request: { at, form: 'new card' },
      charges: [...declined(...days), late, ...paid(joined, plan, 2)],
    }
  }
  // Between the second renewal and the third.
  const later = begins(joined, plan, 2) + 2.25 * DAY_MS
  if (plan.type === '1') return { ...usual, charges: [], state: first <= END ? 'ended' : 'active' }
  switch (number % 11) {
    case 0:
      return later > END
        ? usual
        : {
            ...usual,
            request: { at: later, form: 'cancel now' },
            charges: paid(joined, plan, 1, later),
            state: 'cancelled',
          }
    case 1: {
      if (later > END) return usual
      const state = begins(joined, plan, 3) <= END ? 'cancelled' : 'cancel_scheduled'
      return {
        ...usual,
        request: { at: later, form: 'cancel later' },
        charges: paid(joined, plan, 1, later),
        state,
      }
    }
    case 2:
      return { ...usual, card: LOST, charges: declined(0), state: over(7) }
    case 3:
      return rescued(LOST, [0], 2.5)
    case 5:
      return { ...usual, card: AWAY, charges: declined(0, 1, 3, 5, 7), state: over(7) }
    case 6:
      return rescued(AWAY, [0, 1, 3], 4.5)
    case 7:
      return { ...usual, card: WAITS_SIX_DAYS, charges: declined(0, 6, 12), state: over(12) }
    case 8:
      return { ...usual, card: CLOSED, charges: declined(0), state: over(0) }
    case 9:
      return { ...usual, card: RENEWED }
    case 10: {
      if (plan !== MONTHLY || later > END) return usual
      const turn = begins(joined, plan, 3)
      const charges = [...paid(joined, plan, 1, later), ...paid(turn, QUARTERLY, 0)]
      return { ...usual, request: { at: later, form: 'quarterly' }, charges }
    }
    default:
      return usual
  }
}

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway({ REQUEST_RATE_LIMIT: '0' })
})
after(() => gateway.stop())

const decimal = (minor: number): string => (minor / 100).toFixed(2)

async function accepted(form: Parameters<typeof ask>[1]): ReturnType<typeof ask> {
  const answer = await ask(gateway, form)
  assert.match(codes(answer), /^(APPROVED 0\/100|- 0\/0|- 0\/102)$/)
  return answer
}

const join = ({ plan, card }: Member): ReturnType<typeof ask> =>
  accepted(
    sale({
      PMT_NUMB: card,
      LI_VALUE_1: decimal(plan.minor),
      PROD_NAME: plan.name,
      PROD_TYPE: plan.type,
      PROD_REBILL_METRIC: plan.metric,
      PROD_REBILL_PERIOD: String(plan.length),
    }),
  )

async function act(
  form: NonNullable<Member['request']>['form'],
  id: string,
  customer: string,
  products: Map<string, string>,
): Promise<void> {
  const change = { REQUEST_ACTION: 'SUB_UPDATE', REQUEST_REF_MBSHP_ID: id }
  switch (form) {
    case 'cancel now':
    case 'cancel later': {
      const type = form === 'cancel now' ? '1' : '2'
      await accepted({
        REQUEST_ACTION: 'SUB_CANCEL',
        REQUEST_REF_MBSHP_ID: id,
        SUB_CANCEL_TYPE: type,
      })
      return
    }
    case 'new card': {
      const saved = await accepted(
        sale({
          REQUEST_ACTION: 'CCAUTHORIZE',
          LI_VALUE_1: '0.00',
          CUST_ID: customer,
          PMT_NUMB: GOOD,
        }),
      )
      await accepted({ ...change, SUB_UPDATE_PMT_ID: saved['PMT_ID'] ?? '' })
      return
    }
    case 'quarterly':
      await accepted({ ...change, SUB_UPDATE_PROD_ID: products.get(QUARTERLY.name) ?? '' })
  }
}

test('a year of a merchant with 200 members is charged as worked out on paper, and all books agree', async () => {
  const members = Array.from({ length: MEMBERS }, (_, number) => member(number))
  const ids = new Map<Member, { id: string; customer: string }>()
  const products = new Map<string, string>()
  const happens = members.flatMap((each) => [
    { at: each.joined, each, form: null },
    ...(each.request === null ? [] : [{ at: each.request.at, each, form: each.request.form }]),
  ])

  await clock(gateway, 'stop')
  for (const { at, each, form } of happens.toSorted((one, other) => one.at - other.at)) {
    const to = new Date(at).toISOString()
    assert.equal((await clock(gateway, 'jump', { to })).time, to)
    if (form === null) {
      const joined = await join(each)
      products.set(each.plan.name, joined['PO_LI_PROD_ID_1'] ?? '')
      ids.set(each, { id: joined['MBSHP_ID_1'] ?? '', customer: joined['CUST_ID'] ?? '' })
    } else {
      const { id = '', customer = '' } = ids.get(each) ?? {}
      await act(form, id, customer, products)
    }
  }
  const end = new Date(END).toISOString()
  assert.equal((await clock(gateway, 'jump', { to: end })).time, end)
  await untilNoAdviceIsQueued(gateway)

  const { rows } = await gateway.pool.query<{
    id: string
    state: string
    charges: Charge[] | null
  }>(
    `select m.id, m.state,
            (select json_agg(json_build_object('at', (extract(epoch from c.at) * 1000)::bigint, 'outcome', c.outcome,
                                               'minor', c.amount_minor) order by c.at)
               from membership_charges c where c.membership_id = m.id) as charges
       from memberships m`,
  )
  assert.equal(rows.length, MEMBERS)
  const found = new Map(
    rows.map(({ id, state, charges }) => [id, { state, charges: charges ?? [] }]),
  )
  for (const [number, each] of members.entries()) {
    const { plan, charges, state } = each
    assert.deepEqual(
      found.get(ids.get(each)?.id ?? ''),
      { state, charges: [...charges] },
      `member ${number}, ${plan.name}`,
    )
  }
  const renewals = members.flatMap(({ charges }) => charges)
  for (const outcome of ['approved', 'declined'])
    assert.ok(renewals.some((each) => each.outcome === outcome))

  await assertBooksAreClean(gateway)
  const { totals } = await recon(gateway)
  const owed = [
    ...members.map(({ plan }) => plan.minor),
    ...renewals.filter(({ outcome }) => outcome === 'approved').map(({ minor }) => minor),
  ]
  const captured = BigInt(owed.reduce((sum, minor) => sum + minor, 0))
  assert.deepEqual(
    totals.map(({ currency, bank, ledger }) => [
      currency,
      bank.capturedMinor,
      ledger.capturedMinor,
    ]),
    [['USD', captured, captured]],
  )
})
