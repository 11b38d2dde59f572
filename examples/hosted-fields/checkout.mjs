import { randomBytes } from 'node:crypto'
import { OUTCOMES, outcomeOf } from './outcome.mjs'

/** Prices come from the shop, never from its page. */
export const PRICE = { amount: '24.00', currency: 'EUR' }

const BASKET_LIMIT = 1000
/** SERVICE_RESPONSE: another payment has the reference, so its outcome decides. */
const OTHER_CONTENT = '685'

/**
 * The baskets of the shop and their states. A real shop keeps them in its database, and stores
 * state and reference before each call: after a crash it asks for the reference.
 *
 * open -> asking -> paid | open again | unknown -> paid | open again
 */
export function createCheckout({ client }) {
  const baskets = new Map()
  let lastNumber = Date.now()

  function newBasket() {
    const [oldest] = baskets.keys()
    if (baskets.size >= BASKET_LIMIT) baskets.delete(oldest)
    const basket = {
      // The key gives access to the basket.
      key: randomBytes(24).toString('hex'),
      number: `teapot-${(lastNumber += 1)}`,
      attempt: 1,
      state: 'open',
      orderId: '',
      outcome: null,
    }
    baskets.set(basket.key, basket)
    return basket
  }

  /** One call for one attempt: the client repeats it under the same reference while in doubt. */
  async function pay(basket, card) {
    if (basket.state === 'unknown') return lookAgain(basket)
    if (basket.state !== 'open') return // A second click, or another tab.
    end(basket, 'asking', OUTCOMES.asking)
    try {
      const orderReference = referenceOf(basket)
      await conclude(basket, await client.pay({ ...PRICE, ...card, orderReference }))
    } catch (error) {
      doubt(basket, error)
    }
  }

  async function conclude(basket, answer) {
    basket.orderId = answer.orderId
    if (answer.status === '')
      log(basket, `refused: ${JSON.stringify([answer.api, answer.service])}`)
    if (answer.approved) end(basket, 'paid', OUTCOMES.approved)
    else if (answer.status === 'RUNNING') end(basket, 'unknown', OUTCOMES.unknown)
    else if (answer.service.code === OTHER_CONTENT) {
      end(basket, 'unknown', OUTCOMES.unknown)
      await lookAgain(basket)
    } else {
      // The attempt is over. The next one is not its repeat, so it needs a reference of its own.
      if (answer.status !== '') basket.attempt += 1
      end(basket, 'open', outcomeOf(answer))
    }
  }

  /** Only `accepted: 'no'` is certain. After any other error the customer must not pay again. */
  function doubt(basket, error) {
    log(basket, error.message)
    if (error.accepted === 'no') end(basket, 'open', OUTCOMES.failed)
    else end(basket, 'unknown', OUTCOMES.unknown)
  }

  /** Reads the outcome of a payment whose answer was lost. */
  async function lookAgain(basket) {
    if (basket.state !== 'unknown') return
    try {
      const status = await client.status({ orderReference: referenceOf(basket) })
      const payments = status.found ? status.events : []
      const has = (name) => payments.some((event) => event.TRANS_STATUS_NAME === name)
      if (has('APPROVED')) end(basket, 'paid', OUTCOMES.approved)
      // The reference stays the same: should the lost request arrive later, it is a repeat.
      else if (!has('RUNNING')) end(basket, 'open', OUTCOMES.failed)
    } catch (error) {
      log(basket, error.message)
    }
  }

  function end(basket, state, outcome) {
    Object.assign(basket, { state, outcome })
  }

  return { newBasket, find: (key) => baskets.get(key), pay, lookAgain }
}

function referenceOf({ number, attempt }) {
  return `${number}-${attempt}`
}

function log({ number }, message) {
  process.stderr.write(`${number}: ${message}\n`)
}
