import { refused, type Result } from '../../base/refusal.ts'

type Mode = 'test' | 'live'

/** A merchant account that a site may use, in the sequence in which payments try them. */
export interface SiteAccount {
  readonly id: string
  readonly mode: Mode
  /** `link <name>`, or `the bundled bank`. */
  readonly link: string
  readonly currencies: readonly string[]
}

/** The bank that a site's payments used and will use, for each of its currencies. */
export interface ModeChange {
  readonly from: Mode
  readonly routes: readonly {
    readonly currency: string
    readonly from: string
    readonly to: string
  }[]
}

/** Whether a site may move to `to`: not where it is already, and no currency may be lost. */
export function decideModeChange(
  siteId: bigint,
  from: Mode,
  to: Mode,
  accounts: readonly SiteAccount[],
): Result<{ readonly change: ModeChange }> {
  if (from === to) return refused('conflict', `Site ${siteId} is in ${to} mode already.`)
  const [before, after] = [routesOf(accounts, from), routesOf(accounts, to)]
  const missing = [...before.keys()].filter((currency) => !after.has(currency))
  if (missing.length > 0 || after.size === 0) {
    const lacks = missing.join(', ') || 'any currency'
    return refused(
      'conflict',
      `Site ${siteId} has no ${to} account for ${lacks}. Give it one with "tollgate accounts put".`,
    )
  }
  const routes = [...after].map(([currency, route]) => ({
    currency,
    from: before.get(currency) ?? 'refused',
    to: route,
  }))
  return { ok: true, change: { from, routes } }
}

/** Which account of a mode takes each currency: of several the first. */
function routesOf(accounts: readonly SiteAccount[], wanted: Mode): Map<string, string> {
  const routes = new Map<string, string>()
  for (const { currencies, id, link, mode } of accounts) {
    const added = mode === wanted ? currencies.filter((currency) => !routes.has(currency)) : []
    for (const currency of added) routes.set(currency, `account ${id}, ${link}`)
  }
  return routes
}
