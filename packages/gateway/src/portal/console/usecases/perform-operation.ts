import type { Result } from '../../../base/refusal.ts'
import { demandsText } from '../../../domain/merchants/account-demands.ts'
import { detailsText } from '../../../domain/merchants/account-details.ts'
import { threeDsText } from '../../../domain/merchants/account-three-ds.ts'
import { policyText } from '../../../domain/three-ds/policy.ts'
import {
  countriesText,
  unreferencedCreditsText,
  seenLimits,
  seenPlans,
} from '../domain/changed-limits.ts'
import {
  seenChanged,
  type DangerousOperation,
  type OperatorRequest,
} from '../domain/operator-request.ts'
import { giveRole, resetOperator, seenOperator } from './change-operators.ts'
import type { ConsoleRequester } from './console-operator.ts'
import type { LinkDeps, NewLink } from './new-link.ts'
import { putRequestedLink } from './operate-links.ts'
import { featureUseCases, merchantUseCases } from './operate-merchants.ts'
import type { ConsoleTx } from './operators-store.ts'
import { seenKey } from './request-key-operations.ts'

type Performed = Result<{ readonly link: NewLink | null }>

type MerchantOperation = Extract<
  DangerousOperation,
  { readonly does: 'disable_merchant' | 'set_fees' }
>
type AccountOperation = Extract<DangerousOperation, { readonly accountId: bigint }>

/** Does what a second operator approved, unless its subject has changed. */
export async function performOperation(
  tx: ConsoleTx,
  deps: LinkDeps,
  { operation, seen }: Pick<OperatorRequest, 'operation' | 'seen'>,
  requester: ConsoleRequester,
): Promise<Performed> {
  if (operation.does === 'reset_portal_user') {
    const held = await tx.portalUsers.lockForReset(operation.portalUserId)
    if (!held.ok || held.portalUser.seen !== seen) return seenChanged()
    return tx.portalUsers.reset(operation.portalUserId, requester)
  }
  if ('merchantId' in operation) {
    return withoutLink(await performOnMerchant(tx, operation, seen, requester))
  }
  if ('accountId' in operation) {
    return withoutLink(await performOnAccount(tx, operation, seen, requester))
  }
  if ('siteId' in operation) {
    const { policy, siteId } = operation
    if ((await tx.policies.lockSite(siteId)) === null) return seenChanged()
    if (policyText(await tx.policies.readPolicy(siteId)) !== seen) return seenChanged()
    return withoutLink(await featureUseCases(tx).policy(siteId, policy, null, requester))
  }
  if (operation.does === 'put_link') {
    return withoutLink(await putRequestedLink(tx, operation, seen, requester))
  }
  if (!('operatorId' in operation)) {
    // A command does it, on a node that has the key-encrypting key.
    return (await seenKey(tx, operation)) === seen ? { ok: true, link: null } : seenChanged()
  }
  const operator = await tx.lockOperator(operation.operatorId)
  if (operator === null || seenOperator(operator) !== seen) return seenChanged()
  if (operation.does === 'reset_operator') {
    return { ok: true, link: await resetOperator(tx, deps, requester, operator) }
  }
  await giveRole(tx, requester, operator, operation.role)
  return { ok: true, link: null }
}

function withoutLink(done: Result): Performed {
  return done.ok ? { ok: true, link: null } : done
}

async function performOnMerchant(
  tx: ConsoleTx,
  operation: MerchantOperation,
  seen: string,
  requester: ConsoleRequester,
): Promise<Result> {
  const { fees, merchants } = merchantUseCases(tx)
  const { merchantId } = operation
  if (operation.does === 'disable_merchant') {
    return merchants.disable(merchantId, operation.reason, requester)
  }
  const facts = await tx.fees.lockMerchant(merchantId)
  if (facts === null || seenPlans(await tx.fees.readPlans(merchantId)) !== seen) {
    return seenChanged()
  }
  return fees(merchantId, operation.plan, requester)
}

async function performOnAccount(
  tx: ConsoleTx,
  operation: AccountOperation,
  seen: string,
  requester: ConsoleRequester,
): Promise<Result> {
  const { limits, demands } = merchantUseCases(tx)
  const { accountId } = operation
  if (operation.does === 'change_three_ds' || operation.does === 'allow_unreferenced_credits') {
    return performOnFeatures(tx, operation, seen, requester)
  }
  if (operation.does === 'change_details') {
    const account = await tx.details.lockDetails(accountId)
    if (account === null || detailsText(account.details) !== seen) return seenChanged()
    return featureUseCases(tx).details(accountId, operation.details, requester)
  }
  if (operation.does === 'relax_demands') {
    const account = await tx.demands.lockDemands(accountId)
    if (account === null || demandsText(account.demands) !== seen) return seenChanged()
    return demands(accountId, operation.demands, requester)
  }
  const account = await tx.limits.lockLimits(accountId)
  if (operation.does === 'raise_limit') {
    const { currency, paymentMinor, dayMinor } = operation
    if (seenLimits(account?.limits.amounts.get(currency)) !== seen) return seenChanged()
    return limits.setAmounts(accountId, currency, { paymentMinor, dayMinor }, requester)
  }
  if (account === null || countriesText(account.limits.countries) !== seen) return seenChanged()
  return limits.setCountries(accountId, operation.countries, requester)
}

async function performOnFeatures(
  tx: ConsoleTx,
  operation: Extract<
    AccountOperation,
    { readonly does: 'change_three_ds' | 'allow_unreferenced_credits' }
  >,
  seen: string,
  requester: ConsoleRequester,
): Promise<Result> {
  const { account: change } = featureUseCases(tx)
  const { accountId } = operation
  const account = await tx.features.lockFeatures(accountId)
  if (account === null) return seenChanged()
  if (operation.does === 'change_three_ds') {
    if (threeDsText(account.threeDs) !== seen) return seenChanged()
    return change.threeDs(accountId, operation.threeDs, requester)
  }
  if (unreferencedCreditsText(account.unreferencedCredits) !== seen) return seenChanged()
  return change.unreferencedCredits(accountId, true, requester)
}
