import { once } from 'node:events'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { FaultRules } from '../acquirer/fault-rules.ts'
import type { Books } from '../books/books.ts'
import type { Journal } from '../books/journal.ts'
import { DISPUTES_PATH, answerDisputes } from '../disputes/dispute-control.ts'
import type { DisputeDesk } from '../disputes/dispute-desk.ts'
import type { AccountIds } from '../issuer/account-ids.ts'
import { mayReadBooks } from '../link-secret.ts'
import { SETTLEMENT_PATH, answerSettlement } from '../settlement/settlement-control.ts'
import type { Settlement } from '../settlement/settlement.ts'
import { testValues } from '../test-data/test-values.ts'
import type { ThreeDs } from '../three-ds/three-ds.ts'
import { readFaultRule, showFaultRule } from './control-faults.ts'
import { answerOrders, ORDERS_PATH } from './control-orders.ts'
import { REPORTS } from './control-reports.ts'
import { ControlRefusal, readJson, refuseBrowsers } from './control-request.ts'
import { sendFile } from './send-file.ts'

/** The file in the bank's folder that contains the address of its control API. */
export const CONTROL_ADDRESS_NAME = 'control-address'

/** The only address: the control API must not be reachable from other machines. */
const LOOPBACK = '127.0.0.1'

export interface ControlOptions {
  /** 0 for any free port. */
  readonly port: number
  /** The bank's folder, which gets the file with the address. */
  readonly folder: string
  readonly books: Books
  /** The secret that readers of the books derive their header from; null lets any program. */
  readonly secret: string | null
  readonly accountIds: AccountIds
  readonly settling: { readonly disputes: DisputeDesk; readonly settlement: Settlement }
  readonly rules: FaultRules
  /** How many times each fault was done since the start. */
  readonly faultsDone: ReadonlyMap<string, number>
  /** Its end is behind all changes of the books; flushed, all of them are on the disk. */
  readonly journal: Pick<Journal, 'end' | 'flushed'>
  /** The handler of requests under `/three-ds/`; null where there is no such simulator. */
  readonly threeDs: ThreeDs | null
}

export interface ControlServer {
  /** `http://127.0.0.1:` and the port. */
  readonly url: string
  close(): Promise<void>
}

/** Opens the control API. Rejects with the system's error when the port is not available. */
export async function openControlServer(options: ControlOptions): Promise<ControlServer> {
  const server = createServer((request, response) => void answer(options, request, response))
  const port = await listen(server, options.port)
  const url = `http://${LOOPBACK}:${port}`
  const addressFile = join(options.folder, CONTROL_ADDRESS_NAME)
  await writeFile(addressFile, `${url}\n`, { mode: 0o600 })
  // The mode above counts for a new file only, and a bank that was killed leaves its file behind.
  await chmod(addressFile, 0o600)
  return {
    url,
    async close() {
      await rm(addressFile, { force: true })
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen({ host: LOOPBACK, port })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function answer(
  options: ControlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    refuseBrowsers(request, request.socket.localPort ?? 0)
    refuseUnproven(options.secret, request)
    await route(options, request, response)
  } catch (error) {
    if (response.headersSent) {
      // The reader must not take a part for the whole report.
      response.destroy()
    } else if (error instanceof ControlRefusal) {
      // The rest of the body is not read.
      response.setHeader('Connection', 'close')
      sendJson(response, error.status, { error: error.message })
    } else {
      sendJson(response, 500, { error: 'The bank cannot answer this.' })
    }
  }
}

async function route(
  options: ControlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { faultsDone, rules } = options
  const address = addressOf(request)
  if (await routeToPart(options, request, response, address)) return
  const { pathname, searchParams } = address
  const asked = `${request.method} ${pathname}`
  const ruleId = /^DELETE \/faults\/([1-9][0-9]{0,8})$/.exec(asked)?.[1]
  if (ruleId !== undefined) {
    if (!rules.remove(Number(ruleId))) throw new ControlRefusal(404, `There is no rule ${ruleId}.`)
    sendJson(response, 200, { removed: 1 })
    return
  }
  const report = REPORTS.get(asked)
  if (report !== undefined) {
    await options.journal.flushed()
    sendJson(response, 200, await report(options, searchParams))
    return
  }
  switch (asked) {
    case 'GET /test-values':
      sendJson(response, 200, testValues())
      return
    case 'GET /faults':
      sendJson(response, 200, {
        rules: rules.all().map(showFaultRule),
        done: Object.fromEntries(faultsDone),
      })
      return
    case 'POST /faults':
      sendJson(response, 201, showFaultRule(rules.add(readFaultRule(await readJson(request)))))
      return
    case 'DELETE /faults':
      sendJson(response, 200, { removed: rules.clear() })
      return
    default:
      throw new ControlRefusal(
        404,
        `There is no ${asked}. There are GET /books/orders, GET /books/batches, ` +
          'GET /books/terminals, GET /books/totals, GET /books/cards-on-file, GET /accounts, ' +
          'GET /statement and GET /test-values. Others are DELETE /faults/ID, GET, POST and DELETE ' +
          '/faults, and those under /books/settlement, /books/disputes and /three-ds/.',
      )
  }
}

/** Answers a request to a part of the bank with addresses of its own; false for any other. */
async function routeToPart(
  options: ControlOptions,
  request: IncomingMessage,
  response: ServerResponse,
  address: URL,
): Promise<boolean> {
  const { journal, settling, threeDs } = options
  const { pathname } = address
  if (threeDs !== null && request.url?.startsWith('/three-ds/') === true) {
    const read = () => readJson(request)
    const { body, status } = await threeDs.control(request.method ?? '', request.url, read)
    sendJson(response, status, body)
  } else if (pathname.startsWith(SETTLEMENT_PATH)) {
    const given = await answerSettlement(settling.settlement, request, address)
    if ('path' in given) await sendFile(given, response)
    else sendJson(response, given.status, given.body)
  } else if (pathname.startsWith(DISPUTES_PATH)) {
    const { body, status } = await answerDisputes(settling.disputes, request, address)
    // No reader sees a notice that a crash could still lose.
    await journal.flushed()
    sendJson(response, status, body)
  } else if (pathname === ORDERS_PATH) {
    return answerOrders(options, request, response, address)
  } else {
    return false
  }
  return true
}

function addressOf({ url }: IncomingMessage): URL {
  return new URL(url ?? '', 'http://bank')
}

/** The books name every order by its key. Throws ControlRefusal. */
function refuseUnproven(secret: string | null, request: IncomingMessage): void {
  if (secret === null || !addressOf(request).pathname.startsWith('/books/')) return
  if (mayReadBooks(request.headers.authorization, secret)) return
  const sentence = 'The books need the Authorization header that docs/test-bank.md describes.'
  throw new ControlRefusal(401, sentence)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(`${JSON.stringify(body)}\n`)
}
