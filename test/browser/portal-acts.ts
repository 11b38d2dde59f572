import type { Locator, Page } from 'playwright-core'
import type { DialogPlaces } from './portal-dialogs.ts'

/** An operation of a dialog: opened, filled, cancelled, and done once. */
export interface DialogAct {
  readonly name: string
  readonly path: (at: DialogPlaces) => string
  /** Names of buttons and of entries of menus, of which the last one opens the dialog. */
  readonly press: readonly string[]
  readonly dialog: string | RegExp
  /** `password` is the user's own. */
  readonly fill?: (dialog: Locator, page: Page, password: string) => Promise<unknown>
  /** The button that does it. */
  readonly does: string
  /** Reads what the operation changes, as one text in the column `state`. */
  readonly state: (at: DialogPlaces) => string
  /** The text afterwards. */
  readonly becomes: RegExp
  /** The page that follows in place of the dialog. */
  readonly afterwards?: (page: Page) => Promise<unknown>
  /** The place of the focus afterwards; the first thing that was pressed unless stated. */
  readonly returnsTo?: (page: Page) => Locator
}

/** Half a day away: the batch of the account stays open at any time of day. */
const CUTOFF = new Date(Date.now() + 12 * 3_600_000)
const CUTOFF_MINUTE = CUTOFF.getUTCHours() * 60 + CUTOFF.getUTCMinutes()

const main = (page: Page): Locator => page.locator('#main')
const choose = async (page: Page, box: Locator, option: string): Promise<void> => {
  await box.click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const ofPat = (columns: string) => (): string =>
  `select ${columns} as state from portal_users where name = 'Pat support'`
const ofSite = (columns: string) => (): string =>
  `select ${columns} as state from sites where id = 1001`
const passwords = (): string =>
  `select string_agg(number::text, ',' order by number) as state from api_user_passwords
    where retired_at is null
      and user_id = (select id from api_users where username = 'demo@tollgate.test')`
const tokenKeys = (): string =>
  `select string_agg(generation, ',' order by generation) as state from site_token_keys
    where site_id = 1001`
const apiUser = (): string => '/settings/api-users?user=demo@tollgate.test'
const site = (tab: string) => (): string => `/settings/sites/1001?tab=${tab}`
const keep = async (page: Page): Promise<void> => {
  const dialog = page.getByRole('dialog').filter({ has: page.getByTestId('secret') })
  await dialog.getByRole('checkbox').check()
  await dialog.getByRole('button', { name: 'Close' }).press('Enter')
}

/** Operations of dialogs that no other browser test does. They follow each other. */
export const DIALOG_ACTS: readonly DialogAct[] = [
  {
    name: 'the card of a membership is changed',
    path: ({ membership }) => `/memberships/${membership}`,
    press: ['Change card'],
    dialog: 'Change card',
    does: 'Change card',
    state: ({ membership }) => `select m.brand || ' ' || m.last4 as state
      from memberships join payment_methods m on m.id = payment_method_id
      where memberships.id = ${membership}`,
    becomes: /^Visa 1881$/,
  },
  {
    name: 'the card of an order is charged again',
    path: ({ captured }) => `/orders/${captured}`,
    press: ['More', 'Charge card again'],
    dialog: 'Charge card again',
    fill: (dialog) => dialog.getByRole('textbox', { name: 'Amount' }).fill('13.70'),
    does: 'Charge 13.70 USD',
    state: () => 'select count(*) as state from orders where captured_minor = 1370',
    becomes: /^1$/,
    // The page shows the new order.
    returnsTo: main,
  },
  {
    name: 'an account gets a daily cut-off',
    path: () => '/batches',
    press: ['Daily cut-off'],
    dialog: 'Daily cut-off',
    fill: async (dialog) => {
      await dialog.getByRole('switch').check()
      await dialog.getByLabel('Time (UTC)').fill(CUTOFF.toISOString().slice(11, 16))
    },
    does: 'Save',
    state: () => `select string_agg(coalesce(batch_cutoff::text, 'off'), ',' order by id) as state
      from merchant_accounts where merchant_id = 1`,
    becomes: new RegExp(`\\b${CUTOFF_MINUTE}\\b`),
  },
  {
    name: 'a user gets another role and limit',
    path: () => '/users',
    press: ['Actions for Pat support', 'Change role and limit'],
    dialog: 'Role and limit of Pat support',
    fill: async (dialog, page) => {
      await choose(page, dialog.getByRole('combobox', { name: 'Role' }), 'Finance')
      await dialog.getByRole('textbox', { name: 'Refund limit' }).fill('75')
    },
    does: 'Save',
    state: ofPat(`role || ' ' || coalesce(refund_limit_minor, 0)`),
    becomes: /^finance 7500$/,
  },
  {
    name: 'a user is disabled',
    path: () => '/users',
    press: ['Actions for Pat support', 'Disable'],
    dialog: 'Disable Pat support?',
    does: 'Disable',
    state: ofPat('active::text'),
    becomes: /^false$/,
  },
  {
    name: 'a disabled user is enabled',
    path: () => '/users',
    press: ['Actions for Pat support', 'Enable'],
    dialog: 'Enable Pat support?',
    does: 'Enable',
    state: ofPat('active::text'),
    becomes: /^true$/,
  },
  {
    name: 'a user is reset',
    path: () => '/users',
    press: ['Actions for Pat support', 'Reset password and second factor'],
    dialog: 'Reset Pat support?',
    does: 'Reset and create link',
    state: ofPat(`case when password_hash is null then 'none' else 'a password' end`),
    becomes: /^none$/,
    afterwards: async (page) => {
      await page.getByLabel('Link', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Done' }).press('Enter')
    },
  },
  {
    name: 'an API user gets a second password',
    path: apiUser,
    press: ['Create second password'],
    dialog: /^Create .*password/,
    does: 'Create password',
    state: passwords,
    becomes: /^1,2$/,
    afterwards: keep,
    // The button rests while there are two passwords.
    returnsTo: (page) => page.getByRole('dialog', { name: 'demo@tollgate.test' }),
  },
  {
    name: 'the second password of an API user is retired',
    path: apiUser,
    press: ['Retire password 2'],
    dialog: /^Retire password 2/,
    does: 'Retire password 2',
    state: passwords,
    becomes: /^1$/,
    returnsTo: (page) => page.getByRole('dialog', { name: 'demo@tollgate.test' }),
  },
  {
    name: 'a site gets a new token key',
    path: site('tokens'),
    press: ['Create new key'],
    dialog: 'Create a new token site key?',
    does: 'Create new key',
    state: tokenKeys,
    becomes: /^current,previous$/,
    afterwards: keep,
    // The button rests until the older key is retired.
    returnsTo: main,
  },
  {
    name: 'the older token key of a site is retired',
    path: site('tokens'),
    press: ['Retire older key'],
    dialog: 'Retire the older token site key?',
    does: 'Retire older key',
    state: tokenKeys,
    becomes: /^current$/,
    returnsTo: main,
  },
  {
    name: 'a password is changed',
    path: () => '/account',
    press: ['Change password'],
    dialog: 'Change password',
    fill: async (dialog, _, password) => {
      await dialog.locator('input[autocomplete=current-password]').fill(password)
      await dialog.locator('input[autocomplete=new-password]').fill('Kettle-and-lid-27')
    },
    does: 'Change password',
    state: () =>
      `select string_agg(actor, ',') as state from audit_entries
        where operation = 'portal_user.password_changed'`,
    becomes: /^portal:owner-/,
  },
]

/** A setting of a site that is changed, reviewed, cancelled and saved. */
export const SAVED_SETTINGS = [
  {
    name: 'browser data are required for 3-D Secure',
    path: site('three-ds'),
    change: (page: Page) =>
      page.getByRole('switch', { name: 'Decline if browser data is missing' }).check(),
    state: ofSite('three_ds_required::text'),
    becomes: /^true$/,
  },
  {
    name: 'the origins of the card fields are listed',
    path: site('tokens'),
    change: async (page: Page) => {
      const origins = page.getByRole('combobox', { name: /^Origins that can read/ })
      await origins.press('Backspace')
      await origins.fill('https://shop.example')
      await origins.press('Enter')
    },
    state: ofSite(`array_to_string(token_origins, ',')`),
    becomes: /^https:\/\/shop\.example$/,
  },
] as const
