'use strict'

/**
 * For the page of a shop: puts the card fields of the gateway into an element, and asks them for a
 * token. Number and code stay in the frame, which is the gateway's own page. The expiry date stands
 * between them, and comes with the token.
 *
 *   const card = TollgateFields.mount(element, { site: 1001 })
 *   const { token, last4, expiry } = await card.tokenize(signedByYourServer)
 *
 * This is version 2. It is served at /pay/2/fields.js, and does not change there by a byte.
 */
;(() => {
  const own = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : ''
  const LOAD_WAIT_MS = 20_000
  const EVENTS = ['change', 'focus', 'blur', 'submit']

  /** A problem: `code` for programs, `message` for the customer, `detail` for developers. */
  class TollgateFieldError extends Error {
    /**
     * @param {{ code: string, message: string, field?: string | null, detail?: string }} problem
     */
    constructor({ code, message, field = null, detail = '' }) {
      super(message)
      this.name = 'TollgateFieldError'
      this.code = code
      this.field = field
      this.detail = detail
    }
  }

  /**
   * @param {Element} element Where the fields go.
   * @param {object} options
   * @param {number | string} options.site
   * @param {string} [options.gateway] The gateway's address; otherwise where this script is from.
   * @param {boolean} [options.expiry] False leaves the expiry date out.
   * @param {boolean} [options.code] False leaves the security code out.
   * @param {string} [options.language]
   * @param {'ltr' | 'rtl'} [options.direction]
   * @param {Record<string, string>} [options.texts]
   * @param {Record<string, string | number>} [options.style]
   * @param {(name: string, event: object) => void} [options.onEvent] Hears `change`, `focus`,
   *   `blur` and `submit`.
   */
  function mount(element, { site, gateway = own, onEvent = () => undefined, ...chosen }) {
    const setup = { expiry: true, ...chosen }
    const { origin } = new URL(gateway)
    const frame = document.createElement('iframe')
    /** @type {Map<string, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
    const waiting = new Map()
    let requests = 0
    /** @type {(message: object) => void} */
    const tell = (message) => frame.contentWindow?.postMessage(message, origin)

    /** @type {() => void} */
    let isReady = () => undefined
    /** @type {(error: Error) => void} */
    let isBroken = () => undefined
    const ready = new Promise((resolve, reject) => {
      isReady = () => resolve(undefined)
      isBroken = reject
    })
    ready.catch(() => undefined) // A request for a token rejects with it.
    const tooLate = setTimeout(
      () =>
        isBroken(
          new TollgateFieldError({
            code: 'not_loaded',
            message: 'The card fields could not be loaded. Please load the page again.',
            detail:
              `No answer from ${origin}. ` +
              `Is the site right, and does it list ${location.origin}?`,
          }),
        ),
      LOAD_WAIT_MS,
    )

    /** @param {MessageEvent} event */
    function hear({ source, origin: from, data }) {
      if (source !== frame.contentWindow || from !== origin) return
      const { type, ...parts } = data
      if (type === 'tollgate.ready') {
        clearTimeout(tooLate)
        isReady()
      } else if (type === 'tollgate.resize') frame.style.height = `${parts.height}px`
      else if (type === 'tollgate.token' || type === 'tollgate.error') {
        const error = type === 'tollgate.error' ? new TollgateFieldError(parts) : null
        const asker = waiting.get(parts.id)
        waiting.delete(parts.id)
        if (error === null) asker?.resolve(parts)
        else (asker?.reject ?? isBroken)(error)
      } else {
        const name = String(type).slice('tollgate.'.length)
        if (EVENTS.includes(name)) onEvent(name, parts)
      }
    }

    window.addEventListener('message', hear)
    frame.addEventListener('load', () => tell({ type: 'tollgate.setup', ...setup }))
    frame.title = setup.texts?.['title'] ?? 'Card details'
    frame.referrerPolicy = 'no-referrer'
    // Until the fields say how high they are: enough for them, or for what is said in their place.
    frame.style.cssText = 'display: block; width: 100%; height: 180px; border: 0'
    frame.src = `${origin}/pay/field.html?site=${encodeURIComponent(site)}`
    element.append(frame)

    return {
      /** Resolves when the fields can be used; rejects when they cannot be loaded. */
      ready,
      /**
       * Resolves with the token and what belongs to it; rejects with a TollgateFieldError.
       *
       * @param {{ timestamp: string, uniqueId: string, signature: string }} signed What the shop's
       *   server signed with the site key, for this one token.
       */
      async tokenize({ timestamp, uniqueId, signature }) {
        await ready
        requests += 1
        const id = String(requests)
        return new Promise((resolve, reject) => {
          waiting.set(id, { resolve, reject })
          tell({ type: 'tollgate.tokenize', id, timestamp, uniqueId, signature })
        })
      },
      /** @param {'number' | 'expiry' | 'code'} field */
      focus: (field) => tell({ type: 'tollgate.focus', field }),
      clear: () => tell({ type: 'tollgate.clear' }),
      /** Takes the fields away again. */
      remove() {
        clearTimeout(tooLate)
        window.removeEventListener('message', hear)
        frame.remove()
        const message = 'The card fields were taken away.'
        const gone = new TollgateFieldError({ code: 'removed', message })
        for (const { reject } of waiting.values()) reject(gone)
        isBroken(gone)
      },
    }
  }

  Object.assign(window, { TollgateFields: Object.freeze({ mount, TollgateFieldError }) })
})()
