import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { AXE, findings } from './axe.ts'
import { launchChromium, NEEDS_CHROMIUM, tabTo } from './chromium.ts'
import { CHALLENGE, enterCode, startThreeDsWorld, type ThreeDsWorld } from './three-ds-checkout.ts'

const SIZES = [
  ['01', 250, 400],
  ['02', 390, 400],
  ['03', 500, 600],
  ['04', 600, 400],
  ['05', 1280, 720],
] as const

suite('the look of a checkout with 3-D Secure', { ...NEEDS_CHROMIUM, concurrency: 2 }, () => {
  let world: ThreeDsWorld
  before(async () => {
    world = await startThreeDsWorld({ launch: launchChromium })
  })
  after(() => world?.stop())

  for (const [size, width, height] of SIZES) {
    test(`the page of the bank fits a window of size ${size} without scrolling sideways`, async () => {
      const { bank, outcome, page, pay, watched } = await world.visit()
      await page.goto(`${page.url()}&window=${size}`)
      await pay(CHALLENGE)
      const frame = await bank()
      const box = await page.locator('dialog iframe').boundingBox()
      assert.equal(box?.width, width)
      if (size === '05') assert.ok((box?.height ?? 0) > height - 100)
      else assert.equal(box?.height, height)
      const wide = await Promise.all(
        page
          .frames()
          .map((one) =>
            one.evaluate(
              () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
            ),
          ),
      )
      assert.deepEqual(
        wide,
        page.frames().map(() => false),
      )
      assert.equal(await frame.evaluate(() => innerWidth), width)
      const asked = (await world.journal()).filter(
        ({ type, direction }) => type === 'CReq' && direction === 'in',
      )
      assert.ok(asked.some(({ message }) => message['challengeWindowSize'] === size))
      await enterCode(frame, '1234')
      assert.equal((await outcome()).kind, 'approved')
      await watched.context.close()
    })
  }

  test('a phone has the page of the bank on all of its screen', async () => {
    const viewport = { width: 360, height: 640 }
    const { bank, outcome, page, pay, watched } = await world.visit({
      viewport,
      hasTouch: true,
      isMobile: true,
    })
    await pay(CHALLENGE)
    const frame = await bank()
    const box = await page.locator('dialog').boundingBox()
    assert.deepEqual(box, { x: 0, y: 0, ...viewport })
    assert.equal(
      await page.locator('dialog iframe').evaluate((element) => element.clientWidth),
      360,
    )
    await enterCode(frame, '1234')
    assert.equal((await outcome()).kind, 'approved')
    await watched.context.close()
  })

  test('the keyboard alone pays, confirms at the bank, and leaves it', async () => {
    const { bank, outcome, page, watched } = await world.visit()
    const press = async (key: string, id: string) => {
      await page.keyboard.press(key)
      await page.waitForFunction((id) => document.activeElement?.id === id, id)
    }
    const fill = async () => {
      await press('Tab', 'number')
      await page.keyboard.type(CHALLENGE)
      await press('Tab', 'expiry')
      await page.keyboard.type('12/2040')
      await press('Tab', 'code')
      await page.keyboard.type('123')
      await page.keyboard.press('Enter')
    }
    await fill()
    const frame = await bank()
    // Out of the shop's frame into the gateway's, and into the bank's.
    await page.waitForFunction(() => document.activeElement?.tagName === 'IFRAME')
    await tabTo(page, frame, 'code')
    await page.keyboard.type('1234')
    // Without its release, which Chromium may never confirm to a document that goes.
    await page.keyboard.down('Enter')
    assert.equal((await outcome()).kind, 'approved')
    await watched.context.close()
  })

  test('an error of the card is shown at its field, which gets the focus', async () => {
    const { page, watched } = await world.visit()
    await page.fill('#number', '4111')
    await page.click('#pay')
    await page.getByText('Enter the number of the card.').waitFor()
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'number')
    assert.equal(await page.getAttribute('#number', 'aria-invalid'), 'true')
    assert.deepEqual(
      watched.requests.filter(({ method }) => method === 'POST'),
      [],
    )
    await watched.context.close()
  })

  for (const [colorScheme, width] of [
    ['light', 320],
    ['dark', 1000],
  ] as const) {
    test(`axe finds nothing from the form to the result in ${colorScheme} at ${width} px`, async () => {
      // The bank's own style follows the size of its page, not the shop's.
      const { bank, outcome, page, pay, watched } = await world.visit({
        colorScheme,
        viewport: { width, height: 800 },
        bypassCSP: true,
      })
      await watched.context.addInitScript({ path: AXE })
      await page.reload()
      assert.deepEqual(await findings(page), [])
      await page.click('#pay')
      assert.deepEqual(await findings(page), [])
      await pay(CHALLENGE)
      await page.getByText('Asking your bank').waitFor()
      const frame = await bank()
      assert.deepEqual(await findings(page), [])
      await page.reload()
      const again = page
        .frameLocator('dialog iframe')
        .getByRole('button', { name: 'Return to the shop' })
      await again.waitFor()
      assert.ok(frame.isDetached())
      assert.deepEqual(await findings(page), [])
      await again.click()
      assert.equal((await outcome()).kind, 'not finished')
      assert.deepEqual(await findings(page), [])
      await page.click('text=Pay with another card')
      assert.deepEqual(await findings(page), [])
      await watched.context.close()
    })
  }

  test('a browser without scripts pays with a challenge, by buttons', async () => {
    const { page, pay, watched } = await world.visit({ javaScriptEnabled: false })
    await pay(CHALLENGE)
    await page.getByRole('button', { name: 'Go to your bank' }).click()
    const gateway = page.frameLocator('iframe[name=bank]')
    await gateway.getByRole('button', { name: 'Continue to your bank' }).click()
    const bank = gateway.frameLocator('iframe[name=issuer]')
    await bank.locator('#code').fill('1234')
    await bank.locator('#submitButton').click()
    await bank.getByRole('button', { name: 'Continue' }).click()
    await bank.getByRole('button', { name: 'Return to the shop' }).click()
    await gateway.getByRole('link', { name: 'See what happened' }).click()
    await page.getByRole('heading', { name: 'Thank you. Your order is paid.' }).waitFor()
    await watched.context.close()
  })
})
