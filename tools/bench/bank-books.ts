import type pg from 'pg'
import { positionText } from '../../packages/bank/src/books/changed-orders.ts'
import type { RecordDraft } from '../../packages/bank/src/books/journal-record.ts'
import { openBooks, type OpenBooks } from '../../packages/bank/src/books/open-books.ts'
import { postCapture, postCredit, postHold } from '../../packages/bank/src/books/postings.ts'
import {
  stanAndTerminal,
  transmissionTime,
} from '../../packages/gateway/src/adapters/processor-iso8583/message-identity.ts'

/** ISO 4217, by the codes of `writeManyOrders`. */
const NUMERIC: Readonly<Record<string, string>> = { USD: '840', EUR: '978', JPY: '392', KWD: '414' }

interface Row {
  readonly id: string
  readonly currency: string
  readonly acquirer_id: string
  readonly message_number: string
  readonly message_at: Date
  readonly captured: string
  readonly refunded: string
  readonly approved: string
}

/**
 * Books the orders of `writeManyOrders` at a bank in `folder`. Returns the position of its journal
 * before the newest ones, which are `last` at most.
 */
export async function writeBankBooks(pool: pg.Pool, folder: string, last: number): Promise<string> {
  const { rows } = await pool.query<Row>(
    `select o.id, currency, acquirer_id, message_number, message_at, captured_minor as captured,
            refunded_minor as refunded, authorized_minor as approved
       from orders o join merchant_accounts m on m.id = merchant_account_id
      where authorized_minor > 0 order by o.id`,
  )
  const open = await openBooks({
    folder,
    now: Date.now,
    warn: (sentence) => void process.stdout.write(`${sentence}\n`),
    onFailure: (error) => void process.stdout.write(`${String(error)}\n`),
  })
  let position = positionText(open.journal.end)
  for (const [at, row] of rows.entries()) {
    if (at === rows.length - last) position = positionText(open.journal.end)
    for (const record of recordsOf(row)) book(open, record)
    if (at % 1_000 === 0) await open.journal.flushed()
  }
  await open.close()
  return position
}

function book({ books, journal }: OpenBooks, record: RecordDraft): void {
  books.apply(record, journal.end.offset)
  void journal.append(record)
}

function recordsOf(row: Row): RecordDraft[] {
  const { stan, terminal } = stanAndTerminal(BigInt(row.message_number))
  const sent = `${stan}/${transmissionTime(row.message_at)}`
  const key = `${row.acquirer_id}/${terminal}/${sent}`
  const of = {
    at: row.message_at.toISOString(),
    account: 'bench',
    last4: '1111',
    merchant: 'BENCH',
    currency: NUMERIC[row.currency] ?? '',
  }
  const [approved, captured, refunded] = [row.approved, row.captured, row.refunded].map(BigInt)
  const records: RecordDraft[] = [
    { ...of, kind: 'auth', key, amount: row.approved, postings: postHold(approved ?? 0n) },
  ]
  const later = (kind: 'capture' | 'refund', number: string): Omit<RecordDraft, 'postings'> => ({
    ...of,
    kind,
    key: `${row.acquirer_id}/T999999${number}/${sent}`,
    original: key,
  })
  if (captured !== undefined && captured > 0n) {
    const postings = postCapture(captured)
    records.push({ ...later('capture', '1'), amount: row.captured, postings })
  }
  if (refunded !== undefined && refunded > 0n) {
    records.push({
      ...later('refund', '2'),
      amount: row.refunded,
      postings: postCredit(refunded),
    })
  }
  return records
}
