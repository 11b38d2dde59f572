import { startRunningGateway } from '../support/running-gateway.ts'
import { closeBatch, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { launchChromium } from './chromium.ts'
import { openPortal } from './portal.ts'
const gateway = await startRunningGateway()
const browser = await launchChromium()
try {
  const client = gateway.client()
  const card = { cardNumber: '4111111111111111', expiry: '122040', customer: { firstName: 'Ann', lastName: 'Lee', email: 'ann@example.com' }, billing: { street: '1 Main Street', city: 'Springfield', postalCode: '62701', country: 'US' }, orderReference: 'SHOP-1234' }
  const { orderId } = await client.authorize({ ...card, lines: [{ amount: '35.00' }, { amount: '15.00' }] } as never)
  await client.capture({ orderId, amount: '20.00' })
  await untilNoAdviceIsQueued(gateway)
  await closeBatch(gateway)
  await client.capture({ orderId, amount: '15.00' })
  await client.credit({ orderId, amount: '4.00' })
  await client.status({ orderId }).catch(() => undefined)
  await untilNoAdviceIsQueued(gateway)
  const declined = await client.sale(payment('6.05'))
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      const { page, watched } = await openPortal(browser, gateway.baseUrl, { path: `/orders/${orderId}`, colorScheme, viewport: { width, height: 900 } })
      await page.getByRole('list', { name: 'Events' }).waitFor()
      await page.waitForTimeout(300)
      await page.screenshot({ path: `/tmp/order/order-${colorScheme}-${width}.png`, fullPage: true })
      if (width === 1280) {
        await page.getByRole('button', { name: 'Undo' }).click()
        await page.getByText('What will be done').waitFor()
        await page.waitForTimeout(300)
        await page.screenshot({ path: `/tmp/order/undo-${colorScheme}.png` })
        await page.goto(`${gateway.baseUrl}/portal/orders/${declined.orderId}`)
        await page.getByRole('list', { name: 'Events' }).waitFor()
        await page.screenshot({ path: `/tmp/order/declined-${colorScheme}.png`, fullPage: true })
        await page.getByRole('button', { name: 'Request and answer' }).click()
        await page.getByText('Masked when').waitFor()
        await page.waitForTimeout(300)
        await page.screenshot({ path: `/tmp/order/exchange-${colorScheme}.png` })
      }
      await page.goto(`${gateway.baseUrl}/portal/terminal`)
      await page.frameLocator('iframe').getByLabel('Card number').waitFor()
      await page.waitForTimeout(300)
      await page.screenshot({ path: `/tmp/order/terminal-${colorScheme}-${width}.png`, fullPage: true })
      console.log(colorScheme, width, watched.console, await watched.violations())
      await watched.context.close()
    }
  }
} finally {
  await browser.close()
  await gateway.stop()
}
process.exit(0)
