'use strict'

const form = document.getElementById('checkout')
const button = document.getElementById('pay')
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

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (button.disabled) return
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
    const { message: said } = await post('/pay', { token, expiry })
    show(said)
  } catch (error) {
    // The frame already shows the error beside the field.
    show(error.field ? '' : error.message)
  } finally {
    button.disabled = false
  }
})

async function post(address, body = {}) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}

function show(text) {
  message.textContent = text
}
