import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'

/** Answers of the swallower's own, in place of the gateway's. */
export interface ForgedAnswer {
  /** HTTP status; 200 unless given. */
  readonly status?: number
  readonly fields?: Readonly<Record<string, unknown>>
}

/** Stands between shop and gateway and swallows answers: the gateway has acted, and the shop gets no answer. */
export interface AnswerSwallower {
  readonly baseUrl: string
  /**
   * Swallows the answers to the next requests with this REQUEST_ACTION: cuts their connections as
   * soon as the gateway has answered. `meanwhile` runs between the answer and the cut.
   */
  swallow(action: string, times?: number, meanwhile?: () => Promise<unknown>): void
  /** Answers all requests with this action itself; they do not reach the gateway. */
  forge(action: string, answer: ForgedAnswer): void
  /** Passes everything on again. */
  behave(): void
  /** Requests so far, by their actions. */
  readonly asked: readonly string[]
  /** The bodies of all requests and of all answers of the gateway so far. */
  readonly bodies: readonly string[]
  /** Answers that were swallowed so far. */
  readonly swallowed: number
  close(): Promise<void>
}

interface Trap {
  readonly action: string
  readonly meanwhile: () => Promise<unknown>
  left: number
}

/** @param gateway address of the gateway that gets all requests */
export async function openAnswerSwallower(gateway: string): Promise<AnswerSwallower> {
  const asked: string[] = []
  const bodies: string[] = []
  const forged = new Map<string, ForgedAnswer>()
  let trap: Trap | null = null
  let swallowed = 0
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const action = new URLSearchParams(body).get('REQUEST_ACTION') ?? ''
    asked.push(action)
    bodies.push(body)
    const own = forged.get(action)
    if (own !== undefined) {
      response.writeHead(own.status ?? 200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify(own.fields ?? {}))
    }
    const sprung = trap?.action === action && trap.left > 0 ? trap : null
    if (sprung !== null) sprung.left -= 1
    try {
      const answer = await passOn(new URL(request.url ?? '/', gateway), request, body)
      bodies.push(answer.body.toString())
      if (sprung === null) {
        response.writeHead(answer.status, answer.headers)
        return response.end(answer.body)
      }
      await sprung.meanwhile()
      swallowed += 1
    } catch {
      // The gateway is not there, or has left in the middle of its answer.
    }
    return request.socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow(action, times = 1, meanwhile = () => Promise.resolve()) {
      trap = { action, left: times, meanwhile }
    },
    forge: (action, answer) => void forged.set(action, answer),
    behave() {
      trap = null
      forged.clear()
    },
    asked,
    bodies,
    get swallowed() {
      return swallowed
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function passOn(address: URL, { method, headers }: IncomingMessage, body: string) {
  const sent = ask(address, { method, headers: { ...headers, connection: 'close' } })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) }
}
