import type { DialogWay } from './portal-dialogs.ts'

/** A merchant that the test plants: disabled, and without portal users. */
export const PLANTED_MERCHANT = 900

const LINK_FILE = JSON.stringify({
  name: 'far',
  mode: 'live',
  addresses: ['127.0.0.1:1'],
  profile: 'house',
  institutionId: '500001',
  tls: 'off',
})

/** A dialog of the console, and the way to it. */
export type ConsoleDialogWay = Pick<
  DialogWay,
  'file' | 'before' | 'press' | 'dialog' | 'returnsTo'
> & {
  /** The page below `/console`; the demo merchant's unless stated. */
  readonly path?: string
}

/**
 * Every dialog of the console. A test compares this list with the sources, as for the portal.
 */
export const CONSOLE_DIALOG_WAYS: readonly ConsoleDialogWay[] = [
  {
    file: 'console/merchant-dialogs.tsx',
    path: '/',
    press: ['Create merchant'],
    dialog: 'Create a merchant',
  },
  { file: 'console/rename-dialog.tsx', press: ['Rename'], dialog: /^Rename merchant/ },
  { file: 'console/rename-dialog.tsx', press: ['Rename site 1001'], dialog: 'Rename site 1001' },
  {
    file: 'console/rename-dialog.tsx',
    press: ['Rename account 2001'],
    dialog: 'Rename account 2001',
  },
  {
    file: 'console/merchant-dialogs.tsx',
    press: ['Create site'],
    dialog: /^Create a site of/,
  },
  { file: 'console/new-account.tsx', press: ['Create account'], dialog: /^Create an account of/ },
  {
    file: 'console/limits-dialog.tsx',
    press: ['Change limits of account 2001'],
    dialog: 'Limits of account 2001',
  },
  {
    file: 'console/details-dialog.tsx',
    press: ['Details of account 2001'],
    dialog: 'Details of account 2001',
  },
  {
    file: 'console/demands-dialog.tsx',
    press: ['Demands of account 2001'],
    dialog: 'Demands of account 2001',
  },
  {
    file: 'console/account-three-ds-dialog.tsx',
    press: ['3-D Secure of account 2001'],
    dialog: '3-D Secure of account 2001',
  },
  {
    file: 'console/unreferenced-credits-dialog.tsx',
    press: ['Credits of account 2001'],
    dialog: 'Unreferenced credits of account 2001',
  },
  {
    file: 'console/site-three-ds-dialog.tsx',
    press: ['3-D Secure of site 1001'],
    dialog: '3-D Secure of site 1001',
  },
  {
    file: 'console/countries-dialog.tsx',
    press: ['Countries of account 2001'],
    dialog: 'Countries of account 2001',
  },
  {
    file: 'console/portal-users-panel.tsx',
    press: ['New link for Owner of Demo Shop'],
    dialog: 'New link for Owner of Demo Shop',
  },
  {
    file: 'console/new-plan.tsx',
    path: '/merchants/1/fees',
    press: ['New plan', 'Set the plan'],
    dialog: /^Set the fees of/,
    returnsTo: (page) => page.getByRole('button', { name: 'Set the plan' }),
  },
  { file: 'console/disable-dialog.tsx', press: ['Disable'], dialog: /^Disable / },
  { file: 'console/visits-panel.tsx', press: ['Visit the portal'], dialog: /^Visit the portal/ },
  {
    file: 'console/merchant-page.tsx',
    path: `/merchants/${PLANTED_MERCHANT}`,
    press: ['Enable'],
    dialog: /^Enable /,
  },
  {
    file: 'console/merchant-dialogs.tsx',
    path: `/merchants/${PLANTED_MERCHANT}`,
    press: ['Invite the owner'],
    dialog: /^Invite the owner of/,
  },
  {
    file: 'console/put-link.tsx',
    path: '/links',
    before: async (page) => {
      await page.getByRole('button', { name: 'Create or change a link' }).click()
      await page.getByLabel('File of the link').fill(LINK_FILE)
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.getByRole('table', { name: 'Changes of far' }).waitFor()
    },
    press: ['Set the link'],
    dialog: 'Create the link far',
  },
  {
    file: 'console/key-request.tsx',
    path: '/requests',
    press: ['Request a key operation'],
    dialog: 'Request a key operation',
  },
  { file: 'console/request-card.tsx', path: '/requests', press: ['Withdraw'], dialog: /^Withdraw/ },
  {
    file: 'console/access-page.tsx',
    path: '/access',
    press: ['Change password'],
    dialog: 'Change password',
  },
  {
    file: 'console/access-page.tsx',
    path: '/access',
    press: ['Replace second factor'],
    dialog: 'Replace second factor',
  },
  {
    file: 'console/operator-dialogs.tsx',
    path: '/operators',
    press: ['Invite operator'],
    dialog: 'Invite an operator',
  },
  { file: 'console/operator-dialogs.tsx', path: '/operators', press: ['Role'], dialog: /^Role of/ },
]
