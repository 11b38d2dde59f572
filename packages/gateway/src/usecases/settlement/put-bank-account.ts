import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import { findCurrency } from '../../domain/currency.ts'
import { accountNumberFault, accountNumberOf } from '../../domain/settlement/account-number.ts'
import { patternFault } from '../../domain/settlement/bounded-pattern.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** A bank account to which acquirers pay a merchant. */
export interface BankAccountRequest {
  readonly merchantId: bigint
  /** An IBAN or another number. It is hashed, and stored nowhere. */
  readonly number: string
  /** ISO 4217 alphabetic code. */
  readonly currency: string
  readonly reversals: 'as_given' | 'inverted'
  /** ISO 8601 date. */
  readonly since: string
}

/** How the deposits of the source of a merchant account look. */
export interface PayerRequest {
  readonly accountId: bigint
  readonly currency: string
  /** The acquirer's name as the bank writes it; '' for any. */
  readonly payerName: string
  /** A bounded pattern of references; '' for none. */
  readonly referencePattern: string
}

/** The verbs of both in one transaction. */
export interface BankAccountTx {
  /** Locks a merchant. The answer is whether there is one. */
  lockMerchant(merchantId: bigint): Promise<boolean>
  /** The merchant that has the account; null for none. */
  findOwner(hash: string, currency: string): Promise<bigint | null>
  /** Makes or changes the account; the answer is its id. */
  putAccount(
    account: Omit<BankAccountRequest, 'number'> & { readonly hash: string; readonly last4: string },
    by: string,
  ): Promise<bigint>
  /** Locks the settlement source of a merchant account; null for none. */
  lockSource(
    accountId: bigint,
    currency: string,
  ): Promise<{ readonly id: bigint; readonly merchantId: bigint } | null>
  putPayer(
    source: { readonly id: bigint; readonly merchantId: bigint },
    payer: PayerRequest,
    by: string,
  ): Promise<void>
}

type Put<Request, Done> = (
  transact: Transact<BankAccountTx & AuditedTx>,
  request: Request,
  by: AuditAuthor,
) => Promise<Result<Done>>

const LONGEST_NAME = 140

/** Registers a bank account of a merchant, or changes it. @param sha256 hashes a text */
export function createPutBankAccount(
  sha256: (text: string) => string,
): Put<BankAccountRequest, { readonly last4: string }> {
  return async (transact, request, by) => {
    const faults = accountFaults(request)
    if (faults.length > 0) return refused('invalid', faults)
    const { number, ...settings } = request
    const hash = sha256(accountNumberOf(number))
    const last4 = accountNumberOf(number).slice(-4)
    return transact(async (tx): Promise<Result<{ readonly last4: string }>> => {
      const { currency, merchantId, reversals, since } = settings
      if (!(await tx.lockMerchant(merchantId))) {
        return refused('missing', `Merchant ${merchantId} does not exist.`)
      }
      const owner = await tx.findOwner(hash, currency)
      if (owner !== null && owner !== merchantId) {
        const fault = `The bank account ending in ${last4} belongs to merchant ${owner}.`
        return refused('conflict', fault)
      }
      const id = await tx.putAccount({ ...settings, hash, last4 }, by.actor)
      const details = { account: `ending in ${last4}`, currency, reversals, since }
      await tx.audit([
        {
          ...by,
          operation: 'deposits.account_put',
          object: `bank account ${id}`,
          merchantId,
          result: 'done',
          details,
        },
      ])
      return { ok: true, last4 }
    })
  }
}

function accountFaults({ currency, number, since }: BankAccountRequest): string[] {
  const fault = accountNumberFault(number)
  const faults = fault === null ? [] : [fault]
  if (!/^[A-Z]{3}$/.test(currency) || findCurrency(currency) === null) {
    faults.push(`${currency} is no currency of ISO 4217.`)
  }
  if (!/^\d{4}-\d{2}-\d{2}$/.test(since) || Number.isNaN(Date.parse(since))) {
    faults.push(`${since} is no date. Write it as 2026-11-19.`)
  }
  return faults
}

/** Sets how the deposits of a settlement source look in bank statements. */
export const putPayer: Put<PayerRequest, object> = async (transact, request, by) => {
  const fault = payerFault(request)
  if (fault !== null) return refused('invalid', fault)
  const { accountId, currency, payerName, referencePattern } = request
  return transact(async (tx): Promise<{ readonly ok: true } | Refusal> => {
    const source = await tx.lockSource(accountId, currency)
    if (source === null) {
      const why = `Merchant account ${accountId} has no settlement source in ${currency}.`
      return refused('missing', `${why} Set it with "tollgate settlement source" first.`)
    }
    await tx.putPayer(source, request, by.actor)
    await tx.audit([
      {
        ...by,
        operation: 'deposits.payer_put',
        object: `merchant account ${accountId}`,
        merchantId: source.merchantId,
        result: 'done',
        details: { currency, name: payerName, reference: referencePattern },
      },
    ])
    return { ok: true }
  })
}

function payerFault({ payerName, referencePattern }: PayerRequest): string | null {
  if (payerName.trim() === '' && referencePattern === '') {
    return 'Neither a name nor a reference was given; entries are recognised by one of them.'
  }
  if (payerName.length > LONGEST_NAME) {
    return `The name has ${payerName.length} characters; at most ${LONGEST_NAME} are allowed.`
  }
  const fault = referencePattern === '' ? null : patternFault(referencePattern)
  return fault === null ? null : `The pattern of the references ${fault}.`
}
