'use strict'

/**
 * Reports the kind of browser to the gateway, and opens the issuer's page that examines it. The
 * shop's page gets a message when both are done. This frame is hidden: it has no animation frames.
 */

/**
 * Shops wait for eight to ten seconds. After this time the shop continues, and the issuer's page may
 * still finish: the protocol gives it ten seconds.
 */
const METHOD_MS = 8_000
/** Without an answer of the gateway the shop continues all the same. */
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

/** The message holds no secret, so any page that holds this frame may read it. */
function holderOrigin() {
  const [holder] = location.ancestorOrigins ?? []
  if (holder !== undefined && holder !== 'null') return holder
  return document.referrer === '' ? '*' : new URL(document.referrer).origin
}

/** @type {(sent: boolean, methodDone: boolean) => void} */
function reportToHolder(sent, methodDone) {
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
void Promise.all([sending, checking]).then(([sent, methodDone]) => reportToHolder(sent, methodDone))
