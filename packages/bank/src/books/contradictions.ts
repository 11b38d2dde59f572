import type { Balance, GeneralLedger } from '../issuer/balance.ts'
import type { MessageMemory } from './message-memory.ts'
import { heldOf } from './order.ts'
import type { Remembered } from './order.ts'

/** The parts of the books that must fit each other. */
interface CheckedBooks {
  readonly messages: MessageMemory<Remembered>
  readonly balances: ReadonlyMap<string, Balance>
  readonly ledgers: ReadonlyMap<string, GeneralLedger>
}

/** A sentence for each contradiction between accounts, orders and ledgers; none when sound. */
export function findContradictions(books: CheckedBooks): string[] {
  const found: string[] = []
  const heldByOrders = new Map<Balance, bigint>()
  for (const [key, entry] of books.messages.all()) {
    if (entry.kind !== 'auth') continue
    const held = heldOf(entry)
    if (held < 0n) found.push(`Order ${key} is captured past its authorization.`)
    heldByOrders.set(entry.balance, (heldByOrders.get(entry.balance) ?? 0n) + held)
  }
  const totals = new Map<string, bigint>()
  for (const balance of books.balances.values()) {
    try {
      balance.check()
    } catch (error) {
      found.push(error instanceof Error ? error.message : String(error))
    }
    const held = heldByOrders.get(balance) ?? 0n
    if (held !== balance.held) {
      found.push(`Account ${balance.account} holds ${balance.held}, its orders hold ${held}.`)
    }
    const { currency } = balance
    totals.set(currency, (totals.get(currency) ?? 0n) + balance.available + balance.held)
  }
  for (const [currency, ledger] of books.ledgers) {
    let sum = (totals.get(currency) ?? 0n) + ledger.suspense
    sum += ledger.issuerClearing + ledger.acquirerClearing
    for (const amount of ledger.payable.values()) sum += amount
    if (sum !== 0n) found.push(`The ledger in currency ${currency} is out of balance by ${sum}.`)
  }
  return found
}
