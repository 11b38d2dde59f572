import { randomBytes } from 'node:crypto'
import { outcomeOf, OUTCOMES } from './outcome.mjs'

/** Prices come from the shop, never from its page. */
export const PRICE = { amount: '24.00', currency: 'USD' }

/** The issuer gives the customer ten minutes per page; no card is kept longer than this. */
const CARD_KEPT_MS = 15 * 60_000
const ORDER_LIMIT = 1000
/** API_RESPONSE of step 1 for an account without 3-D Secure. */
const NOT_SET_UP = '104'

/**
 * The orders of the shop and their states during a payment with 3-D Secure. A real shop keeps them
 * in its database, except for the card.
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
      attempts: 0,
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
    if (order.state !== 'open') return // A second click, or another tab.
    order.state = 'asking'
    order.attempts += 1
    order.outcome = null
    try {
      if (order.ddcReference === null) await begin(order, card.cardNumber.slice(0, 8))
    } catch (error) {
      return doubt(order, error, 'open')
    }
    const { ddcReference } = order
    order.ddcReference = null // Valid for one payment.
    try {
      const answer = await client.sale({
        ...requestOf(order, card),
        // An account without 3-D Secure has no reference, and pays without it.
        ...(ddcReference !== '' && {
          threeDs: { ddcReference, returnUrl: returnUrl(order.key), browser, window },
        }),
      })
      // The browser data were incomplete: no error reports it, so the shop logs it.
      if (ddcReference !== '' && answer.approved && answer.threeDs === null) {
        process.stderr.write(`${order.number}: paid without 3-D Secure\n`)
      }
      if (answer.status === 'PENDING') awaitChallenge(order, card, window, answer.threeDs.challenge)
      else conclude(order, answer, null)
    } catch (error) {
      doubt(order, error)
    }
  }

  /** Stored before the customer sees the challenge: the return may be faster than our answer. */
  function awaitChallenge(order, card, window, challenge) {
    order.state = 'challenge'
    order.challenge = { ...challenge, window }
    // The final call needs the card again. It stays in memory for as long as the challenge.
    order.card = card
    const attempt = order.attempts
    setTimeout(() => {
      const isWaiting = order.state === 'challenge' && order.finishing === null
      if (isWaiting && order.attempts === attempt) end(order, 'open', OUTCOMES.unfinished)
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
      conclude(order, await client.sale({ ...requestOf(order, order.card), threeDs }), after)
    } catch (error) {
      doubt(order, error)
    }
  }

  /** The customer closed the challenge. The final call ends the attempt, so another one is safe. */
  async function giveUp(order) {
    if (order.state !== 'challenge') return
    await finish(order, { transactionId: order.challenge.transactionId, response: '' }, 'closed')
  }

  /** Reads the outcome of a payment whose answer was lost. */
  async function lookAgain(order) {
    if (order.state !== 'unknown') return
    const { events } = await client.status({ orderReference: referenceOf(order) })
    // No events: the gateway has never heard of it.
    const status = events === null ? 'FAILED' : events.at(-1)?.TRANS_STATUS_NAME
    if (status === 'APPROVED') end(order, 'paid', OUTCOMES.approved)
    else if (status === 'DECLINED' || status === 'FAILED') end(order, 'open', OUTCOMES.failed)
  }

  function conclude(order, answer, after) {
    if (answer.status === 'RUNNING') end(order, 'unknown', OUTCOMES.unknown)
    else end(order, answer.approved ? 'paid' : 'open', outcomeOf(answer, after))
  }

  /** Without an answer the outcome is unknown, unless the gateway reported that it accepted nothing. */
  function doubt(order, error, state = error.accepted === 'no' ? 'open' : 'unknown') {
    process.stderr.write(`${order.number}: ${error.message}\n`)
    end(order, state, state === 'open' ? OUTCOMES.failed : OUTCOMES.unknown)
  }

  function end(order, state, outcome) {
    Object.assign(order, { state, outcome, challenge: null, card: null, finishing: null })
  }

  function forget(key) {
    const order = orders.get(key)
    if (order !== undefined) order.card = null
    orders.delete(key)
  }

  return { newOrder, find: (key) => orders.get(key), begin, pay, finish, giveUp, lookAgain }
}

/** The same in both calls except for the 3-D Secure part. */
function requestOf(order, { cardNumber, expiry, securityCode }) {
  return {
    ...PRICE,
    cardNumber,
    expiry,
    securityCode,
    orderReference: referenceOf(order),
    duplicates: 'replay',
  }
}

/** A new reference for each attempt, which distinguishes a repeat from a new attempt. */
function referenceOf(order) {
  return `${order.number}-${order.attempts}`
}
