// The browser's part of 3-D Secure, for the page of a shop. Copy it, or serve it as it is.

/** Sizes of the issuer's page in pixels, by their number in the interface; 05 is the whole page. */
export const WINDOWS = /** @type {const} */ ({
  '01': [250, 400],
  '02': [390, 400],
  '03': [500, 600],
  '04': [600, 400],
  '05': null,
})

/** @typedef {keyof typeof WINDOWS} WindowSize */

/**
 * The browser data that only the page can read. Without the language, 3-D Secure is skipped.
 */
export function browserData() {
  return {
    language: navigator.language,
    javaEnabled: navigator.javaEnabled(),
    javaScriptEnabled: true,
    colorDepth: screen.colorDepth,
    screenHeight: screen.height,
    screenWidth: screen.width,
    timeZoneOffset: new Date().getTimezoneOffset(),
  }
}

/** The largest size that leaves part of the shop's page visible; otherwise the whole page. */
export function fittingWindow() {
  /** @type {WindowSize} */
  const size =
    innerWidth >= 560 && innerHeight >= 740
      ? '03'
      : innerWidth >= 660 && innerHeight >= 540
        ? '04'
        : '05'
  return size
}

/**
 * Step 2: collects browser data in a hidden frame. Resolves with whether the collection was
 * completed, and never rejects: a payment continues without it.
 * @param {{ url: string, jwt: string }} collection DDC_URL and JWT
 * @param {number} [timeoutMs]
 * @returns {Promise<boolean>}
 */
export function collect({ url, jwt }, timeoutMs = 10_000) {
  const frame = document.createElement('iframe')
  frame.name = `collection-${crypto.randomUUID()}`
  frame.hidden = true
  frame.title = 'Security check'
  document.body.append(frame)
  return new Promise((resolve) => {
    const tooLate = setTimeout(() => end(false), timeoutMs)
    /** @param {MessageEvent} event */
    function hear({ data, origin, source }) {
      if (origin === new URL(url).origin && source === frame.contentWindow && isCompleted(data))
        end(true)
    }
    /** @param {boolean} completed */
    function end(completed) {
      clearTimeout(tooLate)
      removeEventListener('message', hear)
      frame.remove()
      resolve(completed)
    }
    addEventListener('message', hear)
    post(url, jwt, frame.name)
  })
}

/**
 * Step 4: shows the challenge over the shop's page. Resolves with `returned` when the page at
 * P3DS_RETURN_URL has called `tellReturned` in the frame. Resolves with `closed` when the customer
 * closed the challenge. In both cases the shop's server requests the result.
 * @param {{ url: string, jwt: string, window: WindowSize }} challenge P3DS_ACS_URL and P3DS_PAYLOAD
 * @param {{ title: string, close: string }} texts
 * @returns {Promise<'returned' | 'closed'>}
 */
export function showChallenge({ url, jwt, window: size }, texts) {
  const dialog = document.createElement('dialog')
  dialog.className = 'challenge'
  dialog.dataset['window'] = size
  const heading = document.createElement('h2')
  heading.id = 'challenge-title'
  heading.textContent = texts.title
  dialog.setAttribute('aria-labelledby', heading.id)
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = texts.close
  const bar = document.createElement('header')
  bar.append(heading, button)
  const frame = document.createElement('iframe')
  frame.name = `challenge-${crypto.randomUUID()}`
  frame.title = texts.title
  const pixels = WINDOWS[size]
  if (pixels !== null) {
    frame.style.width = `${pixels[0]}px`
    frame.style.height = `${pixels[1]}px`
  }
  dialog.append(bar, frame)
  document.body.append(dialog)
  return new Promise((resolve) => {
    /** @param {MessageEvent} event */
    function hear({ data, origin, source }) {
      if (origin === location.origin && source === frame.contentWindow && data === RETURNED)
        end('returned')
    }
    /** @param {'returned' | 'closed'} how */
    function end(how) {
      removeEventListener('message', hear)
      dialog.remove()
      resolve(how)
    }
    addEventListener('message', hear)
    button.addEventListener('click', () => end('closed'))
    dialog.addEventListener('close', () => end('closed'))
    dialog.showModal()
    // Focus the issuer's page, so that it gets the next key.
    frame.addEventListener('load', () => frame.focus(), { once: true })
    post(url, jwt, frame.name)
  })
}

const RETURNED = 'three-ds.returned'

/** For the page at P3DS_RETURN_URL: notifies the shop's page around it of the return. */
export function tellReturned() {
  if (parent !== window) parent.postMessage(RETURNED, location.origin)
}

/** @param {unknown} data the message as text or object: both are in use */
function isCompleted(data) {
  try {
    const message = typeof data === 'string' ? JSON.parse(data) : data
    return message?.MessageType === 'profile.completed'
  } catch {
    return false
  }
}

/**
 * @param {string} url
 * @param {string} jwt
 * @param {string} target name of a frame
 */
function post(url, jwt, target) {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = url
  form.target = target
  form.hidden = true
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'JWT'
  field.value = jwt
  form.append(field)
  document.body.append(form)
  form.submit()
  form.remove()
}
