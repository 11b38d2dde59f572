import { CONSOLE_ROLES } from '@tollgate/portal-contract/console-rights'
import { findCurrency } from '../../../domain/currency.ts'
import { planText } from '../../../domain/fees/plan-text.ts'
import { demandsText } from '../../../domain/merchants/account-demands.ts'
import { detailsText } from '../../../domain/merchants/account-details.ts'
import { threeDsText } from '../../../domain/merchants/account-three-ds.ts'
import { formatMinor } from '../../../domain/money.ts'
import { policyText } from '../../../domain/three-ds/policy.ts'
import { describeKeyOperation } from '../../../domain/vault/key-operation.ts'
import { countriesText } from '../domain/changed-limits.ts'
import type { OperatorRequestView } from '../usecases/operators-store.ts'

/** A request as the console shows it. */
export function requestAnswer({ operation, label, ...request }: OperatorRequestView) {
  return { ...request, sentence: sentenceOf(operation, label) }
}

function sentenceOf(operation: OperatorRequestView['operation'], label: string): string {
  switch (operation.does) {
    case 'disable_merchant':
      return `Disable merchant ${operation.merchantId} (${label})`
    case 'raise_limit': {
      const { accountId, currency, paymentMinor, dayMinor } = operation
      const text = (minor: bigint | null): string => amountText(minor, currency)
      return (
        `Set the limits of account ${accountId} to ${text(paymentMinor)} for one payment ` +
        `and ${text(dayMinor)} for a day`
      )
    }
    case 'open_countries': {
      const { accountId, countries } = operation
      return `Let account ${accountId} take the billing countries: ${countriesText(countries)}`
    }
    case 'change_details': {
      const { accountId, details } = operation
      return `Set account ${accountId} to ${detailsText(details)}`
    }
    case 'relax_demands': {
      const { accountId, demands } = operation
      return `Set the demands of account ${accountId} to ${demandsText(demands)}`
    }
    case 'change_three_ds': {
      const { accountId, threeDs } = operation
      return `Set 3-D Secure of account ${accountId} to ${threeDsText(threeDs)}`
    }
    case 'relax_three_ds': {
      const { policy, siteId } = operation
      return `Set 3-D Secure of site ${siteId} to ${policyText(policy)}`
    }
    case 'allow_unreferenced_credits':
      return `Let account ${operation.accountId} take unreferenced credits`
    case 'set_fees': {
      const { merchantId, plan } = operation
      return `Set the fees of merchant ${merchantId} (${label}) ${planText(plan)}`
    }
    case 'put_link': {
      const { isNew, link } = operation
      return `${isNew ? 'Create' : 'Change'} link ${link.name}: ${label}`
    }
    case 'set_role':
      return `Give ${label} the role ${CONSOLE_ROLES[operation.role].title}`
    case 'reset_operator':
      return `Reset password and second factor of ${label}`
    case 'reset_portal_user':
      return (
        `Reset password and second factor of ${label}, ` +
        `a user of merchant ${operation.merchantId}`
      )
    case 'destroy_key':
    case 'replace_kek':
    case 'export_vault':
      return describeKeyOperation(operation)
  }
}

function amountText(minor: bigint | null, code: string): string {
  const currency = findCurrency(code)
  if (minor === null) return 'none'
  return currency === null ? `${minor} ${code}` : `${formatMinor(minor, currency)} ${code}`
}
