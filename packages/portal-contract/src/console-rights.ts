/** All rights of the operator's console, each with its description. */
export const CONSOLE_RIGHTS = {
  'merchants.see': 'view merchants and their accounts',
  'merchants.change':
    'create, rename, disable and enable merchants, change their limits and fees, and put links',
  'keys.change': 'request and approve operations on encryption keys',
  'support.visit': 'visit the portals of merchants, read-only',
  'operators.see': 'view operators',
  'operators.change': 'invite operators and change their roles',
  'requests.see': 'view requests that wait for a second operator',
  'health.see': 'view the health of the gateway',
} as const

export type ConsoleRight = keyof typeof CONSOLE_RIGHTS

const ALL = Object.keys(CONSOLE_RIGHTS) as ConsoleRight[]

/** The rights of each role of the console. */
export const CONSOLE_ROLES = {
  owner: { title: 'Owner', rights: ALL },
  admin: { title: 'Admin', rights: ALL.filter((right) => right !== 'operators.change') },
  viewer: { title: 'Viewer', rights: ALL.filter((right) => right.endsWith('.see')) },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly rights: readonly ConsoleRight[] }>
>

export type ConsoleRole = keyof typeof CONSOLE_ROLES

/** Whether a text names a role of the console. */
export function isConsoleRole(text: string): text is ConsoleRole {
  return Object.hasOwn(CONSOLE_ROLES, text)
}

/** Whether a role has a right. */
export function mayOperate(role: ConsoleRole, right: ConsoleRight): boolean {
  return (CONSOLE_ROLES[role].rights as readonly ConsoleRight[]).includes(right)
}
