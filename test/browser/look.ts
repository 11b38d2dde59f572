import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { AXE, seriousFindings } from './axe.ts'

/**
 * Asserts that axe finds nothing serious on a page, and that it is no wider than a phone. Pictures
 * of both widths go to the folder `PORTAL_PICTURES`, if it is set. The page needs `bypassCSP`.
 */
export async function look(page: Page, what: string): Promise<void> {
  await page.evaluate(readFileSync(AXE, 'utf8'))
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
