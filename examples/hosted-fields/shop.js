'use strict'

const form = document.getElementById('checkout')
const button = document.getElementById('pay')
const again = document.getElementById('again')
const message = document.getElementById('message')
const place = document.getElementById('card')

const card = window.TollgateFields.mount(place, {
  site: place.dataset.site,
  style: { theme: 'auto' },
  onEvent: (name) => {
    if (name === 'submit') form.requestSubmit()
  },
})
card.ready.catch((error) => show(error.message))
offer(form.dataset.state)

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (button.disabled || button.hidden) return
  const expiry = form.expiry.value.trim()
  // Validated first, because the payment uses up its token.
  if (!/^(0[1-9]|1[0-2])\/20[0-9]{2}$/.test(expiry)) {
    show('Enter the month and year that are on the card, such as 04/2030.')
    form.expiry.focus()
    return
  }
  button.disabled = true
  show('')
  try {
    const token = await card.tokenize(await post('/sign'))
    await pay(token, expiry)
  } catch (error) {
    // The frame already shows the error beside the field.
    show(error.field ? '' : error.message)
  } finally {
    button.disabled = false
  }
})

again.addEventListener('click', seeResult)

/** Once the payment was sent, an error on the way to the shop says nothing about its outcome. */
async function pay(token, expiry) {
  try {
    tell(await post('/pay', { token, expiry }))
  } catch {
    show('The shop did not answer. Please do not pay again. Check again in a moment.')
    offer('unknown')
  }
}

async function seeResult() {
  again.disabled = true
  try {
    tell(await post('/result'))
  } catch {
    show('The shop did not answer. Please do not pay again. Check again in a moment.')
  } finally {
    again.disabled = false
  }
}

function tell({ message: said, state }) {
  show(said)
  offer(state)
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
