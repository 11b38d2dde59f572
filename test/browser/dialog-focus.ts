import type { Page } from 'playwright-core'
import { seriousFindings } from './axe.ts'
import type { DialogWay } from './portal-dialogs.ts'
import { pressByKey } from './portal.ts'

/**
 * Opens a dialog of the page by keys, and closes it. Gives its faults of access, and one more if
 * the focus does not return to what opened it. It throws where the dialog does not take the focus.
 */
export async function focusFaults(
  page: Page,
  way: Pick<DialogWay, 'press' | 'dialog' | 'close' | 'returnsTo'>,
): Promise<readonly string[]> {
  for (const press of way.press) {
    await pressByKey(page, press, typeof press === 'string')
  }
  const dialog = page.getByRole('dialog', { name: way.dialog }).last()
  await dialog.waitFor()
  await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') !== null)
  await dialog.evaluate((element) => element.setAttribute('data-opened', ''))
  const faults = await seriousFindings(page, '[data-opened]')
  await dialog.evaluate((element) => element.removeAttribute('data-opened'))
  const [first = ''] = way.press
  const opener =
    way.returnsTo?.(page) ??
    page.getByRole('button', { name: first, exact: typeof first === 'string' }).first()
  await (way.close?.(page, dialog) ?? page.keyboard.press('Escape'))
  await dialog.waitFor({ state: 'detached' })
  const isBack = await opener
    .and(page.locator(':focus'))
    .waitFor({ state: 'attached', timeout: 2_000 })
    .then(() => true)
    .catch(() => false)
  const at = await page.evaluate(() => {
    const element = document.activeElement
    const name = element?.getAttribute('aria-label') ?? element?.textContent?.slice(0, 60)
    const dialog = element?.closest('[role=dialog]')?.textContent?.slice(0, 60)
    return `${element?.tagName} "${name}", ${dialog === undefined ? 'in no dialog' : `in the dialog "${dialog}"`}`
  })
  return isBack ? faults : [...faults, `the focus is at ${at}`]
}
