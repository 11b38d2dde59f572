import { browserData, collect, fittingWindow, showChallenge } from '/three-ds.js'

/** The progress message shows for two seconds, as networks require. */
const PROCESSING_MS = 2000
const NO_ANSWER = 'The shop did not answer. Please do not pay again. Check again in a moment.'

const form = document.getElementById('checkout')
const button = document.getElementById('pay')
const again = document.getElementById('again')
const another = document.getElementById('another')
const message = document.getElementById('message')
const place = document.getElementById('card')

/** The card fields, or null for a customer who pays with a saved card. */
const fields = form.dataset.saved === '' ? mountFields() : null
if (fields === null) {
  document.getElementById('saved').hidden = false
  document.getElementById('entry').hidden = true
}
offer(form.dataset.state)
// A reload, or another tab, during the challenge.
if (form.dataset.state === 'challenge') void seeResult()

function mountFields() {
  const mounted = window.TollgateFields.mount(place, {
    site: place.dataset.site,
    style: { theme: 'auto' },
    onEvent: (name) => {
      if (name === 'submit') form.requestSubmit()
    },
  })
  mounted.ready.catch((error) => show(error.message))
  return mounted
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (button.disabled || button.hidden) return
  const expiry = form.expiry.value.trim()
  // Validated first, because the payment uses up its token.
  if (fields !== null && !/^(0[1-9]|1[0-2])\/20[0-9]{2}$/.test(expiry)) {
    show('Enter the month and year that are on the card, such as 04/2030.')
    form.expiry.focus()
    return
  }
  button.disabled = true
  show('')
  try {
    // The customer enters the card once: the same token pays before and after a challenge.
    const token = fields === null ? undefined : await fields.tokenize(await post('/sign'))
    await pay({ token, expiry })
  } catch (error) {
    // The frame already shows the error beside the field.
    show(error.field ? '' : error.message)
  } finally {
    button.disabled = false
  }
})

again.addEventListener('click', seeResult)

/** Steps 1 to 3. */
async function pay(card) {
  show('Asking your bank. Please keep this page open.')
  const shown = new Promise((resolve) => setTimeout(resolve, PROCESSING_MS))
  const { collection } = await post('/begin', card)
  // The result does not matter here: the gateway reports it to the issuer.
  if (collection !== null) await collect(collection)
  const sent = { ...card, browser: browserData(), window: fittingWindow() }
  await follow(Promise.all([post('/pay', sent), shown]).then(([next]) => next))
}

/**
 * Once the payment was sent, an error on the way to the shop says nothing about its outcome.
 */
async function follow(asked) {
  try {
    const next = await asked
    tell(next)
    if (next.challenge) await confirm(next.challenge)
  } catch {
    show(NO_ANSWER)
    offer('unknown')
  }
}

/** Step 4. Its end does not reveal the outcome: the server requests it. */
async function confirm(challenge) {
  const how = await showChallenge(challenge, { title: 'Your bank', close: 'Cancel' })
  tell(await post(how === 'closed' ? '/give-up' : '/result'))
}

async function seeResult() {
  again.disabled = true
  await follow(post('/result'))
  again.disabled = false
}

function tell({ message: said, state, canBuyAgain }) {
  show(said)
  offer(state)
  another.hidden = canBuyAgain !== true
}

/** The button for the state of the basket: pay, check again, or none. */
function offer(state) {
  button.hidden = state !== 'open'
  again.hidden = state !== 'unknown' && state !== 'asking'
}

async function post(path, body = {}) {
  const headers = { 'content-type': 'application/json' }
  const address = `${path}${location.search}`
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
  if (response.status >= 500) throw new Error('The shop did not answer. Please try again.')
  return response.json()
}

function show(text) {
  message.textContent = text
}
