import { ControlRefusal } from '../control/control-request.ts'
import type { DirectoryServer } from './directory-server.ts'
import { FAULT_HABITS } from './habits.ts'
import type { MessageJournal } from './message-journal.ts'
import { METHOD_FAULTS } from './scenarios.ts'
import type { Scenarios } from './scenarios.ts'
import { showTransaction } from './transactions.ts'
import type { Transactions } from './transactions.ts'

export interface ControlReply {
  readonly status: number
  readonly body: unknown
}

export interface ControlParts {
  readonly directory: DirectoryServer
  readonly journal: MessageJournal
  readonly scenarios: Scenarios
  readonly transactions: Transactions
}

const MOST_AT_ONCE = 1000

/** Answers a request under `/three-ds/`. Throws ControlRefusal with what is wrong with it. */
export async function answerControl(
  { directory, journal, scenarios, transactions }: ControlParts,
  method: string,
  url: string,
  readBody: () => Promise<unknown>,
): Promise<ControlReply> {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
  const id = /^\/three-ds\/transactions\/([^/]+)$/.exec(pathname)?.[1]
  if (method === 'GET' && id !== undefined) {
    const found = transactions.find(id)
    if (found === undefined) throw new ControlRefusal(404, 'There is no transaction of this id.')
    return { status: 200, body: showTransaction(found) }
  }
  switch (`${method} ${pathname}`) {
    case 'GET /three-ds/log':
      return { status: 200, body: { entries: journal.since(readAfter(searchParams)) } }
    case 'GET /three-ds/faults':
      return { status: 200, body: { faults: scenarios.all() } }
    case 'POST /three-ds/faults':
      return { status: 201, body: addFault(scenarios, await readBody()) }
    case 'DELETE /three-ds/faults':
      return { status: 200, body: { removed: scenarios.clear() } }
    case 'POST /three-ds/reset':
      scenarios.clear()
      transactions.clear()
      journal.clear()
      directory.forgetPReqs()
      return { status: 200, body: { reset: true } }
    default:
      throw new ControlRefusal(
        404,
        `There is no ${method} ${pathname}. There are GET /three-ds/log, GET ` +
          '/three-ds/transactions/ID, GET, POST and DELETE /three-ds/faults, and POST ' +
          '/three-ds/reset.',
      )
  }
}

function readAfter(query: URLSearchParams): number {
  const text = query.get('after') ?? '0'
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new ControlRefusal(400, 'after must be the number of an entry.')
}

function addFault(scenarios: Scenarios, body: unknown): unknown {
  const { count = 1, fault, ...others } = Object(body) as Record<string, unknown>
  const names = [...new Set([...METHOD_FAULTS, ...FAULT_HABITS])]
  if (Object.keys(others).length > 0) {
    throw new ControlRefusal(400, 'The body may have only fault and count.')
  }
  if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > MOST_AT_ONCE) {
    throw new ControlRefusal(400, `count must be a whole number from 1 to ${MOST_AT_ONCE}.`)
  }
  if (typeof fault !== 'string' || !scenarios.add(fault, Number(count))) {
    throw new ControlRefusal(400, `fault must be one of ${names.join(', ')}.`)
  }
  return { faults: scenarios.all() }
}
