import { randomBytes } from 'node:crypto'
import { OUTCOMES, outcomeOf } from './outcome.mjs'

/** Prices come from the shop, never from its page. */
export const PRICE = { amount: '24.00', currency: 'EUR' }

const BASKET_LIMIT = 1000
/** API_RESPONSE of step 1 for an account without 3-D Secure. */
const NOT_SET_UP = '104'
/** SERVICE_RESPONSE: another payment has the reference, so its outcome decides. */
const OTHER_CONTENT = '685'

/**
 * The baskets of the shop and their states. A real shop keeps them in its database, and stores
 * state and reference before each call: after a crash it asks for the reference.
 *
 * open -> asking -> paid | open again | unknown | challenge -> paid | open again | unknown
 */
export function createCheckout({ client, returnUrl }) {
  const baskets = new Map()
  let lastNumber = Date.now()

  /** @param saved the card that paid an earlier basket of the customer, or null */
  function newBasket(saved) {
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
      saved,
      // The Accept header of the browser's request for the page.
      acceptHeader: '',
      ddcReference: null,
      // Token or ids of the card; never its number. The final call names them again.
      card: null,
      challenge: null,
      returned: null,
      finishing: null,
      paidWith: null,
    }
    baskets.set(basket.key, basket)
    return basket
  }

  /** Step 1: returns where the browser data are collected. Null: pay without 3-D Secure. */
  async function begin(basket, card) {
    const { cardToken, customerId, paymentMethodId } = card
    const named = { cardToken, customerId, paymentMethodId }
    const session = await client.threeDsSession({ ...named, currency: PRICE.currency })
    if (session.collection === null && session.api.code !== NOT_SET_UP) {
      throw new Error(`No 3-D Secure: ${session.api.code} ${session.api.advice}`)
    }
    basket.ddcReference = session.ddcReference
    return session.collection
  }

  /**
   * Step 3: pays, or starts the challenge that the issuer requires. One call for one attempt: the
   * client repeats it under the same reference while in doubt.
   */
  async function pay(basket, card, browser, window) {
    if (basket.state === 'unknown') return lookAgain(basket)
    if (basket.state !== 'open') return // A second click, or another tab.
    end(basket, 'asking', OUTCOMES.asking)
    try {
      if (basket.ddcReference === null) await begin(basket, card)
    } catch (error) {
      // Step 1 charges nothing.
      log(basket, error.message)
      return end(basket, 'open', OUTCOMES.failed)
    }
    const { ddcReference } = basket
    basket.ddcReference = null // Valid for one payment.
    const enrolment = { ddcReference, returnUrl: returnUrl(basket.key), browser, window }
    try {
      const answer = await client.pay({
        ...requestOf(basket, card),
        // An account without 3-D Secure has no reference, and pays without it.
        ...(ddcReference !== '' && { threeDs: enrolment }),
      })
      if (ddcReference !== '' && answer.approved && answer.threeDs === null) {
        log(basket, 'paid without 3-D Secure')
      }
      const challenge = answer.threeDs?.challenge ?? null
      if (answer.status !== 'PENDING' || challenge === null) return await conclude(basket, answer)
      // Stored before the customer sees the challenge: the return may be faster than our answer.
      end(basket, 'challenge', OUTCOMES.challenge)
      Object.assign(basket, { card, challenge: { ...challenge, window } })
    } catch (error) {
      doubt(basket, error)
    }
  }

  /**
   * Step 5: the final call, once however often the customer returns. It names the token of step 3
   * again, and the bank gets the security code that waits for it at the gateway.
   */
  async function finish(basket, returned, after = 'returned') {
    // The return belongs to another attempt, or to none.
    if (basket.state !== 'challenge') return
    if (returned.transactionId !== basket.challenge.transactionId) return
    basket.returned ??= { threeDs: returned, after }
    basket.finishing ??= askForResult(basket)
    await basket.finishing
  }

  async function askForResult(basket) {
    const { card, returned } = basket
    try {
      const answer = await client.pay({ ...requestOf(basket, card), threeDs: returned.threeDs })
      await conclude(basket, answer, returned.after)
    } catch (error) {
      doubt(basket, error)
    }
  }

  /** The customer closed the challenge. The final call ends the attempt, so another one is safe. */
  async function giveUp(basket) {
    if (basket.state !== 'challenge') return
    const { transactionId } = basket.challenge
    await finish(basket, { transactionId, response: '' }, 'closed')
  }

  async function conclude(basket, answer, after = null) {
    basket.orderId = answer.orderId
    if (answer.status === '')
      log(basket, `refused: ${JSON.stringify([answer.api, answer.service])}`)
    if (answer.approved) {
      basket.paidWith = savedCardOf(answer)
      end(basket, 'paid', outcomeOf(answer, after))
    } else if (answer.status === 'RUNNING') end(basket, 'unknown', OUTCOMES.unknown)
    else if (answer.service.code === OTHER_CONTENT) {
      end(basket, 'unknown', OUTCOMES.unknown)
      basket.returned = null
      await lookAgain(basket)
    } else {
      // The attempt is over. The next one is not its repeat, so it needs a reference of its own.
      if (answer.status !== '') basket.attempt += 1
      end(basket, 'open', outcomeOf(answer, after))
    }
  }

  /**
   * Only `accepted: 'no'` is certain. After any other error the customer must not pay again. A
   * payment that waits for its final call is not over either: the call can be repeated.
   */
  function doubt(basket, error) {
    log(basket, error.message)
    const isOver = error.accepted === 'no' && basket.returned === null
    if (isOver) end(basket, 'open', OUTCOMES.failed)
    else end(basket, 'unknown', OUTCOMES.unknown)
  }

  /** An event of the gateway ends a doubt before the customer asks. */
  async function hear({ data, type }) {
    const basket = [...baskets.values()].find((each) => referenceOf(each) === data.xtl_order_id)
    if (basket === undefined) return
    log(basket, type)
    await lookAgain(basket)
  }

  /** Reads the outcome of a payment whose answer was lost. */
  async function lookAgain(basket) {
    if (basket.state !== 'unknown') return
    try {
      const status = await client.status({ orderReference: referenceOf(basket) })
      const payments = status.found ? status.events : []
      const has = (name) => payments.some((event) => event.TRANS_STATUS_NAME === name)
      if (has('APPROVED')) end(basket, 'paid', OUTCOMES.approved)
      else if (has('RUNNING')) return
      // The final call did not arrive, or its answer was lost: its repeat moves nothing twice.
      else if (basket.returned !== null) await askForResult(basket)
      // The reference stays the same: should the lost request arrive later, it is a repeat.
      else end(basket, 'open', OUTCOMES.failed)
    } catch (error) {
      log(basket, error.message)
    }
  }

  function end(basket, state, outcome) {
    Object.assign(basket, { state, outcome, finishing: null })
    if (state === 'unknown') return
    Object.assign(basket, { card: null, challenge: null, returned: null })
  }

  const find = (key) => baskets.get(key)
  return { newBasket, find, begin, pay, finish, giveUp, hear, lookAgain }
}

/** The same in both calls except for the 3-D Secure part. */
function requestOf(basket, card) {
  return { ...PRICE, ...card, orderReference: referenceOf(basket) }
}

/** The gateway's ids of the card, and words that the customer knows it by. */
function savedCardOf({ cardBrand, customerId, last4, paymentMethodId }) {
  return { customerId, paymentMethodId, words: `${cardBrand} ending in ${last4}` }
}

function referenceOf({ number, attempt }) {
  return `${number}-${attempt}`
}

function log({ number }, message) {
  process.stderr.write(`${number}: ${message}\n`)
}
