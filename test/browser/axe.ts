import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** axe-core as a file, to be put into pages. */
export const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const SOURCE = readFileSync(AXE, 'utf8')

/** Puts axe into a page that is loaded; it stays there until another page is loaded. */
export async function putAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE)
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string | null
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** The findings of axe-core in each frame of a page, without trifles. `AXE` must be in them. */
export async function findings(page: Page): Promise<string[]> {
  const found = await Promise.all(
    page.frames().map((frame) =>
      frame.evaluate(() => {
        const { axe } = globalThis as unknown as { axe: { run(o: object): Promise<AxeResults> } }
        return axe.run({ iframes: false, resultTypes: ['violations'], selectors: false })
      }),
    ),
  )
  return found.flatMap(({ violations }, at) =>
    violations
      .filter(({ impact }) => impact !== 'minor')
      .map(({ id, nodes }) => {
        const where = new URL(page.frames()[at]?.url() ?? 'about:blank').pathname
        return `${where} ${id}: ${nodes.map((node) => node.failureSummary).join('; ')}`
      }),
  )
}

/** The initials in the portal's head are a picture of the name that the button has. */
const PORTAL_RULES = { 'label-content-name-mismatch': { enabled: false } }

/**
 * The serious or worse findings of axe-core in a page of the portal, or in the part of it that the
 * selector names. `AXE` must be in the page.
 */
export function seriousFindings(page: Page, part = 'html'): Promise<string[]> {
  return seriousOf(page, part, { rules: PORTAL_RULES })
}

/** The same for the dialog that is open. Its page needs no `AXE`. */
export async function seriousFindingsInDialog(page: Page): Promise<string[]> {
  await putAxe(page)
  return seriousFindings(page, '[role=dialog]')
}

/**
 * The same for a page of which an earlier one had the same navigation and head. The rules about
 * whole pages look at all of it.
 */
export function seriousFindingsBesideNavigation(page: Page): Promise<string[]> {
  return seriousOf(page, BESIDE_NAVIGATION, { rules: PORTAL_RULES })
}

const BESIDE_NAVIGATION = { include: ['html'], exclude: [['nav'], ['header']] }

/** axe's rules that see other colours in dark than in light. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * The serious findings about colours alone: the other rules find the same in dark as in light.
 * @param part the selector of the part of the page to look at
 */
export async function seriousFindingsInDark(page: Page, part: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
  const found = await seriousOf(page, part, { runOnly: COLOR_RULES })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.locator('html[data-mantine-color-scheme=light]').waitFor({ state: 'attached' })
  return found
}

function seriousOf(page: Page, part: string | object, choice: object): Promise<string[]> {
  return page.evaluate(
    async ([part, choice]) => {
      const { axe } = globalThis as unknown as {
        axe: { run(part: string | object, options: object): Promise<AxeResults> }
      }
      const { violations } = await axe.run(part, {
        iframes: false,
        // The findings show the elements themselves.
        selectors: false,
        resultTypes: ['violations'],
        ...choice,
      })
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) =>
          nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
        )
    },
    [part, choice] as const,
  )
}
