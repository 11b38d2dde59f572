import { withoutComments } from './source-text.ts'

/** Files of tests with a loop that may await, and the work that the loop does. */
export const WORKING_LOOPS: Readonly<Record<string, string>> = {
  'packages/bank/test/bank-process.test.ts': 'trades until the bank is killed',
  'packages/gateway/test/adapters/postgres/events/event-numbering.test.ts':
    'numbers until nothing is left',
  'packages/gateway/test/adapters/postgres/logins/request-volume.test.ts':
    'asks until enough was let in',
  'packages/gateway/test/usecases/payments/deliver-advices.test.ts':
    'delivers until nothing is due',
  'packages/gateway/test/usecases/retention/erase-due.test.ts': 'makes steps until none is due',
  'packages/iso8583/test/link-server.test.ts': 'writes until the kernel takes no more, and answers',
  'packages/tollgate/test/free-ports.ts': 'draws until ports are free',
  'test/canary/places/database-rows.ts': 'reads a table to its end',
  'test/house/waits.test.ts': 'has loops to be found in strings',
  'test/scenarios/backup-drill.test.ts': 'sells until the copy is made',
  'test/scenarios/database-trouble.test.ts': 'connects until the server has no room',
  'test/scenarios/events.test.ts': 'reads until enough was sold',
  'test/scenarios/full-disk.test.ts': 'fills a disk while a bounded wait goes on',
  'test/scenarios/login-floods.test.ts': 'floods the login until the test is over',
  'test/scenarios/portal-batches.test.ts': 'sells until the batches are closed',
  'test/scenarios/portal-customers.test.ts': 'turns pages until the last',
  'test/scenarios/portal-going-live.test.ts': 'sells until the site is live',
  'test/scenarios/portal-home.test.ts': 'rolls hours up until none is left',
  'test/scenarios/processor-links.test.ts': 'sells until the test is over',
  'test/scenarios/recon.test.ts': 'sells until the comparison is done',
  'test/scenarios/balancers.test.ts': 'sells until all nodes are new',
  'test/scenarios/site-clocks.test.ts': 'turns pages until the last',
  'test/scenarios/slow-clients.test.ts': 'sells so many times',
  'test/simulation/dispute-world.ts': 'plays processes, one turn at a time',
  'test/simulation/database.ts': 'cuts off once no adjustment is under way, without time',
  'test/simulation/every-crash.test.ts': 'tries each moment of a schedule that ends',
  'test/simulation/scheduler.ts': 'runs a schedule, without time',
  'test/simulation/workload.ts': 'makes so many changes, without time',
  'test/simulation/world.ts': 'restarts processes of a simulation, without time',
  'test/support/eventually.ts': 'waits, with an end and a sentence',
  'test/support/load-balancer-thread.ts': 'passes requests on until its thread ends',
  'test/support/shop.ts': 'sells until it is closed',
  'test/three-ds/support/world.ts': 'tries so many times to begin',
}

/**
 * The loops of a test file that await something and are not written with `eventually`, by their
 * first lines. Such a loop waits without an end: if the event never comes, the run kills its file
 * after ten minutes and reports no reason. Loops over things (`for ... of`, counted ones) end.
 */
export function awaitingLoops(text: string): string[] {
  const code = withoutComments(text)
  const heads = [
    ...code.matchAll(/\b(?:while\s*\(|for\s*\(\s*(?:[^;()]*;)?\s*;[^;()]*\)|do\s*\{)/g),
  ]
  return heads.flatMap(({ index, 0: head }) => {
    const loop = code.slice(index, endOfLoop(code, index, head))
    return /\bawait\b/.test(loop) ? [loop.split('\n')[0] ?? ''] : []
  })
}

/** The end of a loop: after its block, or after the statement that it repeats. */
function endOfLoop(code: string, index: number, head: string): number {
  const isWhile = head.startsWith('while')
  const body = isWhile ? closing(code, index + head.length - 1) : index + head.length
  const rest = /^\s*/.exec(code.slice(body))?.[0].length ?? 0
  const begin = head.startsWith('do') ? index + head.length - 1 : body + rest
  return code[begin] === '{' ? closing(code, begin) : endOfStatement(code, begin)
}

/** After the bracket that closes the one at `at`. */
function closing(code: string, at: number): number {
  let depth = 0
  for (let each = at; each < code.length; each += 1) {
    if ('([{'.includes(code[each] ?? '')) depth += 1
    if (')]}'.includes(code[each] ?? '')) depth -= 1
    if (depth === 0) return each + 1
  }
  return code.length
}

/** After the line at which no bracket is open any more. */
function endOfStatement(code: string, at: number): number {
  let depth = 0
  for (let each = at; each < code.length; each += 1) {
    if ('([{'.includes(code[each] ?? '')) depth += 1
    if (')]}'.includes(code[each] ?? '')) depth -= 1
    if (code[each] === '\n' && depth <= 0) return each
  }
  return code.length
}
