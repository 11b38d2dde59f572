import type { Locator, Page } from 'playwright-core'

/** The ids that the addresses of pages need. */
export interface DialogPlaces {
  readonly captured: string
  readonly open: string
  readonly customer: string
  readonly membership: string
}

/** One dialog of the portal, and the way to it. */
export interface DialogWay {
  /** The file that draws it, below `packages/portal/src`. */
  readonly file: string
  readonly path: (at: DialogPlaces) => string
  /** Steps before the first press. */
  readonly before?: (page: Page) => Promise<unknown>
  /** Names of buttons and of entries of menus, of which each is pressed; the last one opens it. */
  readonly press: readonly (string | RegExp)[]
  readonly dialog: string | RegExp
  /** How it is closed; by Escape unless stated. */
  readonly close?: (page: Page, dialog: Locator) => Promise<unknown>
  /** The place of the focus afterwards; the first thing that was pressed unless stated. */
  readonly returnsTo?: (page: Page) => Locator
}

const main = (page: Page): Locator => page.locator('#main')
const order = ({ captured }: DialogPlaces): string => `/orders/${captured}`
const openOrder = ({ open }: DialogPlaces): string => `/orders/${open}`
const member = ({ membership }: DialogPlaces): string => `/memberships/${membership}`
const tab = (name: string) => (): string => `/settings/sites/1001?tab=${name}`
/** The endpoints that the test of the dialogs plants. */
const endpoint = (): string => '/settings/webhooks/1'
const deadEndpoint = (): string => '/settings/webhooks/2'
const named = (page: Page): Promise<unknown> =>
  page.getByRole('textbox', { name: 'Name' }).fill('Another name')

/**
 * Every dialog that a user opens. A test compares the files of this list with those that draw a
 * dialog, so that a new one cannot be forgotten.
 */
export const DIALOG_WAYS: readonly DialogWay[] = [
  {
    file: 'orders/views-menu.tsx',
    path: () => '/orders',
    press: ['Views', 'Save view …'],
    dialog: 'Save view',
  },
  {
    file: 'orders/head-search.tsx',
    path: () => '/batches',
    before: (page) => page.setViewportSize({ width: 480, height: 900 }),
    press: ['Search orders'],
    dialog: 'Search orders',
  },
  {
    file: 'order/void-or-refund-dialog.tsx',
    path: order,
    press: ['Void or refund'],
    dialog: /^Void or refund/,
  },
  { file: 'order/adjust-dialog.tsx', path: order, press: ['More', 'Refund'], dialog: /^Refund/ },
  {
    file: 'order/charge-dialog.tsx',
    path: order,
    press: ['More', 'Charge card again'],
    dialog: /^Charge/,
  },
  {
    file: 'order/exchange-dialog.tsx',
    path: order,
    press: ['Request and response'],
    dialog: /transaction \d+$/,
  },
  { file: 'order/adjust-dialog.tsx', path: openOrder, press: ['Capture'], dialog: /^Capture/ },
  {
    file: 'home/many-dialog.tsx',
    path: () => '/open-authorizations',
    before: (page) =>
      page
        .getByRole('checkbox', { name: /^Select order/ })
        .first()
        .check(),
    press: ['Capture 1'],
    dialog: 'Capture 1 authorization?',
  },
  {
    file: 'customers/erase-customer.tsx',
    path: ({ customer }) => `/customers/${customer}`,
    press: ['Erase data'],
    dialog: /^Erase the data of customer/,
  },
  {
    file: 'customers/contact-form.tsx',
    path: ({ customer }) => `/customers/${customer}`,
    press: ['Edit contact'],
    dialog: 'Edit contact',
  },
  {
    file: 'customers/customer-cards.tsx',
    path: ({ customer }) => `/customers/${customer}`,
    press: [/^Delete Visa •••• 1881/],
    dialog: /^Delete Visa/,
  },
  {
    file: 'customers/product-form.tsx',
    path: () => '/products',
    press: ['Add a product'],
    dialog: /^Add a product/,
  },
  {
    file: 'customers/products-page.tsx',
    path: () => '/products',
    press: ['Deactivate Gold membership'],
    dialog: /^Deactivate Gold/,
  },
  {
    file: 'customers/membership-dialogues.tsx',
    path: member,
    press: ['Cancel'],
    dialog: 'Cancel membership',
  },
  {
    file: 'customers/membership-dialogues.tsx',
    path: member,
    press: ['Change card'],
    dialog: 'Change card',
  },
  {
    file: 'customers/membership-dialogues.tsx',
    path: member,
    press: ['Change product'],
    dialog: 'Change product',
    // The first one closes the list of products.
    close: async (page) => {
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
    },
  },
  {
    file: 'batches/cutoff-dialog.tsx',
    path: () => '/batches',
    press: ['Daily cut-off'],
    dialog: 'Daily cut-off',
  },
  {
    file: 'batches/batch-page.tsx',
    path: () => '/batches/501',
    press: ['Close batch'],
    dialog: 'Close batch 501?',
  },
  {
    file: 'users/user-dialogs.tsx',
    path: () => '/users',
    press: ['Invite user'],
    dialog: 'Invite user',
  },
  {
    file: 'users/user-dialogs.tsx',
    path: () => '/users',
    press: ['Actions for Pat support', 'Change role and limit'],
    dialog: 'Role and limit of Pat support',
  },
  {
    file: 'users/portal-users-page.tsx',
    path: () => '/users',
    press: ['Actions for Pat support', 'Disable'],
    dialog: /^Disable/,
  },
  {
    file: 'users/user-approvals.tsx',
    path: () => '/users',
    press: ['Require approval'],
    dialog: 'Require approval?',
  },
  {
    file: 'users/link-shown.tsx',
    path: () => '/users',
    press: ['Actions for Pat support', 'Reset password and second factor', 'Reset and create link'],
    dialog: 'Link for Pat support',
    returnsTo: (page) => page.getByRole('button', { name: 'Actions for Pat support' }),
  },
  {
    file: 'users/account-page.tsx',
    path: () => '/account',
    press: ['Change password'],
    dialog: 'Change password',
  },
  {
    file: 'users/account-page.tsx',
    path: () => '/account',
    press: ['Replace second factor'],
    dialog: 'Second factor',
  },
  {
    file: 'users/account-page.tsx',
    path: () => '/account',
    press: ['New recovery codes'],
    dialog: 'New recovery codes',
  },
  {
    file: 'users/account-page.tsx',
    path: () => '/account',
    press: ['Turn off'],
    dialog: 'Turn off second factor',
  },
  {
    file: 'settings/save-bar.tsx',
    path: tab('general'),
    before: named,
    press: ['Review and save'],
    dialog: 'Save these changes?',
  },
  {
    file: 'settings/save-bar.tsx',
    path: tab('general'),
    before: async (page) => {
      await named(page)
      await page.getByRole('link', { name: 'API users' }).focus()
      await page.keyboard.press('Enter')
    },
    press: [],
    dialog: 'Leave without saving?',
    returnsTo: (page) => page.getByRole('link', { name: 'API users' }),
  },
  {
    file: 'settings/general-tab.tsx',
    path: tab('general'),
    before: async (page) => {
      await page.getByRole('radio', { name: 'Open', exact: true }).focus()
      await page.keyboard.press('ArrowDown')
    },
    press: [],
    dialog: /^Set the catalogue/,
    returnsTo: (page) => page.getByRole('radio', { name: 'Strict' }).last(),
  },
  {
    file: 'settings/tokens-tab.tsx',
    path: tab('tokens'),
    press: ['Create new key'],
    dialog: /^Create a new token site key/,
  },
  {
    file: 'settings/shown-once.tsx',
    path: tab('tokens'),
    press: ['Create new key', /^Create/],
    dialog: 'New token site key',
    close: async (_, dialog) => {
      await dialog.getByRole('checkbox').check()
      await dialog.getByRole('button', { name: 'Close' }).press('Enter')
    },
    // The button that opened it rests until the older key is retired.
    returnsTo: main,
  },
  {
    file: 'settings/tokens-tab.tsx',
    path: tab('tokens'),
    press: ['Retire older key'],
    dialog: /^Retire the older/,
  },
  {
    file: 'settings/mail-log.tsx',
    path: tab('mail'),
    press: ['Receipt of the test of dialogs'],
    dialog: 'Mail to buyer@shop.example',
  },
  {
    file: 'settings/api-users-page.tsx',
    path: () => '/settings/api-users',
    press: ['Create API user'],
    dialog: 'Create API user',
  },
  {
    file: 'settings/api-user-drawer.tsx',
    path: () => '/settings/api-users',
    before: async (page) => {
      await page.getByRole('row', { name: /demo@tollgate/ }).focus()
      await page.keyboard.press('Enter')
    },
    press: [],
    dialog: /demo@tollgate/,
    returnsTo: (page) => page.getByRole('row', { name: /demo@tollgate/ }),
  },
  {
    file: 'settings/api-user-drawer.tsx',
    path: () => '/settings/api-users?user=demo@tollgate.test',
    press: ['Disable'],
    dialog: /^Disable/,
  },
  {
    file: 'settings/api-user-events.tsx',
    path: () => '/settings/api-users?user=demo@tollgate.test',
    press: ['Refuse events'],
    dialog: /^Refuse demo@tollgate.test events and lists/,
  },
  {
    file: 'webhooks/endpoint-form.tsx',
    path: () => '/settings/webhooks',
    press: ['Add endpoint'],
    dialog: 'Add endpoint',
  },
  { file: 'webhooks/endpoint-form.tsx', path: endpoint, press: ['Edit'], dialog: /^Edit endpoint/ },
  { file: 'webhooks/endpoint-actions.tsx', path: endpoint, press: ['Pause'], dialog: /^Pause/ },
  {
    file: 'webhooks/endpoint-actions.tsx',
    path: endpoint,
    press: ['Send failed again'],
    dialog: /^Send failed deliveries/,
  },
  {
    file: 'webhooks/endpoint-actions.tsx',
    path: endpoint,
    press: ['More', 'Create new secret'],
    dialog: /^Create a new secret/,
  },
  {
    file: 'webhooks/endpoint-actions.tsx',
    path: endpoint,
    press: ['More', 'Remove endpoint'],
    dialog: /^Remove endpoint/,
  },
  {
    file: 'webhooks/endpoint-actions.tsx',
    path: deadEndpoint,
    press: ['Resume'],
    dialog: /^Resume/,
  },
  {
    file: 'webhooks/endpoint-actions.tsx',
    path: deadEndpoint,
    press: ['More', 'Remove older secret'],
    dialog: /^Remove the older secret/,
  },
  {
    file: 'webhooks/delivery-page.tsx',
    path: () => '/settings/webhooks/deliveries/1',
    press: ['Send again'],
    dialog: /^Send delivery/,
  },
  {
    file: 'developer/bank-page.tsx',
    path: () => '/developer/bank',
    press: ['Add fault'],
    dialog: 'Add fault',
  },
  {
    file: 'developer/bank-page.tsx',
    path: () => '/developer/bank',
    before: async (page) => {
      await page.getByRole('table', { name: 'Accounts' }).locator('tbody tr').first().focus()
      await page.keyboard.press('Enter')
    },
    press: [],
    dialog: /^Statement/,
    returnsTo: (page) => page.getByRole('table', { name: 'Accounts' }).locator('tbody tr').first(),
  },
]

/** Dialogs that open by a state of other users or by time: the named test opens them. */
export const OPENED_ELSEWHERE: Readonly<Record<string, string>> = {
  'batches/difference-card.tsx': 'portal-home.test.ts',
  'disputes/answer-form.tsx': 'portal-disputes.test.ts',
  'session/idle-watch.tsx': 'portal-users.test.ts',
  'session/sign-in.tsx': 'portal-whole.test.ts',
  'settings/card-testing-tab.tsx': 'portal-settings.test.ts',
  'settings/mode-tab.tsx': 'portal-settings.test.ts',
  'shell/visit-bars.tsx': 'console.test.ts',
}
