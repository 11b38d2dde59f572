import { followEvents, verifyEvent } from '@tollgate/client'

const BODY_LIMIT = 64 * 1024

/**
 * Receives the events of the gateway: from its feed, and as webhooks if there are secrets. Both may
 * bring the same event, and each of them more than once. `handle` gets it once.
 *
 * A real shop keeps cursor and ids in its database, and stores an id together with the effect of
 * its event.
 */
export function createEventReceiver({ connection, secrets, handle }) {
  const handled = new Set()
  let cursor = null

  async function receive(event) {
    if (handled.has(event.id)) return
    await handle(event)
    handled.add(event.id)
  }

  /** Follows the feed until the shop ends. It never throws: the shop sells without events too. */
  async function follow() {
    const store = { read: () => cursor, write: (next) => (cursor = next) }
    try {
      for await (const event of followEvents({ ...connection, store, onGap, onRetry })) {
        await receive(event)
      }
    } catch (error) {
      log(`The events end: ${error.message}`)
    }
  }

  /** Answers once the event was handled: another status lets the gateway send it again. */
  async function receiveWebhook(request, response) {
    const parts = []
    let length = 0
    for await (const part of request) {
      length += part.length
      if (length > BODY_LIMIT) return answer(response, 413)
      parts.push(part)
    }
    let event
    try {
      event = verifyEvent(Buffer.concat(parts), request.headers, secrets)
    } catch (error) {
      log(`A webhook was refused: ${error.message}`)
      return answer(response, 400)
    }
    await receive(event)
    return answer(response, 204)
  }

  return { follow, receiveWebhook }
}

/** A real shop compares its orders with the gateway's lists now. */
function onGap({ reason }) {
  log(`Events are missing: ${reason}`)
}

function onRetry({ message }) {
  log(`The feed is tried again: ${message}`)
}

function answer(response, status) {
  response.writeHead(status).end()
}

function log(message) {
  process.stderr.write(`${message}\n`)
}
