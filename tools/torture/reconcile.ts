import type { Entry } from './answer-book.ts'
import type { BankEntry, BankSide } from './bank-side.ts'
import type { GatewayBooks, GatewayOrder, GatewayTransaction } from './gateway-books.ts'

/** Every difference between the clients' record, the gateway and the bank, a sentence each. */
export function reconcile(
  entries: readonly Entry[],
  gateway: GatewayBooks,
  bank: BankSide,
): string[] {
  return [
    ...gateway.contradictions.map((text) => `gateway: ${text}`),
    ...bank.contradictions.map((text) => `bank: ${text}`),
    ...compareAnswers(entries, gateway),
    ...compareReferences(entries, gateway),
    ...compareUnseen(entries, gateway),
    ...compareKeys(entries),
    ...compareBooks(gateway, bank),
  ]
}

const STATES = {
  APPROVED: 'approved',
  DECLINED: 'declined',
  FAILED: 'failed',
} as const

/** The answers of clients agree with the gateway's books. */
function compareAnswers(entries: readonly Entry[], { transactions }: GatewayBooks): string[] {
  const differences: string[] = []
  for (const { n, action, heard } of entries) {
    // A payment that was reported as running may have ended in any way since.
    if (heard.kind !== 'answer' || heard.status === 'RUNNING' || heard.status === 'PENDING')
      continue
    const { transactionId, orderId, status, valueMinor } = heard
    const answered = `request ${n} (${action}) was answered ${status} ${valueMinor}`
    const found = transactions.get(transactionId)
    if (found === undefined) {
      differences.push(`${answered}, but the gateway has no transaction ${transactionId}`)
    } else if (
      found.state !== STATES[status] ||
      found.orderId !== orderId ||
      (status === 'APPROVED' && found.value !== BigInt(valueMinor))
    ) {
      differences.push(
        `${answered} of order ${orderId}, but the gateway has ${found.state} ${found.value} ` +
          `of order ${found.orderId}`,
      )
    }
  }
  return differences
}

/** A reference has no more orders than its requests explain, and one where it is unique. */
function compareReferences(entries: readonly Entry[], gateway: GatewayBooks): string[] {
  const differences: string[] = []
  const approved = new Map<string, number>()
  const firsts = new Map<string, GatewayTransaction>()
  for (const transaction of gateway.transactions.values()) {
    if (transaction.kind !== 'authorization' && transaction.kind !== 'sale') {
      // The one transaction of an unreferenced credit is its first too.
      if (gateway.orders.get(transaction.orderId)?.kind !== 'unreferenced_credit') continue
    }
    firsts.set(transaction.orderId, transaction)
  }
  for (const order of gateway.orders.values()) {
    // Renewals have none; their memberships count them.
    if (order.reference === '' || firsts.get(order.id)?.state !== 'approved') continue
    approved.set(order.reference, (approved.get(order.reference) ?? 0) + 1)
  }
  const asked = new Map<string, { seen: Set<string>; open: number; replay: boolean }>()
  for (const { reference, replay, heard } of entries) {
    if (reference === '') continue
    const of = asked.get(reference) ?? { seen: new Set<string>(), open: 0, replay }
    asked.set(reference, of)
    if (heard.kind === 'nothing') of.open += 1
    if (heard.kind !== 'answer') continue
    if (heard.status === 'APPROVED') of.seen.add(heard.transactionId)
    if (heard.status === 'RUNNING') of.open += 1
  }
  for (const [reference, count] of approved) {
    const of = asked.get(reference) ?? { seen: new Set(), open: 0, replay: false }
    const explained = of.seen.size + of.open
    const most = of.replay ? Math.min(1, explained) : explained
    if (count <= most) continue
    differences.push(
      `reference ${reference} has ${count} approved orders, where its requests explain ${most}`,
    )
  }
  return differences
}

const KINDS: Readonly<Record<string, GatewayTransaction['kind']>> = {
  capture: 'capture',
  refund: 'refund',
  void: 'void',
  captureVoid: 'capture_void',
}

/** An adjustment in no client's answer must be one whose answer a client lost. */
function compareUnseen(entries: readonly Entry[], gateway: GatewayBooks): string[] {
  const unseen = new Map<string, number>()
  const answered = new Set<string>()
  const open = new Map<string, number>()
  const answeredKeys = new Set(
    entries.flatMap(({ key, heard }) => (heard.kind === 'answer' ? [key] : [])),
  )
  const openKeys = new Set<string>()
  for (const { action, orderId, key, heard } of entries) {
    const kind = KINDS[action]
    if (kind === undefined) continue
    if (heard.kind === 'answer') answered.add(heard.transactionId)
    if (heard.kind === 'nothing') {
      // All requests of a key are one adjustment, which one answer explains.
      if (key !== '' && (answeredKeys.has(key) || openKeys.has(key))) continue
      openKeys.add(key)
      const name = `${orderId} ${kind}`
      open.set(name, (open.get(name) ?? 0) + 1)
    }
  }
  for (const { id, orderId, kind, state } of gateway.transactions.values()) {
    if (kind === 'authorization' || kind === 'sale' || state !== 'approved' || answered.has(id))
      continue
    if (gateway.orders.get(orderId)?.kind === 'unreferenced_credit') continue
    const name = `${orderId} ${kind}`
    unseen.set(name, (unseen.get(name) ?? 0) + 1)
  }
  return [...unseen].flatMap(([name, count]) => {
    const explained = open.get(name) ?? 0
    if (count <= explained) return []
    return [`order and action ${name}: ${count} that no answer named, ${explained} explained`]
  })
}

/** All answers to the requests of one key are about one transaction. */
function compareKeys(entries: readonly Entry[]): string[] {
  const answered = new Map<string, Set<string>>()
  for (const { key, heard } of entries) {
    if (key === '' || heard.kind !== 'answer') continue
    const transactions = answered.get(key) ?? new Set()
    answered.set(key, transactions.add(heard.transactionId))
  }
  return [...answered].flatMap(([key, transactions]) =>
    transactions.size === 1
      ? []
      : [`key ${key} was answered with ${transactions.size} transactions`],
  )
}

const NOTHING: BankEntry = { approved: 0n, captured: 0n, refunded: 0n, unreferenced: 0n }

/** The gateway's books agree with the bank's, order by order. */
function compareBooks(gateway: GatewayBooks, bank: BankSide): string[] {
  const differences: string[] = []
  const known = new Set<string>()
  for (const order of gateway.orders.values()) {
    known.add(order.key)
    const ours = amounts(expectedAtBank(order))
    const theirs = amounts(bank.entries.get(order.key) ?? NOTHING)
    if (ours !== theirs) differences.push(`order ${order.id}: gateway ${ours}; bank ${theirs}`)
  }
  for (const [key, entry] of bank.entries) {
    if (known.has(key) || amounts(entry) === amounts(NOTHING)) continue
    differences.push(`message ${key} is in no order of the gateway; bank ${amounts(entry)}`)
  }
  return differences
}

function expectedAtBank(order: GatewayOrder): BankEntry {
  const { authorized, voided, captured, refunded } = order
  if (order.kind === 'unreferenced_credit') return { ...NOTHING, unreferenced: refunded }
  return { approved: authorized - voided, captured, refunded, unreferenced: 0n }
}

function amounts({ approved, captured, refunded, unreferenced }: BankEntry): string {
  const held = approved - captured
  return `authorized ${approved}, held ${held}, captured ${captured}, refunded ${refunded + unreferenced}`
}
