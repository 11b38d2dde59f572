/** Everything that a person may be allowed to do in the portal, and what it is in words. */
export const RIGHTS = {
  'home.see': 'see the home page',
  'orders.see': 'look orders up',
  'orders.export': 'download lists of orders',
  'orders.capture': 'capture authorizations',
  'orders.void': 'void authorizations and captures',
  'orders.refund': 'refund, up to their limit',
  'orders.charge': 'charge a saved card again',
  'orders.note': 'write notes',
  'terminal.use': 'take payments at the virtual terminal',
  'customers.see': 'look customers and their cards up',
  'customers.change': 'change customers and take cards away',
  'products.change': 'change the catalogue',
  'memberships.see': 'look memberships up',
  'memberships.change': 'change, cancel and retry memberships',
  'batches.see': 'see batches and settlement',
  'batches.close': 'close a batch',
  'recon.see': 'see the reconciliation',
  'recon.resolve': 'take on and resolve differences',
  'settings.see': 'see the settings',
  'sites.change': 'change the settings of sites',
  'sites.go_live': 'ask for a site to be moved between test and live',
  'sites.approve_live': 'approve what another person asked for a site to go live',
  'api_users.change': 'make and retire passwords of API users',
  'people.see': 'see who works in the portal',
  'people.change': 'invite people, and change their roles',
  'audit.see': 'read the audit log',
  'developer.see': 'read the request log and the test pages',
  'developer.change': "change the test bank, a test site's clock and its data",
} as const

export type Right = keyof typeof RIGHTS

const ALL = Object.keys(RIGHTS) as Right[]
const SEE = ALL.filter(
  (right) => right.endsWith('.see') && right !== 'people.see' && right !== 'audit.see',
)

/** What each role may do. A right that no other role names is the owners' and admins'. */
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
    ],
  },
  developer: {
    title: 'Developer',
    // Not `api_users.change`: whoever has such a password refunds without a limit.
    rights: [...SEE, 'orders.note', 'developer.change', 'products.change'],
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
