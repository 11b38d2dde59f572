'use strict'

/**
 * Tells the gateway what kind of browser this is, has the issuer's own page look at it, and tells the
 * shop's page when both are done. It runs in a frame that nobody sees, where no animation frame comes.
 */

/** The issuer's page is not waited for any longer. */
const METHOD_MS = 10_000
/** The shop waits for eight to ten seconds. Without an answer of the gateway it is told all the same. */
const SEND_MS = 5_000

/** @type {{ reference: string, handle: string | null, hasMethod: boolean }} */
const collection = JSON.parse(document.getElementById('page-data')?.textContent ?? '{}')

/** @type {(ms: number) => Promise<boolean>} */
function falseAfter(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms, false))
}

/** @returns {Promise<boolean>} */
async function sendBrowser() {
  const { handle } = collection
  if (handle === null) return false
  const fields = new URLSearchParams({
    handle,
    language: navigator.language ?? '',
    javaEnabled: String(navigator.javaEnabled?.() ?? false),
    colorDepth: String(screen.colorDepth),
    screenHeight: String(screen.height),
    screenWidth: String(screen.width),
    timeZone: String(new Date().getTimezoneOffset()),
  })
  try {
    const { ok } = await fetch('/V2/Cruise/Collect/data', {
      method: 'POST',
      body: fields,
      credentials: 'omit',
    })
    return ok
  } catch {
    return false
  }
}

/** @returns {Promise<boolean>} */
function runMethod() {
  const form = document.getElementById('method')
  const frame = document.querySelector('iframe')
  if (!collection.hasMethod || !(form instanceof HTMLFormElement) || frame === null) {
    return Promise.resolve(false)
  }
  return new Promise((resolve) => {
    addEventListener('message', ({ data, origin, source }) => {
      const isOurs = origin === location.origin && source === frame.contentWindow
      if (isOurs && data === 'tollgate.three-ds.method-done') resolve(true)
    })
    form.submit()
  })
}

/** The message holds no secret, so that it may go to whoever holds this frame. */
function holderOrigin() {
  const [holder] = location.ancestorOrigins ?? []
  if (holder !== undefined && holder !== 'null') return holder
  return document.referrer === '' ? '*' : new URL(document.referrer).origin
}

/** @type {(sent: boolean, methodDone: boolean) => void} */
function tellHolder(sent, methodDone) {
  const { handle, hasMethod, reference } = collection
  const message = {
    MessageType: 'profile.completed',
    SessionId: reference,
    'Session Id': reference,
    Status: true,
    Payload: {
      ActionCode: 'SUCCESS',
      SessionId: reference,
      DataSources: {
        CardinalData: { Attempted: handle !== null, Completed: sent },
        MethodUrl: { Attempted: hasMethod, Completed: methodDone },
      },
    },
  }
  parent.postMessage(JSON.stringify(message), holderOrigin())
  const status = document.getElementById('status')
  if (status !== null) status.textContent = 'Done.'
}

const sending = Promise.race([sendBrowser(), falseAfter(SEND_MS)])
const checking = Promise.race([runMethod(), falseAfter(METHOD_MS)])
void Promise.all([sending, checking]).then(([sent, methodDone]) => tellHolder(sent, methodDone))
