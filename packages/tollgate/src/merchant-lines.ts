import type { AccountView, SiteView } from '@tollgate/gateway/operator'
import { amountText } from './batch-agreement-lines.ts'

/** A site in one line, from its id on. */
export function siteLine(site: SiteView): string {
  const accounts =
    site.accounts.length === 0 ? 'no account' : `accounts ${site.accounts.join(', ')}`
  return (
    `${site.id} ${site.name}: ${site.mode}, ${site.tolerance}, ${site.defaultCurrency}, ` +
    `${accounts}, ${site.hasTokenKey ? 'a token key' : 'no token key'}`
  )
}

/** A merchant account in one line, from its id on. */
export function accountLine(account: AccountView): string {
  const sites = account.sites.length === 0 ? 'no site' : `sites ${account.sites.join(', ')}`
  return (
    `${account.id} ${account.processorName}: ${account.mode}, ` +
    `${account.link === null ? 'the bundled bank' : `link ${account.link}`}, ` +
    `${account.currencies.join(' ')}, ${sites}`
  )
}

/** A merchant account in several lines. */
export function accountLines(account: AccountView): string[] {
  const { standsFor } = account
  return [
    accountLine(account),
    `  merchant ${account.merchantId}` +
      (standsFor === null ? '' : `, stands for test account ${standsFor}`),
    `  acquirer ${account.acquirerId}, merchant number ${account.acquirerMerchantId}, ` +
      `category ${account.categoryCode}`,
    `  name and location: ${account.nameAndLocation.replaceAll(/ {2,}/g, ', ').trim()}`,
    `  unreferenced refunds ${account.unreferencedCredits ? 'allowed' : 'refused'}`,
    ...demandLines(account),
    ...limitLines(account),
  ]
}

function demandLines({ demands: { brands, requiredFields } }: AccountView): string[] {
  return [
    ...(brands === null ? [] : [`  card brands: only ${brands.join(', ')}`]),
    ...(requiredFields.length === 0 ? [] : [`  required fields: ${requiredFields.join(', ')}`]),
  ]
}

function limitLines({ limits: { amounts, countries }, today }: AccountView): string[] {
  const lines = [...amounts].map(([code, { paymentMinor, dayMinor }]) => {
    const parts = [
      paymentMinor === null ? [] : [`${amountText(paymentMinor, code)} a payment`],
      dayMinor === null
        ? []
        : [`${amountText(dayMinor, code)} a day, ${amountText(today.get(code) ?? 0n, code)} today`],
    ]
    return `  limit: ${parts.flat().join('; ')}`
  })
  if (countries === null) return lines
  const rule = countries.rule === 'allow' ? 'only' : 'all except'
  return [...lines, `  billing countries: ${rule} ${countries.codes.join(', ')}`]
}
