import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { createClient, type Client } from '../src/index.ts'

/** The server's reaction to one request. */
export interface ScriptedAnswer {
  readonly status?: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Never answers. */
  readonly silent?: boolean
  /** Cuts the connection in place of an answer. */
  readonly cut?: boolean
}

export interface Received {
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly key: string | undefined
}

export const LOGIN_OF_TESTS = {
  username: 'shop@example.test',
  password: 'pass word&1',
  siteId: 1001,
} as const

/** A client of a server that plays these answers, and the last one from then on. */
export async function aGateway(
  t: TestContext,
  answers: readonly ScriptedAnswer[],
  timeoutMs?: number,
): Promise<{ client: Client; baseUrl: string; received: Received[] }> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const params = Object.fromEntries(new URLSearchParams(await text(request)))
    const key = request.headers['idempotency-key']
    received.push({ url: `${request.method} ${request.url}`, params, key: key?.toString() })
    const answer = answers[Math.min(received.length, answers.length) - 1] ?? {}
    if (answer.silent === true) return
    if (answer.cut === true) return void request.socket.destroy()
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? '{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { ...LOGIN_OF_TESTS, baseUrl }
  const client = createClient(timeoutMs === undefined ? options : { ...options, timeoutMs })
  return { client, baseUrl, received }
}
