import type { Browser, Page } from 'playwright-core'
import type { Watched } from './chromium.ts'

/** A page of the portal that a user has signed in to. */
export interface OpenedPortal {
  readonly page: Page
  readonly watched: Watched
}

interface Left extends OpenedPortal {
  readonly key: string
  readonly storage: string
}

/** By browser and key: pages that a test has left, for the next test with the same user. */
const left = new WeakMap<Browser, Map<string, Left>>()
/** How each page was opened. */
const known = new WeakMap<Watched, Left>()

/** An address of the portal without a page: it asks the gateway for nothing. */
export const NOWHERE = '/portal/nowhere'
const SCREEN = { width: 1280, height: 900 }

/** Remembers under which key a page may be used again. */
export async function remember(opened: OpenedPortal, key: string): Promise<void> {
  known.set(opened.watched, { ...opened, key, storage: await storageOf(opened.page) })
}

/**
 * Ends a test's use of a page. The next test with the same user and options goes on in it. To load
 * the portal computes ten times as much as to go to another page inside of it. A page that keeps
 * something beyond its address is closed.
 */
export async function leavePortal(watched: Watched): Promise<void> {
  const opened = known.get(watched)
  const browser = watched.context.browser()
  const isFit =
    opened !== undefined &&
    browser !== null &&
    watched.context.pages().length === 1 &&
    (await storageOf(opened.page)) === opened.storage
  if (!isFit) return watched.context.close()
  const pages = left.get(browser) ?? new Map<string, Left>()
  left.set(browser, pages)
  const other = pages.get(opened.key)
  pages.set(opened.key, opened)
  if (other !== undefined) await other.watched.context.close()
}

/** A page that was left under the key, as good as new; null where there is none. */
export async function takeLeft(
  browser: Browser,
  baseUrl: string,
  key: string,
): Promise<OpenedPortal | null> {
  const found = left.get(browser)?.get(key)
  if (found === undefined) return null
  left.get(browser)?.delete(key)
  const { page, watched } = found
  const session = await watched.context.request.get(`${baseUrl}/portal/api/session`)
  // The session may have ended, by a test that ends those of all users.
  if (session.ok() && (await page.getByRole('dialog').count()) === 0) {
    await page.unrouteAll()
    await page.emulateMedia({ media: null })
    await page.setViewportSize(SCREEN)
    await page.evaluate((to) => history.pushState({}, '', to), NOWHERE)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await page.evaluate(forgetAll)
    watched.requests.length = 0
    watched.console.length = 0
    return found
  }
  await watched.context.close()
  return null
}

function storageOf(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
}

/** A node of React's tree, which its developer tools read too. */
interface Fiber {
  readonly memoizedProps?: { readonly client?: QueryClient } | null
  readonly child: Fiber | null
  readonly sibling: Fiber | null
}
interface QueryClient {
  removeQueries(which: {
    predicate(query: { readonly queryKey: readonly unknown[] }): boolean
  }): void
}

/**
 * Runs in a page. Answers that were read earlier are read again, as after a reload, and neither
 * messages nor violations of an earlier test stay.
 */
function forgetAll(): void {
  const seen = (globalThis as { seenViolations?: string[] }).seenViolations
  if (seen !== undefined) seen.length = 0
  for (const button of document.querySelectorAll<HTMLElement>('.mantine-Notification-closeButton'))
    button.click()
  const root = document.getElementById('root')
  const [, container] =
    Object.entries(root ?? {}).find(([key]) => key.startsWith('__reactContainer$')) ?? []
  const tree = (container as { stateNode: { current: Fiber } } | undefined)?.stateNode.current
  const rest = tree === undefined ? [] : [tree]
  for (let fiber = rest.pop(); fiber !== undefined; fiber = rest.pop()) {
    const client = fiber.memoizedProps?.client
    if (client !== undefined && 'removeQueries' in client)
      return client.removeQueries({ predicate: ({ queryKey: [what] }) => what !== 'session' })
    for (const next of [fiber.sibling, fiber.child]) if (next !== null) rest.push(next)
  }
  throw new Error('React keeps the answers of the gateway elsewhere than in earlier versions.')
}
