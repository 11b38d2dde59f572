'use strict'

/**
 * Opens the issuer's page in a frame, once, and takes the customer back to the shop in every case.
 * The issuer sends the browser back, or the gateway knows that the challenge is over. The issuer's
 * page may also stay dead, and the customer may leave.
 */

const ASK_EVERY_MS = 2_000
/** The issuer's page has so long to appear; then the customer may leave. */
const APPEARS_WITHIN_MS = 15_000
/** From here on the customer may leave, though the issuer's page is there. */
const LEAVE_AFTER_MS = 60_000
/** Each page of the issuer has ten minutes; then it has been over for a while. */
const DEAD_AFTER_MS = 630_000

/** @type {{ handle: string }} */
const challenge = JSON.parse(document.getElementById('page-data')?.textContent ?? '{}')
const statusLine = document.getElementById('status')
const leaveForm = document.getElementById('leave')
const challengeForm = document.getElementById('challenge')
const issuerFrame = document.querySelector('iframe')
let isLeaving = false

/** @type {(text: string) => void} */
function say(text) {
  if (statusLine === null) return
  statusLine.textContent = text
  statusLine.classList.remove('heard-only', 'busy')
}

function offerToLeave() {
  leaveForm?.classList.remove('without-script')
}

/** @type {(response?: string) => void} */
function leave(response = '') {
  if (isLeaving || !(leaveForm instanceof HTMLFormElement)) return
  isLeaving = true
  const field = leaveForm.elements.namedItem('Response')
  if (field instanceof HTMLInputElement) field.value = response
  say('Returning to the shop.')
  leaveForm.submit()
  // Should the shop not answer, the button is still there.
  offerToLeave()
}

async function ask() {
  if (isLeaving || challenge.handle === '') return
  try {
    const answer = await fetch('/V2/Cruise/StepUp/status', {
      headers: { 'page-handle': challenge.handle },
      credentials: 'omit',
      cache: 'no-store',
    })
    if (!answer.ok) return
    /** @type {{ state: string, response?: string }} */
    const { response, state } = await answer.json()
    if (state === 'over') leave(response)
  } catch {
    // The network is away for a moment; it is asked again.
  }
}

/**
 * Whether the issuer's server can be reached at all. A frame reports `load` for the browser's own
 * error page too: for a certificate that the browser rejects, or a server that is away. The answer
 * itself cannot be read, and does not matter.
 * @type {(url: string) => Promise<boolean>}
 */
async function answers(url) {
  try {
    await fetch(new URL('/', url), {
      method: 'HEAD',
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    })
    return true
  } catch {
    return false
  }
}

/** @type {(form: HTMLFormElement, frame: HTMLIFrameElement) => void} */
function openIssuer(form, frame) {
  const missing = () => {
    say("Your bank's page does not appear. You can return to the shop.")
    offerToLeave()
  }
  const slow = setTimeout(missing, APPEARS_WITHIN_MS)
  let over = setTimeout(leave, DEAD_AFTER_MS)
  frame.addEventListener('load', async () => {
    clearTimeout(over)
    over = setTimeout(leave, DEAD_AFTER_MS)
    if (!(await answers(form.action))) return
    clearTimeout(slow)
    if (statusLine === null || isLeaving) return
    statusLine.textContent = "Your bank's page is open."
    statusLine.className = 'heard-only'
  })
  setTimeout(offerToLeave, LEAVE_AFTER_MS)
  form.submit()
}

document.documentElement.classList.add('scripted')
if (challengeForm instanceof HTMLFormElement && issuerFrame !== null) {
  openIssuer(challengeForm, issuerFrame)
  addEventListener('message', ({ data, origin, source }) => {
    // Anybody may speak to this page; only the gateway's own page in its own frame is heard.
    if (origin !== location.origin || source !== issuerFrame.contentWindow) return
    if (data === 'tollgate.three-ds.back') void ask()
    if (data === 'tollgate.three-ds.stray') offerToLeave()
  })
}
setInterval(ask, ASK_EVERY_MS)
