import {
  booksHeaders,
  bankSecretOf,
} from '../../../packages/gateway/src/adapters/bank-control/link-secret.ts'
import { noticeFileText } from '../../../packages/gateway/test/domain/disputes/notice-text.ts'
import { card } from '../marks.ts'
import { inTurn, payment, untilRows, untilServed, valueOf, type Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const AT_ONCE = 4
const ACCOUNT = 'TOLLGATE2001'

/** A dispute whose notices, texts and evidence have the number of its card. */
export const disputes: Path = {
  name: 'disputes',
  seen: ['dispute'],
  async push(run) {
    const number = card('dispute')
    await untilServed(run, number)
    const orderId = valueOf(await run.send(payment(number, '64.00')), 'PO_ID')
    const captured = `select from advices where order_id = '${orderId}' and state = 'acknowledged'`
    await untilRows(run, captured)
    const rrn = await referenceOf(run, orderId)
    await askBank(run, '', { merchant: ACCOUNT, event: 'chargeback', rrn })
    await untilRows(run, `select from disputes where order_id = '${orderId}'`)
    const [row] = await run.query<{ id: string; case_id: string }>(
      `select id, case_id from disputes where order_id = '${orderId}'`,
    )
    const { case_id: caseId = '', id = '' } = row ?? {}
    await inTurn(AT_ONCE, typed(run, id, number).values(), (args) => run.command(...args))
    // The number is in a file that the store encrypts, and stays there.
    const evidence = run.file('evidence.pdf', `%PDF-1.4\n(Paid with ${number})\n`)
    await run.command('disputes', 'answer', id, 'contest', '--text', 'Paid.', '--file', evidence)
    await untilRows(
      run,
      `select from dispute_answers where dispute_id = ${id} and state = 'acknowledged'`,
    )
    await run.command('disputes', 'show', id)
    const answer = { merchant: ACCOUNT, case: caseId, id: 'canary-1', answer: 'contest' }
    await askBank(run, '/answers', { ...answer, text: `Paid with ${number}` })
    await askBank(run, '/move', { merchant: ACCOUNT, case: caseId, to: 'pre_arbitration' })
    await askBank(run, '/answers', { ...answer, text: `winning_evidence ${number}` })
  },
}

/** Commands that get the number where a text, a file, a case or an account belongs. */
function typed(run: ProgramRun, id: string, number: string): (readonly string[])[] {
  const answer = ['disputes', 'answer', id, 'contest']
  const names = { sender: 'bundled-bank', receiver: number, account: ACCOUNT }
  const notice = { n: 1, case: number, order: number, reason: number, amount: number }
  const notices = (name: string, header: object) =>
    run.file(name, noticeFileText([notice], { ...header }))
  return [
    ['disputes', 'list', '--merchant-account', number],
    ['disputes', 'show', number],
    [...answer, '--text', `Paid with ${number}`],
    [...answer, '--file', run.file('evidence.txt', `Paid with ${number}\n`)],
    [...answer, '--file', run.file(`${number}.txt`, 'Paid.\n')],
    [...answer, '--file', number],
    ['disputes', 'import', notices('notices.jsonl', names)],
    ['disputes', 'import', notices('notices-account.jsonl', { ...names, account: number })],
    ['disputes', 'import', run.file('notices-torn.jsonl', `{"r":"H","account":"${number}`)],
    ['disputes', 'import', number],
    ['disputes', 'answers', '--write', number],
    ['disputes', 'ratios', '--months', number],
  ]
}

/** DE 37 of an order. */
async function referenceOf(run: ProgramRun, orderId: string): Promise<string> {
  const [row] = await run.query<{ rrn: string }>(
    'select retrieval_reference(message_number, message_at) as rrn from orders where id = $1',
    [orderId],
  )
  return row?.rrn ?? ''
}

async function askBank(run: ProgramRun, path: string, body: object): Promise<void> {
  const secret = booksHeaders(bankSecretOf({ bankSecret: null, dataDir: run.dataDir }))
  const answer = await fetch(`${run.bankControlUrl}/books/disputes${path}`, {
    method: 'POST',
    headers: { ...secret, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  run.keep('an answer of the bank about disputes', await answer.text())
}
