import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { reportOrders, reportOrdersNamed } from '../books/books-report.ts'
import type { OrderLine } from '../books/books-report.ts'
import { changedOrders, readPosition } from '../books/changed-orders.ts'
import { JOURNAL_NAME } from '../books/journal-file.ts'
import { objectIn, ORDER_KEY, refuse } from './control-fields.ts'
import type { ReportParts } from './control-reports.ts'
import { ControlRefusal, readJson } from './control-request.ts'

export const ORDERS_PATH = '/books/orders'

/** Lines of a report that are sent in one piece; other messages get their turn in between. */
const LINES_A_PIECE = 500

const MOST_KEYS = 5_000
/** Room for so many keys of the greatest length. */
const KEYS_BYTES = 400_000

/**
 * Answers with all orders, with those that have changed behind a position, or with those that the
 * body names. False for another method. Throws ControlRefusal.
 */
export async function answerOrders(
  parts: ReportParts,
  request: IncomingMessage,
  response: ServerResponse,
  { searchParams }: URL,
): Promise<boolean> {
  if (request.method === 'POST') {
    const keys = keysIn(await readJson(request, KEYS_BYTES))
    await sendOrders(parts, reportOrdersNamed(parts.books, keys), response)
    return true
  }
  if (request.method !== 'GET') return false
  const since = searchParams.get('since')
  const lines = since === null ? reportOrders(parts.books) : await reportChanged(parts, since)
  await sendOrders(parts, lines, response)
  return true
}

async function reportChanged(
  { books, folder, journal }: ReportParts,
  since: string,
): Promise<Iterable<OrderLine>> {
  const position = readPosition(since)
  if (position === null) {
    return refuse('since', since, 'a position as GET /books/position gives it')
  }
  await journal.flushed()
  const keys = await changedOrders(join(folder, JOURNAL_NAME), position, books)
  if (keys !== null) return reportOrdersNamed(books, keys)
  throw new ControlRefusal(
    409,
    'No record of this journal ends at the position in since. It is from other books, or from ' +
      'later ones than this copy. Read all orders instead.',
  )
}

function keysIn(body: unknown): readonly string[] {
  const { keys } = objectIn(body)
  const isKey = (key: unknown): key is string =>
    typeof key === 'string' && ORDER_KEY.pattern.test(key)
  if (Array.isArray(keys) && keys.length <= MOST_KEYS && keys.every(isKey)) return keys
  return refuse('keys', keys, `an array of at most ${MOST_KEYS} keys of orders`)
}

/** One order a line; the last line has their number, so a truncated answer is recognizable. */
async function sendOrders(
  { journal }: ReportParts,
  reported: Iterable<OrderLine>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
  let lines: string[] = []
  let orders = 0
  const send = async () => {
    const text = lines.join('')
    lines = []
    await journal.flushed()
    if (!response.write(text)) await once(response, 'drain')
  }
  for (const line of reported) {
    orders += 1
    lines.push(`${JSON.stringify(line)}\n`)
    if (lines.length >= LINES_A_PIECE) await send()
  }
  lines.push(`${JSON.stringify({ end: true, orders })}\n`)
  await send()
  response.end()
}
