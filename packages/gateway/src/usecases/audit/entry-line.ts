import type { ChainedEntry } from './audit-chain.ts'

/** An entry as one line of JSON; docs/operators/audit-log.md says how it is checked. */
export function entryLine(entry: ChainedEntry): string {
  return JSON.stringify({
    number: Number(entry.number),
    at: entry.at,
    actor: entry.actor,
    operation: entry.operation,
    object: entry.object,
    merchant_id: entry.merchantId,
    address: entry.address,
    result: entry.result,
    details: entry.details,
    previous_hash: entry.previousHash,
    hash: entry.hash,
  })
}
