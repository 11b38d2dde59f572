import { ClientError, type Transaction } from '@tollgate/client'
import { createWriteStream } from 'node:fs'

/** A client's knowledge of one request. */
export type Heard =
  /** An answer about a transaction. Amounts are minor units, without sign. */
  | {
      readonly kind: 'answer'
      readonly status: 'APPROVED' | 'DECLINED' | 'FAILED' | 'RUNNING' | 'PENDING'
      readonly service: string
      readonly transactionId: string
      readonly orderId: string
      readonly valueMinor: string
    }
  /** The gateway said that nothing came of it. */
  | { readonly kind: 'refused'; readonly code: string }
  /** No answer, or one that leaves the outcome open. */
  | { readonly kind: 'nothing'; readonly why: string }

/** One request of a client, and its answer. No card number is in it. */
export interface Entry {
  readonly n: number
  /** Milliseconds since the book was opened. */
  readonly atMs: number
  readonly tookMs: number
  readonly client: number
  readonly worker: number
  readonly action: string
  /** Of payments: the merchant's reference. */
  readonly reference: string
  /** Of adjustments: the order. */
  readonly orderId: string
  /** Of requests that are repeated under one: the idempotency key; else ''. */
  readonly key: string
  /** Repeats of the reference get the first one's answer. */
  readonly replay: boolean
  readonly heard: Heard
}

/** The clients' own record, kept apart from everything that is tortured. */
export interface AnswerBook {
  readonly entries: readonly Entry[]
  /** How many of them are approvals. */
  readonly approvals: number
  /** Milliseconds since it was opened. */
  now(): number
  add(entry: Omit<Entry, 'n' | 'tookMs'>): void
  close(): Promise<void>
}

export function openAnswerBook(file: string): AnswerBook {
  const stream = createWriteStream(file)
  const entries: Entry[] = []
  let approvals = 0
  const openedAt = performance.now()
  const now = (): number => Math.round(performance.now() - openedAt)
  return {
    entries,
    get approvals() {
      return approvals
    },
    now,
    add(entry) {
      const numbered = { n: entries.length + 1, tookMs: now() - entry.atMs, ...entry }
      entries.push(numbered)
      if (entry.heard.kind === 'answer' && entry.heard.status === 'APPROVED') approvals += 1
      stream.write(`${JSON.stringify(numbered)}\n`)
    },
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  }
}

/** A fault of the gateway: it says itself that it does not know. */
const SYSTEM_ERROR = '120'

/** Waits for an answer and returns its meaning for the books; never throws for a lost one. */
export async function hear(
  asked: Promise<Transaction>,
): Promise<{ readonly heard: Heard; readonly transaction: Transaction | null }> {
  try {
    const transaction = await asked
    return { heard: heardOf(transaction), transaction }
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    if (error.accepted === 'no')
      return { heard: { kind: 'refused', code: 'HTTP' }, transaction: null }
    const { cause } = error
    const why = cause instanceof Error && cause.name === 'TimeoutError' ? 'timeout' : 'broken'
    return { heard: { kind: 'nothing', why }, transaction: null }
  }
}

function heardOf({ status, api, service, transactionId, orderId, raw }: Transaction): Heard {
  if (status === '' && api.code === SYSTEM_ERROR) return { kind: 'nothing', why: 'system error' }
  if (status === '' || transactionId === '') {
    return { kind: 'refused', code: `${api.code}/${service.code}` }
  }
  const value = Math.round(Math.abs(Number(raw['TRANS_VALUE'])) * 100)
  return {
    kind: 'answer',
    status,
    service: service.code,
    transactionId,
    orderId,
    valueMinor: String(value),
  }
}
