import { readCard } from '/card.mjs'
import { browserData, collect, fittingWindow, showChallenge, WINDOWS } from '/three-ds.js'

/** The progress indicator shows for two seconds, as networks require. */
const PROCESSING_MS = 2000

const form = document.getElementById('checkout')
const processing = document.getElementById('processing')
const { key, state, challenge } = JSON.parse(document.getElementById('known').textContent)

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const { number, expiry, code } = form.elements
  const entered = { number: number.value, expiry: expiry.value, code: code.value }
  const card = readCard(entered)
  for (const field of [number, expiry, code]) complain(field, '')
  if (card.problem !== undefined) {
    complain(form.elements[card.field], card.problem)
    form.elements[card.field].focus()
    return
  }
  pay(entered, card.cardNumber).catch(seeResult)
})

form.addEventListener('input', ({ target }) => complain(target, ''))

// A reload, or another tab, during the payment.
if (state === 'challenge') confirm(challenge).catch(seeResult)
if (state === 'asking') waitForBank().catch(seeResult)

async function pay(entered, cardNumber) {
  form.hidden = true
  processing.hidden = false
  const shown = new Promise((resolve) => setTimeout(resolve, PROCESSING_MS))
  const { collection } = await ask('/begin', { leadingDigits: cardNumber.slice(0, 8) })
  // The result does not matter here: the gateway reports it to the issuer.
  if (collection !== null) await collect(collection)
  const window = chosenWindow()
  const asked = ask('/pay', { card: entered, browser: browserData(), window })
  const [next] = await Promise.all([asked, shown])
  processing.hidden = true
  if (next.state === 'challenge') await confirm(next.challenge)
  else seeResult()
}

/** Step 4. Its end does not reveal the outcome: the server requests it. */
async function confirm(challenge) {
  const how = await showChallenge(challenge, { title: 'Your bank', close: 'Cancel' })
  processing.hidden = false
  if (how === 'closed') await ask('/give-up')
  seeResult()
}

async function waitForBank() {
  let current = state
  while (current === 'asking') {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    current = (await (await fetch(`/state?order=${key}`)).json()).state
  }
  location.reload()
}

/** The size of the challenge from the address, to try it; otherwise one that fits. */
function chosenWindow() {
  const asked = new URLSearchParams(location.search).get('window')
  return asked in WINDOWS ? asked : fittingWindow()
}

function seeResult() {
  location.replace(`/result?order=${key}`)
}

async function ask(path, body = {}) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${path}?order=${key}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  return response.redirected ? null : response.json()
}

function complain(field, problem) {
  document.getElementById(`${field.id}-error`).textContent = problem
  field.setAttribute('aria-invalid', String(problem !== ''))
}
