/** All rights of the portal, each with its description. */
export const RIGHTS = {
  'home.see': 'view the home page',
  'orders.see': 'view orders',
  'orders.export': 'download order lists',
  'orders.capture': 'capture authorizations',
  'orders.void': 'void authorizations and captures',
  'orders.refund': "refund, up to the user's limit",
  'orders.charge': 'charge a saved card again',
  'orders.note': 'write notes',
  'terminal.use': 'take payments in the virtual terminal',
  'customers.see': 'view customers and their cards',
  'customers.change': 'change customers and delete cards',
  'customers.erase': 'erase the personal data of customers',
  'products.change': 'change the catalogue',
  'memberships.see': 'view memberships',
  'memberships.change': 'change, cancel and retry memberships',
  'batches.see': 'view batches, payouts and statements',
  'batches.close': 'close batches',
  'recon.see': 'view reconciliation',
  'recon.resolve': 'assign and resolve differences',
  'disputes.see': 'view disputes and their evidence',
  'disputes.answer': 'accept and contest disputes',
  'settings.see': 'view settings',
  'sites.change': 'change site settings',
  'sites.go_live': 'request test or live mode for a site',
  'sites.approve_live': "approve another user's request for test or live mode",
  'api_users.change': 'create and retire passwords of API users',
  'webhooks.change': 'change webhooks and send events again',
  'portal_users.see': 'view portal users',
  'portal_users.change': 'invite portal users and change their roles',
  'audit.see': 'view the audit log',
  'support.end': 'end a support visit of an operator',
  'developer.see': 'view the request log and test pages',
  'developer.change': "change the test bank, a test site's clock and its data",
} as const

export type Right = keyof typeof RIGHTS

const ALL = Object.keys(RIGHTS) as Right[]
const SEE = ALL.filter(
  (right) => right.endsWith('.see') && right !== 'portal_users.see' && right !== 'audit.see',
)

/** The rights of each role. A right that no other role names belongs to owners and admins. */
export const ROLES = {
  owner: { title: 'Owner', rights: ALL },
  admin: { title: 'Admin', rights: ALL.filter((right) => right !== 'sites.go_live') },
  finance: {
    title: 'Finance',
    rights: [
      ...SEE.filter((right) => right !== 'developer.see'),
      'orders.export',
      'orders.capture',
      'orders.void',
      'orders.refund',
      'orders.note',
      'batches.close',
      'recon.resolve',
      'disputes.answer',
      'audit.see',
    ],
  },
  support: {
    title: 'Support',
    rights: [
      'home.see',
      'orders.see',
      'orders.void',
      'orders.refund',
      'orders.note',
      'orders.charge',
      'terminal.use',
      'customers.see',
      'customers.change',
      'memberships.see',
      'memberships.change',
      'disputes.see',
    ],
  },
  developer: {
    title: 'Developer',
    // Not `api_users.change`: with an API user's password, refunds have no limit.
    rights: [...SEE, 'orders.note', 'developer.change', 'products.change', 'webhooks.change'],
  },
  read_only: { title: 'Read only', rights: SEE.filter((right) => right !== 'developer.see') },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly rights: readonly Right[] }>
>

export type Role = keyof typeof ROLES

/** Whether a role has a right. */
export function mayDo(role: Role, right: Right): boolean {
  return (ROLES[role].rights as readonly Right[]).includes(right)
}
