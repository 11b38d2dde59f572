import type { ConsoleRole } from '@tollgate/portal-contract/console-rights'
import {
  planOf,
  storedPrices,
  type StoredPrices,
} from '../../../adapters/postgres/fees/fee-plan-rows.ts'
import type { LinkOutline, SealedLinkKey } from '../../../domain/banks/link-outline.ts'
import type { AccountDemands } from '../../../domain/merchants/account-demands.ts'
import type { AccountDetails } from '../../../domain/merchants/account-details.ts'
import type { CountryRule } from '../../../domain/merchants/account-limits.ts'
import type { AccountThreeDs } from '../../../domain/merchants/account-three-ds.ts'
import type { ThreeDsPolicy } from '../../../domain/three-ds/policy.ts'
import type { KeyOperation } from '../../../domain/vault/key-operation.ts'
import type { DangerousOperation } from '../domain/operator-request.ts'

/** An operation as it is stored: JSON has no whole numbers of this size, so they are text. */
export type StoredOperation = { readonly label: string } & (
  | { readonly does: 'disable_merchant'; readonly merchant: string; readonly reason: string }
  | {
      readonly does: 'raise_limit'
      readonly account: string
      readonly currency: string
      readonly payment: string | null
      readonly day: string | null
    }
  | {
      readonly does: 'open_countries'
      readonly account: string
      readonly countries: CountryRule | null
    }
  | {
      readonly does: 'change_details'
      readonly account: string
      readonly details: AccountDetails
    }
  | {
      readonly does: 'relax_demands'
      readonly account: string
      readonly demands: AccountDemands
    }
  | {
      readonly does: 'change_three_ds'
      readonly account: string
      readonly threeDs: AccountThreeDs | null
    }
  | { readonly does: 'relax_three_ds'; readonly site: string; readonly policy: ThreeDsPolicy }
  | { readonly does: 'allow_unreferenced_credits'; readonly account: string }
  | {
      readonly does: 'set_fees'
      readonly merchant: string
      readonly startsOn: string
      readonly prices: StoredPrices
    }
  | { readonly does: 'put_link'; readonly isNew: boolean; readonly link: LinkOutline }
  | { readonly does: 'set_role'; readonly operator: string; readonly role: ConsoleRole }
  | { readonly does: 'reset_operator'; readonly operator: string }
  | { readonly does: 'reset_portal_user'; readonly portalUser: string; readonly merchant: string }
  | KeyOperation
)

/** The JSON that is stored for an operation. */
export function storedOf(operation: DangerousOperation, label: string): StoredOperation {
  const text = (minor: bigint | null): string | null => minor?.toString() ?? null
  switch (operation.does) {
    case 'disable_merchant': {
      const { does, merchantId, reason } = operation
      return { does, label, merchant: merchantId.toString(), reason }
    }
    case 'raise_limit': {
      const { does, accountId, currency, paymentMinor, dayMinor } = operation
      const limit = { payment: text(paymentMinor), day: text(dayMinor) }
      return { does, label, account: accountId.toString(), currency, ...limit }
    }
    case 'open_countries': {
      const { does, accountId, countries } = operation
      return { does, label, account: accountId.toString(), countries }
    }
    case 'change_details': {
      const { does, accountId, details } = operation
      return { does, label, account: accountId.toString(), details }
    }
    case 'relax_demands': {
      const { does, accountId, demands } = operation
      return { does, label, account: accountId.toString(), demands }
    }
    case 'change_three_ds': {
      const { does, accountId, threeDs } = operation
      return { does, label, account: accountId.toString(), threeDs }
    }
    case 'relax_three_ds': {
      const { does, siteId, policy } = operation
      return { does, label, site: siteId.toString(), policy }
    }
    case 'allow_unreferenced_credits':
      return { does: operation.does, label, account: operation.accountId.toString() }
    case 'set_fees': {
      const { does, merchantId, plan } = operation
      const { startsOn } = plan
      return { does, label, merchant: merchantId.toString(), startsOn, prices: storedPrices(plan) }
    }
    // The key has columns of its own, which the end of the request empties.
    case 'put_link': {
      const { does, isNew, link } = operation
      return { does, label, isNew, link }
    }
    case 'set_role': {
      const { does, operatorId, role } = operation
      return { does, label, operator: operatorId.toString(), role }
    }
    case 'reset_operator':
      return { does: operation.does, label, operator: operation.operatorId.toString() }
    case 'reset_portal_user': {
      const { does, portalUserId, merchantId } = operation
      return { does, label, portalUser: portalUserId.toString(), merchant: merchantId.toString() }
    }
    case 'destroy_key':
    case 'replace_kek':
    case 'export_vault':
      return { ...operation, label }
  }
}

/** The operation of stored JSON; `key`: the one that a link waits with, null for none. */
export function operationOf(
  stored: StoredOperation,
  key: SealedLinkKey | null,
): DangerousOperation {
  const minor = (text: string | null): bigint | null => (text === null ? null : BigInt(text))
  switch (stored.does) {
    case 'disable_merchant': {
      const { does, merchant, reason } = stored
      return { does, merchantId: BigInt(merchant), reason }
    }
    case 'raise_limit': {
      const { does, account, currency, payment, day } = stored
      const limit = { paymentMinor: minor(payment), dayMinor: minor(day) }
      return { does, accountId: BigInt(account), currency, ...limit }
    }
    case 'open_countries': {
      const { does, account, countries } = stored
      return { does, accountId: BigInt(account), countries }
    }
    case 'change_details': {
      const { does, account, details } = stored
      return { does, accountId: BigInt(account), details }
    }
    case 'relax_demands': {
      const { does, account, demands } = stored
      return { does, accountId: BigInt(account), demands }
    }
    case 'change_three_ds': {
      const { does, account, threeDs } = stored
      return { does, accountId: BigInt(account), threeDs }
    }
    case 'relax_three_ds': {
      const { does, site, policy } = stored
      return { does, siteId: BigInt(site), policy }
    }
    case 'allow_unreferenced_credits':
      return { does: stored.does, accountId: BigInt(stored.account) }
    case 'set_fees': {
      const { does, merchant, startsOn, prices } = stored
      return { does, merchantId: BigInt(merchant), plan: planOf(startsOn, prices) }
    }
    case 'put_link':
      return { does: stored.does, isNew: stored.isNew, link: stored.link, key }
    case 'set_role':
      return { does: stored.does, operatorId: BigInt(stored.operator), role: stored.role }
    case 'reset_operator':
      return { does: stored.does, operatorId: BigInt(stored.operator) }
    case 'reset_portal_user': {
      const { does, portalUser, merchant } = stored
      return { does, portalUserId: BigInt(portalUser), merchantId: BigInt(merchant) }
    }
    case 'destroy_key':
      return { does: stored.does, keyId: stored.keyId, unreadable: stored.unreadable }
    case 'replace_kek':
      return { does: stored.does, to: stored.to }
    case 'export_vault':
      return { does: stored.does, keyName: stored.keyName }
  }
}
