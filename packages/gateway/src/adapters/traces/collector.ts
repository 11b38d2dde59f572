import { Agent as HttpAgent, request as requestHttp, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'

/** The collector's answer to spans. */
export type Delivery =
  | { readonly kind: 'accepted'; readonly rejected: number }
  /** Nothing was kept. The same may be accepted later, after so many milliseconds if it says so. */
  | { readonly kind: 'again'; readonly reason: string; readonly afterMs: number | null }
  /** The collector will never take them. */
  | { readonly kind: 'refused'; readonly reason: string }

/** The collector of an operator, which takes OTLP over HTTP. */
export interface Collector {
  /** Never throws. */
  send(body: string): Promise<Delivery>
  close(): void
}

/** The statuses after which OTLP has a client try again. */
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504])
const MOST_ANSWER_BYTES = 65_536
const LONGEST_WAIT_S = 60

/** @param timeoutMs from the beginning of a request to the end of its answer. */
export function createCollector(url: string, timeoutMs: number): Collector {
  const isTls = url.startsWith('https:')
  const keptOpen = { keepAlive: true, maxSockets: 1 }
  const agent = isTls ? new HttpsAgent(keptOpen) : new HttpAgent(keptOpen)
  const ask = isTls ? requestHttps : requestHttp

  return {
    async send(body) {
      try {
        return deliveryOf(await post(body))
      } catch (error) {
        return { kind: 'again', reason: reasonOf(error), afterMs: null }
      }
    },
    close: () => agent.destroy(),
  }

  function post(body: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const content = Buffer.from(body)
    const sent = ask(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': content.length },
      signal: AbortSignal.timeout(timeoutMs),
    })
    sent.on('error', reject)
    sent.on('response', (response) => void readAnswer(response).then(resolve, reject))
    sent.end(content)
    return promise
  }
}

interface Answer {
  readonly status: number
  readonly retryAfter: string
  readonly text: string
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = ''
  for await (const part of response.setEncoding('latin1')) {
    if (text.length < MOST_ANSWER_BYTES) text += String(part)
  }
  const { headers, statusCode = 0 } = response
  return { status: statusCode, retryAfter: headers['retry-after'] ?? '', text }
}

function deliveryOf({ status, retryAfter, text }: Answer): Delivery {
  if (status >= 200 && status < 300) return { kind: 'accepted', rejected: rejectedOf(text) }
  const reason = `it answered with HTTP ${status}`
  if (!AGAIN.has(status)) return { kind: 'refused', reason }
  const seconds = /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : null
  const afterMs = seconds === null ? null : Math.min(seconds, LONGEST_WAIT_S) * 1_000
  return { kind: 'again', reason, afterMs }
}

/** Spans that the collector says it did not take, of those that it accepted otherwise. */
function rejectedOf(text: string): number {
  const [, count = '0'] = /"rejectedSpans"\s*:\s*"?(\d{1,9})/.exec(text) ?? []
  return Number(count)
}

/** For the log: what the network says, without addresses or texts of others. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return 'it did not answer in time'
  const { code } = error as NodeJS.ErrnoException
  return code ?? error.name
}
