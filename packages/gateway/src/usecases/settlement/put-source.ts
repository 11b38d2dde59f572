import { holdsCardSecret } from '../../base/card-masking.ts'
import { refused, type Result } from '../../base/refusal.ts'
import { findCurrency } from '../../domain/currency.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The names that the settlement files of a merchant account have. */
export interface SourceRequest {
  readonly accountId: bigint
  /** ISO 4217 alphabetic code of the settlement. */
  readonly currency: string
  readonly sender: string
  readonly receiver: string
  /** The acquirer's name of the account. */
  readonly account: string
  /** ISO 8601 date: captures and refunds from this day on are expected in files. */
  readonly since: string
  /** The rate of a file may differ from the authorization's by so many hundredths of a percent. */
  readonly fxBandBasisPoints: number
}

export interface SourceTx {
  /** Locks a merchant account; null for none. */
  lockAccount(accountId: bigint): Promise<{ readonly merchantId: bigint } | null>
  /** Another merchant account whose files say the same of themselves; null for none. */
  findTaken(request: SourceRequest): Promise<bigint | null>
  /** Makes or changes the source; the answer is its id. */
  put(request: SourceRequest, merchantId: bigint, by: string): Promise<bigint>
}

const MOST_CHARACTERS = 64
/** DE 42, by which acquirers name their accounts. Its digits may pass for a card number. */
const ACCOUNT_CHARACTERS = 15

/** Sets from which files a merchant account is settled in a currency. */
export async function putSource(
  transact: Transact<SourceTx & AuditedTx>,
  request: SourceRequest,
  by: AuditAuthor,
): Promise<Result<{ readonly id: bigint }>> {
  const faults = sourceFaults(request)
  if (faults.length > 0) return refused('invalid', faults)
  return transact(async (tx): Promise<Result<{ readonly id: bigint }>> => {
    const account = await tx.lockAccount(request.accountId)
    if (account === null) {
      return refused('missing', `Merchant account ${request.accountId} does not exist.`)
    }
    const taken = await tx.findTaken(request)
    if (taken !== null) {
      return refused(
        'conflict',
        `Files of this sender and account settle merchant account ${taken}.`,
      )
    }
    const id = await tx.put(request, account.merchantId, by.actor)
    const { accountId, fxBandBasisPoints, ...details } = request
    await tx.audit([
      {
        ...by,
        operation: 'settlement.source_put',
        object: `merchant account ${accountId}`,
        merchantId: account.merchantId,
        result: 'done',
        details: { ...details, fx_band_basis_points: fxBandBasisPoints },
      },
    ])
    return { ok: true, id }
  })
}

function sourceFaults(request: SourceRequest): string[] {
  const { currency, fxBandBasisPoints, since } = request
  const faults = (['sender', 'receiver', 'account'] as const)
    .filter((name) => request[name] === '' || request[name].length > MOST_CHARACTERS)
    .map((name) => `The ${name} is empty or longer than ${MOST_CHARACTERS} characters.`)
  for (const name of ['sender', 'receiver', 'account'] as const) {
    const mayBeNumber = name === 'account' && request.account.length <= ACCOUNT_CHARACTERS
    if (mayBeNumber || !holdsCardSecret(request[name])) continue
    faults.push(`The ${name} looks like a card number. Files name banks and accounts, never cards.`)
  }
  if (!/^[A-Z]{3}$/.test(currency) || findCurrency(currency) === null) {
    faults.push(`${currency} is no currency of ISO 4217.`)
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(since) || Number.isNaN(Date.parse(since))) {
    faults.push(`${since} is no date. Write it as 2026-11-19.`)
  }
  if (!Number.isInteger(fxBandBasisPoints) || fxBandBasisPoints < 0 || fxBandBasisPoints > 10_000) {
    faults.push('The band of rates is a whole number from 0 to 10000 hundredths of a percent.')
  }
  return faults
}
