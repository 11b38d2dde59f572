import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { putAxe, seriousFindings } from './axe.ts'

/**
 * Asserts that axe finds nothing serious on a page, and that it is no wider than a phone. Pictures
 * of both widths go to the folder `PORTAL_PICTURES`, if it is set.
 */
export async function look(page: Page, what: string): Promise<void> {
  await putAxe(page)
  assert.deepEqual(await seriousFindings(page), [], what)
  const folder = process.env['PORTAL_PICTURES']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${what}-1280.png` })
  await page.setViewportSize({ width: 390, height: 900 })
  await page
    .waitForFunction(() => document.documentElement.scrollWidth <= innerWidth)
    .catch(() => assert.fail(`${what} is wider than 390 px`))
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${what}-390.png` })
  await page.setViewportSize({ width: 1280, height: 900 })
}
