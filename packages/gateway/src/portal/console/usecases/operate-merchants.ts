import { isTimeZone } from '@tollgate/kernel/time-zone'
import { mayOperate } from '@tollgate/portal-contract/console-rights'
import type { Refusal, Result } from '../../../base/refusal.ts'
import {
  decideDemands,
  demandsText,
  relaxesDemands,
  type AccountDemands,
} from '../../../domain/merchants/account-demands.ts'
import type { AmountLimit, CountryRule } from '../../../domain/merchants/account-limits.ts'
import {
  decideAmounts,
  decideCountries,
  noSuchAccount,
} from '../../../domain/merchants/limits-change.ts'
import { decideDisabling, noSuchMerchant } from '../../../domain/merchants/merchant-change.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import { createPutFeePlan, type PutFeePlan } from '../../../usecases/fees/put-plan.ts'
import {
  createMerchantAdmin,
  type MerchantAdmin,
} from '../../../usecases/merchants/administer-merchants.ts'
import {
  createChangeAccountDemands,
  type ChangeAccountDemands,
} from '../../../usecases/merchants/change-account-demands.ts'
import {
  createChangeAccountDetails,
  type ChangeAccountDetails,
} from '../../../usecases/merchants/change-account-details.ts'
import {
  createChangeAccountFeatures,
  type ChangeAccountFeatures,
} from '../../../usecases/merchants/change-account-features.ts'
import {
  createChangeAccountLimits,
  type ChangeAccountLimits,
} from '../../../usecases/merchants/change-account-limits.ts'
import {
  createChangeThreeDsPolicy,
  type ChangeThreeDsPolicy,
} from '../../../usecases/three-ds/change-policy.ts'
import { countriesText, opensCountries, raisesLimit, seenLimits } from '../domain/changed-limits.ts'
import { rightTakenAway } from '../domain/operator-changes.ts'
import type { ConsoleRequester } from './console-operator.ts'
import type { ConsoleTx, OperatorsStore } from './operators-store.ts'
import { requestOperation } from './request-operation.ts'

/** `done` is false for an operation that waits for a second operator. */
export type DoneOrRequested = Result<{ readonly done: boolean }>

/** Operations of operators on merchants at the console, by the rules of the commands. */
export interface OperateMerchants {
  /** At once for a merchant in test mode; a merchant with a live site needs a second operator. */
  disable(requester: ConsoleRequester, id: bigint, reason: string): Promise<DoneOrRequested>
  enable(requester: ConsoleRequester, id: bigint): Promise<DoneOrRequested>
  /**
   * Sets the limits of an account in a currency, in minor units; null for none. A second operator
   * confirms a raised limit of a live account.
   */
  setLimits(
    requester: ConsoleRequester,
    accountId: bigint,
    currency: string,
    limit: AmountLimit,
    reason: string,
  ): Promise<DoneOrRequested>
  /**
   * Sets the billing countries that an account takes or refuses; null takes every country. A second
   * operator confirms a country that a live account refused before.
   */
  setCountries(
    requester: ConsoleRequester,
    accountId: bigint,
    countries: CountryRule | null,
    reason: string,
  ): Promise<DoneOrRequested>
  /**
   * Sets what the acquirer of an account demands. A second operator confirms a change that lets a
   * live account take a payment that it declined before.
   */
  setDemands(
    requester: ConsoleRequester,
    accountId: bigint,
    demands: AccountDemands,
    reason: string,
  ): Promise<DoneOrRequested>
}

/** Lets a use case work in a transaction that its caller began. */
export function within<Tx extends AuditedTx>(part: Tx): Transact<Tx> {
  return (work) => work(part)
}

/** The use cases of the commands, within a transaction of the caller. */
export function merchantUseCases(tx: ConsoleTx): {
  readonly merchants: MerchantAdmin
  readonly limits: ChangeAccountLimits
  readonly demands: ChangeAccountDemands
  readonly fees: PutFeePlan
} {
  return {
    merchants: createMerchantAdmin(within(tx.merchants), isTimeZone),
    limits: createChangeAccountLimits(within(tx.limits)),
    demands: createChangeAccountDemands(within(tx.demands)),
    fees: createPutFeePlan(within(tx.fees)),
  }
}

/** The use cases of features of accounts and sites, within a transaction of the caller. */
export function featureUseCases(tx: ConsoleTx): {
  readonly account: ChangeAccountFeatures
  readonly details: ChangeAccountDetails
  readonly policy: ChangeThreeDsPolicy
} {
  return {
    account: createChangeAccountFeatures(within(tx.features)),
    details: createChangeAccountDetails(within(tx.details)),
    policy: createChangeThreeDsPolicy(within(tx.policies)),
  }
}

export function createOperateMerchants({ transact }: OperatorsStore): OperateMerchants {
  function allowed(
    requester: ConsoleRequester,
    work: (tx: ConsoleTx) => Promise<DoneOrRequested>,
  ): Promise<DoneOrRequested> {
    return transact(async (tx) => (await rightFault(tx, requester)) ?? work(tx))
  }

  return {
    disable: (requester, id, reason) =>
      allowed(requester, async (tx) => {
        const before = await tx.merchants.lockMerchant(id)
        if (before === null) return noSuchMerchant(id)
        const refusal = decideDisabling(id, before, reason)
        if (refusal !== null) return refusal
        if ((await tx.countLiveSites(id)) > 0) {
          const operation = { does: 'disable_merchant', merchantId: id, reason } as const
          const about = { label: before.name, seen: 'enabled', reason }
          return requestOperation(tx, requester, operation, about)
        }
        const disabled = await merchantUseCases(tx).merchants.disable(id, reason, requester)
        return disabled.ok ? { ok: true, done: true } : disabled
      }),

    enable: (requester, id) =>
      allowed(requester, async (tx) => {
        const enabled = await merchantUseCases(tx).merchants.enable(id, requester)
        return enabled.ok ? { ok: true, done: true } : enabled
      }),

    setLimits: (requester, accountId, currency, limit, reason) =>
      allowed(requester, async (tx) => {
        const account = await tx.limits.lockLimits(accountId)
        const mode = await tx.readAccountMode(accountId)
        if (account === null || mode === null) return noSuchAccount(accountId)
        const decided = decideAmounts(account, currency, limit)
        if (!decided.ok) return decided
        const before = account.limits.amounts.get(currency)
        if (mode === 'live' && raisesLimit(before, limit)) {
          const operation = { does: 'raise_limit', accountId, currency, ...limit } as const
          const about = { label: `account ${accountId}`, seen: seenLimits(before), reason }
          return requestOperation(tx, requester, operation, about)
        }
        const { limits } = merchantUseCases(tx)
        const set = await limits.setAmounts(accountId, currency, limit, requester)
        return set.ok ? { ok: true, done: true } : set
      }),

    setCountries: (requester, accountId, countries, reason) =>
      allowed(requester, async (tx) => {
        const account = await tx.limits.lockLimits(accountId)
        const mode = await tx.readAccountMode(accountId)
        if (account === null || mode === null) return noSuchAccount(accountId)
        const decided = decideCountries(account, countries)
        if (!decided.ok) return decided
        const before = account.limits.countries
        if (mode === 'live' && opensCountries(before, decided.limits.countries)) {
          const wanted = decided.limits.countries
          const operation = { does: 'open_countries', accountId, countries: wanted } as const
          const about = { label: `account ${accountId}`, seen: countriesText(before), reason }
          return requestOperation(tx, requester, operation, about)
        }
        const { limits } = merchantUseCases(tx)
        const set = await limits.setCountries(accountId, countries, requester)
        return set.ok ? { ok: true, done: true } : set
      }),

    setDemands: (requester, accountId, wanted, reason) =>
      allowed(requester, async (tx) => {
        const account = await tx.demands.lockDemands(accountId)
        const mode = await tx.readAccountMode(accountId)
        if (account === null || mode === null) return noSuchAccount(accountId)
        const decided = decideDemands(accountId, account.demands, wanted)
        if (!decided.ok) return decided
        const { demands } = decided
        if (mode === 'live' && relaxesDemands(account.demands, demands)) {
          const operation = { does: 'relax_demands', accountId, demands } as const
          const seen = demandsText(account.demands)
          const about = { label: `account ${accountId}`, seen, reason }
          return requestOperation(tx, requester, operation, about)
        }
        const set = await merchantUseCases(tx).demands(accountId, demands, requester)
        return set.ok ? { ok: true, done: true } : set
      }),
  }
}

/**
 * Why the operator may not change merchants; null where they may. A role may be changed while a
 * page is open, so it is judged again in the transaction.
 */
export async function rightFault(
  tx: ConsoleTx,
  { operator }: ConsoleRequester,
): Promise<Refusal | null> {
  if (operator === null) return null
  const role = await tx.readRole(operator.id)
  return role !== null && mayOperate(role, 'merchants.change') ? null : rightTakenAway()
}
