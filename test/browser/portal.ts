import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { OWNER } from '../support/portal.ts'
import { watchedContext } from './chromium.ts'
import { NOWHERE, remember, takeLeft, type OpenedPortal } from './left-portals.ts'

/**
 * A page of the portal, signed in, and what was recorded of it since. It is new, or the one that an
 * earlier test with the same user and options has left by `leavePortal`.
 */
export async function openPortal(
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions & {
    readonly path?: string
    readonly portalUser?: { readonly email: string; readonly password: string }
    /** Whether the page is new in any case: for tests of how the portal is loaded. */
    readonly isFresh?: boolean
  } = {},
): Promise<OpenedPortal> {
  const { path = '/', portalUser = OWNER, isFresh = false, ...contextOptions } = options
  const key = JSON.stringify([baseUrl, portalUser.email, contextOptions])
  const earlier = isFresh ? null : await takeLeft(browser, baseUrl, key)
  if (earlier !== null) {
    await follow(earlier.page, `${baseUrl}/portal${path}`)
    return earlier
  }
  const watched = await watchedContext(browser, {
    viewport: { width: 1280, height: 900 },
    ...contextOptions,
  })
  const page = await watched.context.newPage()
  await page.goto(`${baseUrl}/portal${path}`)
  await page.getByLabel('E-mail').fill(portalUser.email)
  await page.locator('input[autocomplete=current-password]').fill(portalUser.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Portal' }).waitFor()
  await remember({ page, watched }, key)
  return { page, watched }
}

/**
 * Goes to a page inside the portal, as its links do. The page is new, but nothing is loaded again,
 * and axe stays. A page of the same kind might keep what was opened in the last one, so the way to
 * it leads over another page.
 */
export async function goInside(page: Page, address: string): Promise<void> {
  const { origin, pathname } = new URL(page.url())
  const [, , kind = ''] = pathname.split('/')
  if (new URL(address).pathname.startsWith(`/portal/${kind}`)) {
    await follow(page, `${origin}${NOWHERE}`)
  }
  await follow(page, address)
}

/** Waits until the page that was gone to shows what it asked the gateway for. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForFunction(() => document.querySelector('main .mantine-Skeleton-root') === null)
}

async function follow(page: Page, address: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 })
  await heading.first().waitFor()
  await heading.evaluateAll((all) => all.forEach((each) => each.setAttribute('data-left', '')))
  await page.evaluate((to) => history.pushState({}, '', to), address)
  await heading.and(page.locator(':not([data-left])')).first().waitFor()
}

/** Presses Enter on a button, or on an entry of the menu that is open. */
export async function pressByKey(page: Page, name: string | RegExp, exact: boolean): Promise<void> {
  const target = page
    .getByRole('button', { name, exact })
    .or(page.getByRole('menuitem', { name, exact }))
    .last()
  await target.waitFor()
  // A menu takes the focus some time after it has opened.
  if ((await target.getAttribute('role')) === 'menuitem') {
    await page.locator('[role=menu]:focus-within').waitFor()
  }
  await target.press('Enter')
}
