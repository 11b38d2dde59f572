import { randomBytes } from 'node:crypto'
import { outcomeOf, OUTCOMES } from './outcome.mjs'

/** Prices come from the shop, never from its page. */
export const PRICE = { amount: '24.00', currency: 'USD' }

/** The issuer gives the customer ten minutes per page; no card is kept longer than this. */
const CARD_KEPT_MS = 15 * 60_000
const ORDER_LIMIT = 1000
/** API_RESPONSE of step 1 for an account without 3-D Secure. */
const NOT_SET_UP = '104'
/** SERVICE_RESPONSE: another payment has the reference, so its outcome decides. */
const OTHER_CONTENT = '685'

/**
 * The orders of the shop and their states during a payment with 3-D Secure. A real shop keeps them
 * in its database, except for the card, and stores state and reference before each call.
 *
 * open -> asking -> paid | open again, refused | unknown | challenge -> paid | open again, refused
 */
export function createCheckout({ client, returnUrl }) {
  const orders = new Map()
  let lastNumber = Date.now()

  function newOrder() {
    const [oldest] = orders.keys()
    if (orders.size >= ORDER_LIMIT) forget(oldest)
    const order = {
      // The key gives access to the order: it is in P3DS_RETURN_URL, where browsers send no cookie.
      key: randomBytes(24).toString('base64url'),
      number: `teapot-${(lastNumber += 1)}`,
      attempt: 1,
      state: 'open',
      outcome: null,
      // The Accept header of the browser's request for the page.
      acceptHeader: '',
      ddcReference: null,
      challenge: null,
      card: null,
      finishing: null,
    }
    orders.set(order.key, order)
    return order
  }

  /** Step 1: returns where the browser data are collected. Null: pay without 3-D Secure. */
  async function begin(order, leadingDigits) {
    const session = await client.threeDsSession({ leadingDigits, currency: PRICE.currency })
    if (session.collection === null && session.api.code !== NOT_SET_UP) {
      throw new Error(`No 3-D Secure: ${session.api.code} ${session.api.advice}`)
    }
    order.ddcReference = session.ddcReference
    return session.collection
  }

  /** Step 3: pays, or starts the challenge that the issuer requires. */
  async function pay(order, card, browser, window) {
    if (order.state === 'unknown') return lookAgain(order)
    if (order.state !== 'open') return // A second click, or another tab.
    order.state = 'asking'
    order.outcome = null
    try {
      if (order.ddcReference === null) await begin(order, card.cardNumber.slice(0, 8))
    } catch (error) {
      // Step 1 charges nothing.
      log(order, error.message)
      return end(order, 'open', OUTCOMES.failed)
    }
    const { ddcReference } = order
    order.ddcReference = null // Valid for one payment.
    try {
      const answer = await client.pay({
        ...requestOf(order, card),
        // An account without 3-D Secure has no reference, and pays without it.
        ...(ddcReference !== '' && {
          threeDs: { ddcReference, returnUrl: returnUrl(order.key), browser, window },
        }),
      })
      // The browser data were incomplete: no error reports it, so the shop logs it.
      if (ddcReference !== '' && answer.approved && answer.threeDs === null) {
        log(order, 'paid without 3-D Secure')
      }
      const challenge = answer.threeDs?.challenge ?? null
      if (answer.status === 'PENDING' && challenge !== null)
        awaitChallenge(order, card, window, challenge)
      else await conclude(order, answer, null)
    } catch (error) {
      doubt(order, error)
    }
  }

  /** Stored before the customer sees the challenge: the return may be faster than our answer. */
  function awaitChallenge(order, card, window, challenge) {
    order.state = 'challenge'
    const waiting = { ...challenge, window }
    order.challenge = waiting
    // The final call needs the card again. It stays in memory for as long as the challenge.
    order.card = card
    setTimeout(() => {
      const isWaiting = order.challenge === waiting && order.finishing === null
      if (isWaiting) endAttempt(order, OUTCOMES.unfinished)
    }, CARD_KEPT_MS).unref()
  }

  /**
   * Step 5: the final call, made once however often the customer returns. The gateway has the result
   * from the issuer; data from the browser decide nothing, and may be empty.
   */
  async function finish(order, { transactionId, response }, after = 'returned') {
    // The return belongs to another attempt, or to none.
    if (order.state !== 'challenge' || transactionId !== order.challenge.transactionId) return
    order.finishing ??= askForResult(order, { transactionId, response }, after)
    await order.finishing
  }

  async function askForResult(order, threeDs, after) {
    try {
      await conclude(order, await client.pay({ ...requestOf(order, order.card), threeDs }), after)
    } catch (error) {
      doubt(order, error)
    }
  }

  /** The customer closed the challenge. The final call ends the attempt, so another one is safe. */
  async function giveUp(order) {
    if (order.state !== 'challenge') return
    await finish(order, { transactionId: order.challenge.transactionId, response: '' }, 'closed')
  }

  /** An event of the gateway ends a doubt before the customer asks. */
  async function hear({ data, type }) {
    const order = [...orders.values()].find((each) => referenceOf(each) === data.xtl_order_id)
    if (order === undefined) return
    log(order, type)
    await lookAgain(order)
  }

  /** Reads the outcome of a payment whose answer was lost. */
  async function lookAgain(order) {
    if (order.state !== 'unknown') return
    try {
      const status = await client.status({ orderReference: referenceOf(order) })
      const payments = status.found ? status.events : []
      const has = (name) => payments.some((event) => event.TRANS_STATUS_NAME === name)
      if (has('APPROVED')) end(order, 'paid', OUTCOMES.approved)
      // The reference stays the same: should the lost request arrive later, it is a repeat.
      else if (!has('RUNNING')) end(order, 'open', OUTCOMES.failed)
    } catch (error) {
      log(order, error.message)
    }
  }

  async function conclude(order, answer, after) {
    if (answer.status === '') log(order, `refused: ${JSON.stringify([answer.api, answer.service])}`)
    if (answer.approved) end(order, 'paid', outcomeOf(answer, after))
    else if (answer.status === 'RUNNING') end(order, 'unknown', OUTCOMES.unknown)
    else if (answer.service.code === OTHER_CONTENT) {
      end(order, 'unknown', OUTCOMES.unknown)
      await lookAgain(order)
    } else if (answer.status === '') end(order, 'open', outcomeOf(answer, after))
    else endAttempt(order, outcomeOf(answer, after))
  }

  /** Only `accepted: 'no'` is certain. After any other error the customer must not pay again. */
  function doubt(order, error) {
    log(order, error.message)
    if (error.accepted === 'no') end(order, 'open', OUTCOMES.failed)
    else end(order, 'unknown', OUTCOMES.unknown)
  }

  /** The attempt is over. The next one is not its repeat, so it needs a reference of its own. */
  function endAttempt(order, outcome) {
    order.attempt += 1
    end(order, 'open', outcome)
  }

  function end(order, state, outcome) {
    Object.assign(order, { state, outcome, challenge: null, card: null, finishing: null })
  }

  function forget(key) {
    const order = orders.get(key)
    if (order !== undefined) order.card = null
    orders.delete(key)
  }

  return { newOrder, find: (key) => orders.get(key), begin, pay, finish, giveUp, hear, lookAgain }
}

/** The same in both calls except for the 3-D Secure part. */
function requestOf(order, { cardNumber, expiry, securityCode }) {
  return {
    ...PRICE,
    cardNumber,
    expiry,
    securityCode,
    orderReference: referenceOf(order),
  }
}

/** One reference for an attempt and its repeats. */
function referenceOf({ number, attempt }) {
  return `${number}-${attempt}`
}

function log({ number }, message) {
  process.stderr.write(`${number}: ${message}\n`)
}
