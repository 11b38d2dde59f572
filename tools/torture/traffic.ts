import type { Transaction } from '@tollgate/client'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { hear, type AnswerBook, type Heard } from './answer-book.ts'
import type { Chance } from './chance.ts'
import {
  CARDS,
  CARD_WITH_ADDRESS,
  DISPUTED,
  EXPIRY,
  keyed,
  MOVES,
  type Adjustment,
  type Move,
} from './moves.ts'
import { pause, sendUntilHeard, type Asked } from './repeated-request.ts'

const CREDENTIALS = { username: 'demo@tollgate.test', password: 'Sandbox-4.14-demo' } as const
const SITE = 1001
/** The demo site that may send unreferenced credits. */
const SITE_WITH_UNREFERENCED_CREDITS = 1003

/** A client of the gateway gives up after this. */
const PATIENCE_MS = 15_000
/** After an answer that says that something is away, so that it is not asked in a circle. */
const PAUSE_MS = 60
const ORDERS_KEPT = 60

interface KnownOrder {
  readonly orderId: string
  readonly minor: number
}

export interface TrafficOptions {
  readonly baseUrls: readonly string[]
  /** False for a worker that would not answer. */
  readonly isReady: (worker: number) => boolean
  readonly clients: number
  readonly chance: Chance
  readonly book: AnswerBook
  /** Distinguishes the references of two runs over one database. */
  readonly prefix: string
}

export interface Traffic {
  /** Makes no new requests, and waits for the answers to those that are out. */
  stop(): Promise<void>
}

/** Shops that pay, capture, refund and void at once, and record the answers. */
export function startTraffic(options: TrafficOptions): Traffic {
  let stopped = false
  const shared: KnownOrder[] = []
  const running = Array.from({ length: options.clients }, (_, number) =>
    trade(options, number, shared, () => stopped),
  )
  return {
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}

async function trade(
  options: TrafficOptions,
  number: number,
  shared: KnownOrder[],
  isStopped: () => boolean,
): Promise<void> {
  const { baseUrls, book, prefix } = options
  const chance = options.chance.branch(`client ${number}`)
  const clients = (siteId: number): SingleRequestClient[] =>
    baseUrls.map((baseUrl) =>
      createSingleRequestClient({ baseUrl, ...CREDENTIALS, siteId, timeoutMs: PATIENCE_MS }),
    )
  const shops = clients(SITE)
  const lenders = clients(SITE_WITH_UNREFERENCED_CREDITS)
  const own: KnownOrder[] = []
  const customers: string[] = []
  let references = 0
  const newReference = (): string => `${prefix}-${number}-${(references += 1)}`

  /** A worker that is up, as a load balancer would choose, once there is one. */
  const chooseWorker = async (): Promise<number> => {
    for (;;) {
      const up = baseUrls.map((_, at) => at).filter(options.isReady)
      if (up.length > 0) return chance.pick(up)
      await pause(PAUSE_MS)
    }
  }
  const ask = async (
    what: Asked,
    call: (client: SingleRequestClient) => Promise<Transaction>,
    from = shops,
  ): Promise<{ heard: Heard; transaction: Transaction | null }> => {
    const worker = await chooseWorker()
    const client = from[worker]
    if (client === undefined) throw new Error('There is no such worker.')
    const atMs = book.now()
    const answer = await hear(call(client))
    const { action, reference = '', orderId = '', key = '', replay = false } = what
    book.add({
      atMs,
      client: number,
      worker,
      action,
      reference,
      orderId,
      key,
      replay,
      heard: answer.heard,
    })
    const { heard } = answer
    const isAway =
      heard.kind === 'nothing' || (heard.kind === 'answer' && heard.status === 'FAILED')
    if (isAway || (heard.kind === 'refused' && heard.code === 'HTTP')) await pause(PAUSE_MS)
    return answer
  }
  const pay = async (
    action: 'authorize' | 'sale',
    request: PaymentDetails,
    reference = newReference(),
    key = '',
  ): Promise<Heard> => {
    const replay = request.duplicates === 'replay' || key !== ''
    const sent = { ...request, orderReference: reference, ...keyed(key) }
    const { heard, transaction } = await ask({ action, reference, key, replay }, (client) =>
      client[action](sent),
    )
    if (heard.kind === 'answer' && heard.status === 'APPROVED') {
      const order = { orderId: heard.orderId, minor: Number(heard.valueMinor) }
      for (const list of [own, shared]) {
        list.push(order)
        if (list.length > ORDERS_KEPT) list.shift()
      }
      if (transaction !== null && customers.length < 20) customers.push(transaction.customerId)
    }
    return heard
  }
  /** Under a key at times: then sent twice at once, or again until there is an answer. */
  const payForSure = async (
    action: 'authorize' | 'sale',
    request: PaymentDetails,
  ): Promise<unknown> => {
    if (chance.happens(0.7)) return pay(action, request)
    const [reference, key] = [newReference(), newReference()]
    const send = (): Promise<Heard> => pay(action, request, reference, key)
    return sendUntilHeard(send, chance.happens(0.3), isStopped)
  }
  const amount = (): string => (chance.between(1_000, 60_000) / 100).toFixed(2)
  const card = (): PaymentDetails => ({
    cardNumber: chance.pick(CARDS),
    expiry: EXPIRY,
    amount: amount(),
  })
  const adjust = async (action: Adjustment, { orderId, minor }: KnownOrder): Promise<void> => {
    const mayBeWhole = action === 'void' || action === 'captureVoid'
    const whole = mayBeWhole && chance.happens(0.5)
    // More than is left at times: it must be refused, with any other work under way.
    const part = Math.max(1, Math.floor(minor * (0.1 + chance.next() * 0.7)))
    const sent = whole ? { orderId } : { orderId, amount: (part / 100).toFixed(2) }
    if (chance.happens(0.4)) {
      return void (await ask({ action, orderId }, (client) => client[action](sent)))
    }
    const key = newReference()
    const request = { ...sent, more: { IDEMPOTENCY_KEY: key } }
    const send = async (): Promise<Heard> =>
      (await ask({ action, orderId, key }, (client) => client[action](request))).heard
    await sendUntilHeard(send, chance.happens(0.2), isStopped)
  }
  const someOrder = (): KnownOrder | null => {
    const from = chance.happens(0.3) ? shared : own
    return from.length === 0 ? null : chance.pick(from)
  }
  const adjustSome = async (action: Adjustment): Promise<void> => {
    const order = someOrder()
    if (order === null) await pay('authorize', card())
    else await adjust(action, order)
  }
  /** The same payment more than once, at once and again until there is an answer. */
  const replay = async (): Promise<void> => {
    const request: PaymentDetails = { ...card(), duplicates: 'replay' }
    const action = chance.pick(['authorize', 'sale'] as const)
    const reference = newReference()
    const key = chance.happens(0.3) ? newReference() : ''
    const send = (): Promise<Heard> => pay(action, request, reference, key)
    await sendUntilHeard(send, chance.happens(0.5), isStopped)
  }

  const moves: Readonly<Record<Move, () => Promise<unknown>>> = {
    authorize: () => payForSure('authorize', card()),
    sale: () => payForSure('sale', card()),
    saleWithSavedCard: () => {
      if (customers.length === 0) return pay('sale', card())
      const customerId = chance.pick(customers)
      return payForSure('sale', { customerId, amount: amount(), initiator: 'merchant' })
    },
    replay,
    partialSale: () => pay('sale', { ...card(), amount: '6.60', partial: {} }),
    declinedSale: () =>
      payForSure('sale', { ...card(), amount: chance.pick(['5.05', '6.35', '6.00']) }),
    disputedSale: () => payForSure('sale', { ...card(), amount: chance.pick(DISPUTED) }),
    refusedAddress: () =>
      pay('sale', {
        ...card(),
        cardNumber: CARD_WITH_ADDRESS,
        billing: { street: '1 Nowhere', postalCode: '9' },
        avs: { mode: 'T' },
      }),
    unreferencedCredit: () => {
      const reference = newReference()
      const key = chance.happens(0.6) ? newReference() : ''
      const more = { REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1', ...keyed(key).more }
      const request = { ...card(), orderReference: reference, more }
      const what = { action: 'unreferencedCredit', reference, key, replay: key !== '' }
      const send = async (): Promise<Heard> =>
        (await ask(what, (client) => client.sale(request), lenders)).heard
      return key === '' ? send() : sendUntilHeard(send, chance.happens(0.3), isStopped)
    },
    capture: () => adjustSome('capture'),
    refund: () => adjustSome('refund'),
    void: () => adjustSome('void'),
    captureVoid: () => adjustSome('captureVoid'),
    async race() {
      const order = someOrder()
      if (order === null) return
      const kinds = ['capture', 'capture', 'refund', 'void', 'captureVoid'] as const
      const count = chance.between(2, 4)
      await Promise.all(Array.from({ length: count }, () => adjust(chance.pick(kinds), order)))
    },
    async status() {
      const order = someOrder()
      if (order === null) return
      const shop = shops[await chooseWorker()]
      await shop?.status({ orderId: order.orderId }).catch(() => undefined)
    },
  }
  while (!isStopped()) {
    // A turn for all others, also where a move had nothing to do.
    await new Promise((resolve) => setImmediate(resolve))
    await moves[chance.weighted(MOVES)]()
  }
}
