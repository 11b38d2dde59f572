/** The tabs of a site's page, in their sequence; the names are in addresses. */
export const SITE_TABS = {
  general: 'General',
  accounts: 'Merchant accounts',
  checks: 'AVS and CVV',
  'three-ds': '3-D Secure',
  'card-testing': 'Card testing',
  tokens: 'Card fields',
  mail: 'E-mail',
  mode: 'Test and live',
} as const

export type SiteTab = keyof typeof SITE_TABS

export function readSiteTab(text: unknown): SiteTab {
  return typeof text === 'string' && text in SITE_TABS ? (text as SiteTab) : 'general'
}
