import { ClientError, type Transaction } from '@tollgate/client'
import type { SingleRequestClient } from '../../packages/client/src/single-requests.ts'
import type { Chance } from '../torture/chance.ts'
import {
  badCard,
  billing,
  goodCard,
  partOf,
  price,
  securityCode,
  sampleCustomer,
  withLines,
} from './customers.ts'
import type { SampleSite } from './sample-merchant.ts'

const EXPIRY = '122049'
const DAY_MS = 86_400_000
/** The share of customers who come back. */
const REGULARS = 400

/** Something that is done to an order later on, by the site's clock. */
export interface FollowUp {
  readonly at: number
  run(): Promise<unknown>
}

/** A site that sells; it remembers its sales and their customers for a while. */
export interface Seller {
  /** One order, or none where the gateway refuses it. */
  sell(reference: string, now: number): Promise<void>
  /**
   * Before a moment's orders: makes the due follow-ups, and knows the customers of the moment
   * before.
   */
  followUp(now: number): Promise<void>
}

interface Regular {
  readonly customerId: string
  readonly currency: string
}

/** Sells by `chance`, so that two runs with one seed send the same requests. */
export function createSeller(
  site: SampleSite,
  clients: readonly SingleRequestClient[],
  all: Chance,
): Seller {
  const followUps: FollowUp[] = []
  const regulars: Regular[] = []
  const newcomers: (Regular & { readonly reference: string })[] = []

  const ways = {
    sale: 66,
    savedCard: 12,
    authorization: 11,
    declined: 7,
    cardCheck: 1.6,
    membership: 0.5,
    failingMembership: 0.1,
    twice: 0.8,
    unreferencedCredit: 0.4,
    rebill: 0.6,
  }

  async function sell(reference: string, now: number): Promise<void> {
    // Of its own, so that it does not matter which of the orders of a moment is answered first.
    const chance = all.branch(reference)
    const way = chance.weighted(ways)
    const client = chance.pick(clients)
    const currency = chance.pick([
      site.currencies[0] ?? 'USD',
      site.currencies[0] ?? 'USD',
      ...site.currencies,
    ])
    const amount = price(chance, currency)
    const card =
      way === 'declined'
        ? badCard(chance)
        : way === 'failingMembership'
          ? '4012889000000517'
          : goodCard(chance)
    const person = sampleCustomer(chance)
    const payment = {
      cardNumber: card,
      expiry: EXPIRY,
      securityCode: securityCode(chance, card),
      amount,
      currency,
      orderReference: reference,
      customer: person,
      billing: billing(chance),
      // A few override the rules of the site: their results are reported, not judged.
      ...(chance.happens(0.05) ? REPORT_ONLY : {}),
    } as const
    const fate = chance.next()
    const share = 0.2 + chance.next() * 0.7
    const after = now + chance.between(1, 6 * 24) * 3_600_000
    const known = regulars.length === 0 ? null : chance.pick(regulars)

    switch (way) {
      case 'sale':
      case 'declined': {
        const sold = await taken(() => client.sale(withLines(payment, share)))
        if (fate < 0.5) remember(sold, currency, reference)
        refundMaybe(client, sold, amount, fate, share, after)
        break
      }
      case 'savedCard':
      case 'rebill': {
        const merchant = way === 'rebill' ? ({ initiator: 'merchant' } as const) : {}
        const sold = await taken(() =>
          known === null
            ? client.sale(payment)
            : client.sale({
                customerId: known.customerId,
                amount: price(chance, known.currency),
                currency: known.currency,
                orderReference: reference,
                ...merchant,
              }),
        )
        if (known === null) remember(sold, currency, reference)
        break
      }
      case 'authorization': {
        const held = await taken(() => client.authorize(payment))
        if (held === null || held.status !== 'APPROVED') break
        const order = { orderId: held.orderId }
        // Captured whole, in part, in two parts, voided, or left to expire.
        if (fate < 0.55) later(after, () => client.capture({ ...order, amount }))
        else if (fate < 0.72)
          later(after, () => client.capture({ ...order, amount: partOf(amount, share) }))
        else if (fate < 0.8) {
          later(after, () => client.capture({ ...order, amount: partOf(amount, 0.4) }))
          later(after + DAY_MS / 2, () => client.capture({ ...order, amount: partOf(amount, 0.4) }))
        } else if (fate < 0.92) later(after, () => client.void(order))
        break
      }
      case 'cardCheck':
        remember(
          await taken(() =>
            client.authorize({ ...payment, amount: currency === 'JPY' ? '0' : '0.00' }),
          ),
          currency,
          reference,
        )
        break
      case 'membership':
      case 'failingMembership':
        await taken(() =>
          client.sale({
            ...payment,
            amount: PLAN_PRICES[currency] ?? '9.90',
            more: {
              PROD_NAME: 'Harbour Club',
              PROD_TYPE: '2',
              PROD_REBILL_METRIC: 'M',
              PROD_REBILL_PERIOD: '1',
            },
          }),
        )
        break
      case 'twice':
        await taken(() => client.sale({ ...payment, duplicates: 'refuse' }))
        await taken(() => client.sale({ ...payment, duplicates: 'refuse' }))
        break
      case 'unreferencedCredit':
        await taken(() =>
          client.raw({
            REQUEST_ACTION: 'CCCREDIT',
            FORCE_CREDIT: '1',
            PMT_NUMB: card,
            PMT_EXPIRY: EXPIRY,
            LI_VALUE_1: amount,
            REQUEST_CURRENCY: currency,
            XTL_ORDER_ID: reference,
            CUST_FNAME: person.firstName,
            CUST_LNAME: person.lastName,
          }),
        )
        break
    }
  }

  function refundMaybe(
    client: SingleRequestClient,
    sold: Transaction | null,
    amount: string,
    fate: number,
    share: number,
    after: number,
  ): void {
    if (sold === null || sold.status !== 'APPROVED') return
    const order = { orderId: sold.orderId }
    if (fate > 0.985) later(after, () => client.refund({ ...order, amount }))
    else if (fate > 0.955)
      later(after, () => client.refund({ ...order, amount: partOf(amount, share) }))
    else if (fate > 0.945) later(after, () => client.void(order))
  }

  function remember(sold: Transaction | null, currency: string, reference: string): void {
    if (sold?.status === 'APPROVED')
      newcomers.push({ customerId: sold.customerId, currency, reference })
  }

  function later(at: number, run: () => Promise<unknown>): void {
    followUps.push({ at, run: () => taken(run) })
  }

  return {
    sell,
    async followUp(now) {
      regulars.push(
        ...newcomers
          .splice(0)
          .toSorted((left, right) => (left.reference < right.reference ? -1 : 1)),
      )
      regulars.splice(0, regulars.length - REGULARS)
      const due = followUps.filter(({ at }) => at <= now)
      for (const one of due) followUps.splice(followUps.indexOf(one), 1)
      await Promise.all(due.map(({ run }) => run()))
    },
  }
}

/** CHKAVS and CHKCVV. */
const REPORT_ONLY = { avs: { mode: 'I' }, cvv: { mode: 'I' } } as const

const PLAN_PRICES: Readonly<Record<string, string>> = { JPY: '980', KWD: '2.900' }

/** Retried when the gateway accepted nothing; null when the outcome is unknown. */
async function taken<Answer>(send: () => Promise<Answer>): Promise<Answer | null> {
  for (let tries = 0; tries < 40; tries += 1) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      if (error.accepted === 'unknown') return null
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
  throw new Error('The gateway takes no requests. Is it overloaded?')
}
