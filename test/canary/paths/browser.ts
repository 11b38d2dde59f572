import type { Page } from 'playwright-core'
import { CHROMIUM } from '../../browser/find-chromium.ts'
import { startSampleShop, type SampleShop } from '../../browser/sample-shop-server.ts'
import { openBrowser } from '../browser-profile.ts'
import { MARKED_USER } from '../marked-user.ts'
import { card, CODE, PASSWORD } from '../marks.ts'
import type { Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const EXPIRY = '12/2035'

/**
 * The sample shop in real browsers: a payment, a card that was typed and left, and crashes under
 * one.
 */
export const browser: Path = {
  name: "a customer's browser",
  seen: CHROMIUM === null ? [] : ['browserPaid'],
  async push(run) {
    if (CHROMIUM === null) {
      process.stderr.write('SKIPPED: Chromium is not installed: apt-get install chromium\n')
      return
    }
    const shop = await startSampleShop(run.baseUrl, {
      API_USER: MARKED_USER,
      API_PASSWORD: PASSWORD,
    })
    try {
      for (const visit of [pay, leave, crash]) await visit(run, shop)
    } finally {
      await shop.stop()
      run.keep('the output of the sample shop', shop.output())
    }
  },
}

/** Types the card, then the expiry, which the shop's page has and browsers may keep. */
async function typeCard(page: Page, shop: SampleShop, number: string): Promise<void> {
  await page.goto(shop.url)
  const frame = page.frameLocator('iframe')
  await frame.locator('#number').pressSequentially(number)
  await frame.locator('#code').pressSequentially(CODE)
  await page.locator('#expiry').pressSequentially(EXPIRY)
}

async function pay(run: ProgramRun, shop: SampleShop): Promise<void> {
  const customer = await openBrowser(run, 'paid')
  try {
    await typeCard(customer.page, shop, card('browserPaid'))
    await customer.page.click('#pay')
    await customer.page.getByText('Thank you. Your order is on its way.').waitFor()
    run.keep('what a browser keeps', await customer.kept())
    await customer.page.goto(`${shop.url}/afterwards`)
    await customer.untilOnDisk(Buffer.from('/afterwards'))
  } finally {
    await customer.close()
  }
}

/** The browser keeps the content of a page's fields, and restores it after a crash. */
async function leave(run: ProgramRun, shop: SampleShop): Promise<void> {
  const customer = await openBrowser(run, 'left')
  try {
    await typeCard(customer.page, shop, card('browserLeft'))
    await customer.untilOnDisk(Buffer.from(EXPIRY, 'utf16le'))
    run.keep('what a browser keeps', await customer.kept())
    await customer.page.goto(`${shop.url}/elsewhere`)
    await customer.untilOnDisk(Buffer.from('/elsewhere'))
  } finally {
    await customer.close()
  }
}

async function crash(run: ProgramRun, shop: SampleShop): Promise<void> {
  const customer = await openBrowser(run, 'crashed')
  try {
    await typeCard(customer.page, shop, card('browserCrashed'))
    await customer.untilOnDisk(Buffer.from(EXPIRY, 'utf16le'))
    await customer.killTabs()
  } finally {
    await customer.kill()
  }
}
