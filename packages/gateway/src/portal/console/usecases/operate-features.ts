import type { Result } from '../../../base/refusal.ts'
import {
  decideDetails,
  detailsText,
  type AccountDetails,
} from '../../../domain/merchants/account-details.ts'
import {
  decideUnreferencedCredits,
  decideThreeDs,
  endsThreeDs,
  threeDsText,
  type AccountThreeDs,
} from '../../../domain/merchants/account-three-ds.ts'
import { noSuchAccount } from '../../../domain/merchants/limits-change.ts'
import { noSuchSite } from '../../../domain/merchants/refused-site.ts'
import {
  decidePolicy,
  policyText,
  relaxesPolicy,
  type ThreeDsPolicy,
} from '../../../domain/three-ds/policy.ts'
import { unreferencedCreditsText } from '../domain/changed-limits.ts'
import type { ConsoleRequester } from './console-operator.ts'
import { featureUseCases, rightFault, type DoneOrRequested } from './operate-merchants.ts'
import type { ConsoleTx, OperatorsStore } from './operators-store.ts'
import { requestOperation } from './request-operation.ts'

/** Details, 3-D Secure and unreferenced credits at the console, by the rules of the commands. */
export interface OperateFeatures {
  /** Sets the details of an account. A second operator confirms those of a live account. */
  setDetails(
    requester: ConsoleRequester,
    accountId: bigint,
    details: AccountDetails,
    reason: string,
  ): Promise<DoneOrRequested>
  /**
   * Sets the registration of an account for 3-D Secure; null for none. A second operator confirms
   * that a live account loses or changes the one that it has.
   */
  setAccountThreeDs(
    requester: ConsoleRequester,
    accountId: bigint,
    threeDs: AccountThreeDs | null,
    reason: string,
  ): Promise<DoneOrRequested>
  /**
   * Sets the 3-D Secure settings of a site; `seen` are those that the operator was shown. A second
   * operator confirms settings that let a live site authorize what it declined.
   */
  setSiteThreeDs(
    requester: ConsoleRequester,
    siteId: bigint,
    policy: ThreeDsPolicy,
    seen: ThreeDsPolicy,
    reason: string,
  ): Promise<DoneOrRequested>
  /** A second operator confirms that a live account takes unreferenced credits. */
  setUnreferencedCredits(
    requester: ConsoleRequester,
    accountId: bigint,
    allowed: boolean,
    reason: string,
  ): Promise<DoneOrRequested>
}

export function createOperateFeatures({
  transact,
}: Pick<OperatorsStore, 'transact'>): OperateFeatures {
  function allowed(
    requester: ConsoleRequester,
    work: (tx: ConsoleTx) => Promise<DoneOrRequested>,
  ): Promise<DoneOrRequested> {
    return transact(async (tx) => (await rightFault(tx, requester)) ?? work(tx))
  }

  return {
    setDetails: (requester, accountId, details, reason) =>
      allowed(requester, async (tx) => {
        const account = await tx.details.lockDetails(accountId)
        if (account === null) return noSuchAccount(accountId)
        const decided = decideDetails(accountId, account.details, details, account.facts)
        if (!decided.ok) return decided
        if ((await tx.readAccountMode(accountId)) === 'live') {
          const operation = { does: 'change_details', accountId, details } as const
          const seen = detailsText(account.details)
          const about = { label: `account ${accountId}`, seen, reason }
          return requestOperation(tx, requester, operation, about)
        }
        return done(await featureUseCases(tx).details(accountId, details, requester))
      }),

    setAccountThreeDs: (requester, accountId, threeDs, reason) =>
      allowed(requester, async (tx) => {
        const account = await tx.features.lockFeatures(accountId)
        if (account === null) return noSuchAccount(accountId)
        const decided = decideThreeDs(accountId, account.threeDs, threeDs)
        if (!decided.ok) return decided
        const mode = await tx.readAccountMode(accountId)
        if (mode === 'live' && endsThreeDs(account.threeDs, threeDs)) {
          const operation = { does: 'change_three_ds', accountId, threeDs } as const
          const seen = threeDsText(account.threeDs)
          const about = { label: `account ${accountId}`, seen, reason }
          return requestOperation(tx, requester, operation, about)
        }
        return done(await featureUseCases(tx).account.threeDs(accountId, threeDs, requester))
      }),

    setSiteThreeDs: (requester, siteId, policy, seen, reason) =>
      allowed(requester, async (tx) => {
        if ((await tx.policies.lockSite(siteId)) === null) return noSuchSite(siteId)
        const before = await tx.policies.readPolicy(siteId)
        const decided = decidePolicy(siteId, before, policy, seen)
        if (!decided.ok) return decided
        if ((await tx.readSiteMode(siteId)) === 'live' && relaxesPolicy(before, policy)) {
          const operation = { does: 'relax_three_ds', siteId, policy } as const
          const about = { label: `site ${siteId}`, seen: policyText(before), reason }
          return requestOperation(tx, requester, operation, about)
        }
        return done(await featureUseCases(tx).policy(siteId, policy, seen, requester))
      }),

    setUnreferencedCredits: (requester, accountId, isAllowed, reason) =>
      allowed(requester, async (tx) => {
        const account = await tx.features.lockFeatures(accountId)
        if (account === null) return noSuchAccount(accountId)
        const { unreferencedCredits } = account
        const decided = decideUnreferencedCredits(accountId, unreferencedCredits, isAllowed)
        if (!decided.ok) return decided
        if ((await tx.readAccountMode(accountId)) === 'live' && isAllowed) {
          const operation = { does: 'allow_unreferenced_credits', accountId } as const
          const seen = unreferencedCreditsText(unreferencedCredits)
          const about = { label: `account ${accountId}`, seen, reason }
          return requestOperation(tx, requester, operation, about)
        }
        return done(
          await featureUseCases(tx).account.unreferencedCredits(accountId, isAllowed, requester),
        )
      }),
  }
}

function done(result: Result): DoneOrRequested {
  return result.ok ? { ok: true, done: true } : result
}
