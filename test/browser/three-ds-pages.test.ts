import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, suite, test } from 'node:test'
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core'
import {
  readThreeDsPages,
  THREE_DS_PAGES_FOLDER,
} from '../../packages/gateway/src/http/three-ds/page-files.ts'
import { THREE_DS_PAGES } from '../../packages/gateway/src/http/three-ds/page-inventory.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import {
  CARD,
  enrolForm,
  finalForm,
  pay,
  said,
  untilCardRanges,
  type Fields,
} from '../support/three-ds.ts'
import {
  launchHeadlessShell,
  NEEDS_CHROMIUM,
  tabTo,
  watchedContext,
  type Watched,
} from './chromium.ts'
import { gatewayFrame, issuerFrame, startThreeDsShop, type ThreeDsShop } from './three-ds-shop.ts'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const PAGE_DEAD = '4000000000009227'

interface Undoing {
  after(undo: () => unknown): void
}

suite('pages of 3-D Secure in a browser', NEEDS_CHROMIUM, () => {
  let gateway: RunningGateway
  let publicUrl: string
  let browser: Browser
  let shop: ThreeDsShop
  before(async () => {
    const [port = 0] = await freePorts(1)
    publicUrl = `http://gateway.localhost:${port}`
    gateway = await startRunningGateway(
      { PORT: String(port), PUBLIC_URL: publicUrl },
      undefined,
      {},
      {},
    )
    await untilCardRanges(gateway)
    shop = await startThreeDsShop()
    browser = await launchHeadlessShell()
  })
  after(async () => {
    await browser?.close()
    shop?.close()
    await gateway?.stop()
  })

  async function newPage(
    t: Undoing,
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; watched: Watched }> {
    // This browser trusts no certificate of the simulated issuer, as any new one.
    const watched = await watchedContext(browser, options)
    t.after(() => watched.context.close())
    return { page: await watched.context.newPage(), watched }
  }

  async function prepared(bin = '400000'): Promise<Fields> {
    const response = await fetch(new URL('/payment/3dsrequest.cfm', gateway.baseUrl), {
      method: 'POST',
      body: new URLSearchParams({ ...credentials(), MERCH_ACCT_ID: '2001', PMT_BIN: bin }),
    })
    return (await response.json()) as Fields
  }

  async function collectionOf(reference = ''): Promise<Record<string, unknown>> {
    const { rows } = await gateway.pool.query<Record<string, unknown>>(
      'select state, browser, method_state from three_ds_collections where reference = $1',
      [reference],
    )
    return rows[0] ?? {}
  }

  /** The message of the collection to the shop's page, once it has arrived. */
  async function completion(
    page: Page,
  ): Promise<{ origin: string; message: Record<string, unknown> }> {
    await page.waitForFunction('heard.length > 0')
    const [{ data, origin }] = await page.evaluate<[{ origin: string; data: string }]>('heard')
    return { origin, message: JSON.parse(data) as Record<string, unknown> }
  }

  /** An enrolment that the issuer wants to see the customer for. */
  async function pending(card: string = CARD.challenged, more: Fields = {}): Promise<Fields> {
    const { DDC_REFERENCEID: reference = '' } = await prepared()
    const answer = await pay(
      gateway,
      enrolForm(card, reference, { P3DS_RETURN_URL: shop.returnUrl, ...more }),
    )
    assert.equal(answer['TRANS_STATUS_NAME'], 'PENDING', JSON.stringify(answer))
    return answer
  }

  function challengeUrl(answer: Fields, size?: { width: number; height: number }): string {
    return shop.challengePage(answer['P3DS_ACS_URL'] ?? '', answer['P3DS_PAYLOAD'] ?? '', size)
  }

  async function authenticationOf(answer: Fields): Promise<Record<string, unknown>> {
    const { rows } = await gateway.pool.query<Record<string, unknown>>(
      'select * from three_ds_authentications where proc_trans_id = $1',
      [answer['P3DS_PROCTRANSID']],
    )
    return rows[0] ?? {}
  }

  suite('the data collection', () => {
    test("a hidden frame collects, runs the issuer's page and reports to the shop", async (t) => {
      // A pretended screen would be one of the shop's page only.
      const { page, watched } = await newPage(t, { viewport: null })
      const { DDC_REFERENCEID = '', DDC_URL = '', JWT = '' } = await prepared()
      await page.goto(shop.collectPage(DDC_URL, JWT))
      const { message, origin } = await completion(page)
      assert.equal(origin, publicUrl)
      assert.deepEqual(message, {
        MessageType: 'profile.completed',
        SessionId: DDC_REFERENCEID,
        'Session Id': DDC_REFERENCEID,
        Status: true,
        Payload: {
          ActionCode: 'SUCCESS',
          SessionId: DDC_REFERENCEID,
          DataSources: {
            CardinalData: { Attempted: true, Completed: true },
            MethodUrl: { Attempted: true, Completed: true },
          },
        },
      })
      const row = await collectionOf(DDC_REFERENCEID)
      assert.deepEqual([row['state'], row['method_state']], ['collected', 'completed'])
      const seen = await page.evaluate(() => ({
        language: navigator.language,
        screenWidth: screen.width,
        screenHeight: screen.height,
        colorDepth: screen.colorDepth,
        timeZone: new Date().getTimezoneOffset(),
        javaEnabled: false,
      }))
      assert.deepEqual(row['browser'], seen)
      assert.deepEqual(await watched.violations(), [])
    })

    test('the shop gets the result without the issuer where no issuer has a page', async (t) => {
      const { page } = await newPage(t)
      const { DDC_REFERENCEID = '', DDC_URL = '', JWT = '' } = await prepared('411111')
      await page.goto(shop.collectPage(DDC_URL, JWT))
      const { message } = await completion(page)
      const { DataSources } = message['Payload'] as { DataSources: { MethodUrl: unknown } }
      assert.deepEqual(DataSources.MethodUrl, { Attempted: false, Completed: false })
      assert.equal((await collectionOf(DDC_REFERENCEID))['method_state'], 'none')
    })

    test('an issuer that never comes back is waited for 8 seconds, less than shops wait', async (t) => {
      const control = `${gateway.bank.controlUrl}/three-ds/faults`
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ fault: 'method_silent', count: 1 })
      assert.ok((await fetch(control, { method: 'POST', headers, body })).ok)
      const { page } = await newPage(t)
      const { DDC_REFERENCEID = '', DDC_URL = '', JWT = '' } = await prepared()
      // The page's time stands still but for what the test lets pass.
      await page.clock.install()
      await page.clock.pauseAt(Date.now() + 1_000)
      const sent = Promise.all([
        page.waitForResponse(/Collect\/data/),
        page.waitForResponse(/acs\/method/),
      ])
      await page.goto(shop.collectPage(DDC_URL, JWT))
      await sent
      await page.clock.runFor(7_500)
      assert.deepEqual(await page.evaluate('heard'), [])
      await page.clock.runFor(1_000)
      const { message } = await completion(page)
      const { DataSources } = message['Payload'] as { DataSources: { MethodUrl: unknown } }
      assert.deepEqual(DataSources.MethodUrl, { Attempted: true, Completed: false })
      assert.equal((await collectionOf(DDC_REFERENCEID))['method_state'], 'running')
    })

    test('a page that is loaded again says the same at once', async (t) => {
      const { page } = await newPage(t)
      const { DDC_REFERENCEID = '', DDC_URL = '', JWT = '' } = await prepared()
      const address = shop.collectPage(DDC_URL, JWT)
      await page.goto(address)
      await completion(page)
      const first = await collectionOf(DDC_REFERENCEID)
      await page.goto(address)
      const { message } = await completion(page)
      assert.equal(message['SessionId'], DDC_REFERENCEID)
      assert.deepEqual(await collectionOf(DDC_REFERENCEID), first)
    })
  })

  suite('the challenge', () => {
    test('a customer confirms, the shop gets the signed return, and the payment is approved', async (t) => {
      const { page, watched } = await newPage(t)
      const answer = await pending()
      await page.goto(challengeUrl(answer))
      const issuer = await issuerFrame(page)
      await issuer.fill('input[type=text]', '1234')
      await issuer.click('#submitButton')
      const { fields, origin } = await shop.nextReturn()
      assert.deepEqual(Object.keys(fields), ['TransactionId', 'Response', 'MD'])
      assert.deepEqual(
        [fields['TransactionId'], fields['MD'], origin],
        [answer['P3DS_PROCTRANSID'], 'basket 17', publicUrl],
      )
      assert.match(fields['Response'] ?? '', /^ey[\w-]+\.[\w-]+\.[\w-]+$/)
      await page.frameLocator('iframe').getByText('Thank you').waitFor()
      assert.equal(
        shop.returned.filter(
          ({ fields: { TransactionId } }) => TransactionId === answer['P3DS_PROCTRANSID'],
        ).length,
        1,
      )
      // Only the console reports frames that are gone.
      assert.deepEqual(
        watched.console.filter((line) => /security policy/i.test(line)),
        [],
      )
      const row = await authenticationOf(answer)
      assert.deepEqual([row['cres_status'], row['result_status']], ['Y', 'Y'])
      const final = await pay(
        gateway,
        finalForm(CARD.challenged, answer, { REQUEST_PARES: fields['Response'] ?? '' }),
      )
      assert.match(said(final), /^APPROVED Y/)
    })

    test('a reload does not send the CReq again, and offers the way back', async (t) => {
      const { page, watched } = await newPage(t)
      const answer = await pending()
      const address = challengeUrl(answer)
      await page.goto(address)
      await (await issuerFrame(page)).waitForSelector('#submitButton')
      await page.goto(address)
      const frame = await gatewayFrame(page, 'challenge')
      await frame.getByText('was opened before').waitFor()
      assert.equal(watched.requests.filter(({ body }) => body.startsWith('creq=')).length, 1)
      await frame.getByRole('button', { name: 'Return to the shop' }).click()
      const { fields } = await shop.nextReturn()
      assert.deepEqual(fields, {
        TransactionId: answer['P3DS_PROCTRANSID'],
        Response: '',
        MD: 'basket 17',
      })
    })

    test('of two tabs one has the challenge, and when it is done both go back', async (t) => {
      const { page, watched } = await newPage(t)
      const answer = await pending()
      await page.goto(challengeUrl(answer))
      const issuer = await issuerFrame(page)
      const second = await watched.context.newPage()
      await second.goto(challengeUrl(answer))
      await (await gatewayFrame(second, 'challenge')).getByText('was opened before').waitFor()
      await issuer.fill('input[type=text]', '1234')
      await issuer.click('#submitButton')
      const both = [await shop.nextReturn(), await shop.nextReturn()]
      for (const { fields } of both) {
        assert.equal(fields['TransactionId'], answer['P3DS_PROCTRANSID'])
        assert.notEqual(fields['Response'], '')
      }
    })

    test('without JavaScript buttons do all of it', async (t) => {
      const { page } = await newPage(t, { javaScriptEnabled: false })
      const answer = await pending()
      await page.goto(challengeUrl(answer))
      await page.click('#go')
      const outer = page.frameLocator('iframe[name=challenge]')
      await outer.getByRole('button', { name: 'Continue to your bank' }).click()
      const issuer = outer.frameLocator('iframe[name=issuer]')
      await issuer.locator('input[type=text]').fill('1234')
      await issuer.locator('#submitButton').click()
      await issuer.getByRole('button', { name: 'Continue' }).click()
      await issuer.getByRole('button', { name: 'Return to the shop' }).click()
      const { fields } = await shop.nextReturn()
      assert.equal(fields['TransactionId'], answer['P3DS_PROCTRANSID'])
      assert.notEqual(fields['Response'], '')
      await outer.getByText('Thank you').waitFor()
      const final = await pay(
        gateway,
        finalForm(CARD.challenged, answer, { REQUEST_PARES: fields['Response'] ?? '' }),
      )
      assert.match(said(final), /^APPROVED Y/)
    })

    test('the keyboard alone is enough, in the smallest window', async (t) => {
      const { page } = await newPage(t, { viewport: { width: 250, height: 440 } })
      const answer = await pending(CARD.challenged, { P3DS_CHALLENGE_WINDOW: '01' })
      await page.goto(challengeUrl(answer, { width: 250, height: 400 }))
      const issuer = await issuerFrame(page)
      await issuer.waitForSelector('input[type=text]')
      for (const frame of [await gatewayFrame(page, 'challenge'), issuer]) {
        const overflow = await frame.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        assert.equal(overflow, 0, `${frame.url()} has to be scrolled sideways`)
      }
      await tabTo(page, issuer, 'code')
      await page.keyboard.type('1234')
      await page.keyboard.press('Enter')
      const { fields } = await shop.nextReturn()
      assert.equal(fields['TransactionId'], answer['P3DS_PROCTRANSID'])
    })

    for (const [size, width, height] of [
      ['01', 250, 400],
      ['02', 390, 400],
      ['03', 500, 600],
      ['04', 600, 400],
      ['05', 900, 700],
    ] as const) {
      test(`window ${size} gives the issuer ${width} by ${height}`, async (t) => {
        const { page } = await newPage(t, { viewport: { width: 1000, height: 800 } })
        const answer = await pending(CARD.challenged, { P3DS_CHALLENGE_WINDOW: size })
        await page.goto(challengeUrl(answer, { width: 900, height: 700 }))
        const issuer = await issuerFrame(page)
        await issuer.waitForSelector('#submitButton')
        const outer = await gatewayFrame(page, 'challenge')
        await outer.waitForSelector('#status.heard-only', { state: 'attached' })
        assert.deepEqual(await issuer.evaluate(() => [innerWidth, innerHeight]), [width, height])
        const creq = await outer.locator('input[name=creq]').inputValue()
        assert.equal(
          (JSON.parse(Buffer.from(creq, 'base64url').toString()) as Fields)['challengeWindowSize'],
          size,
        )
      })
    }

    test('a page of the issuer that does nothing lets the customer leave, and gives up after its time', async (t) => {
      const { page } = await newPage(t)
      await page.clock.install()
      const answer = await pending(PAGE_DEAD)
      await page.goto(challengeUrl(answer))
      const issuer = await issuerFrame(page)
      await issuer.getByText('Please wait.').waitFor()
      const outer = await gatewayFrame(page, 'challenge')
      const leave = outer.getByRole('button', { name: 'Return to the shop' })
      assert.equal(await leave.isVisible(), false)
      await page.clock.fastForward(61_000)
      await leave.waitFor()
      await page.clock.fastForward(620_000)
      const { fields } = await shop.nextReturn()
      assert.deepEqual(fields, {
        TransactionId: answer['P3DS_PROCTRANSID'],
        Response: '',
        MD: 'basket 17',
      })
    })

    test('an issuer whose page does not load is announced as missing after 15 seconds', async (t) => {
      const { page, watched } = await newPage(t)
      await page.clock.install()
      await watched.context.route(/\/acs\/creq/, () => undefined) // Never answered.
      const answer = await pending()
      // The issuer's frame holds back the event `load` if it begins before the page has loaded.
      await page.goto(challengeUrl(answer), { waitUntil: 'domcontentloaded' })
      const outer = await gatewayFrame(page, 'challenge')
      await outer.waitForSelector('html.scripted')
      await page.clock.runFor(16_000)
      await outer.locator('[role=status]').getByText('does not appear').waitFor()
      assert.equal(
        await outer.getByRole('button', { name: 'Return to the shop' }).isVisible(),
        true,
      )
    })

    test("an issuer whose certificate browsers reject is left after 15 seconds, though Chromium's error page is loaded", async (t) => {
      const { page } = await newPage(t)
      await page.clock.install()
      const answer = await pending()
      // The issuer of a live account shows its own pages, here under the simulator's certificate.
      await gateway.pool.query(
        `update three_ds_authentications set mode = 'live' where proc_trans_id = $1`,
        [answer['P3DS_PROCTRANSID']],
      )
      const failed = page.waitForEvent('requestfailed', (one) => one.url().endsWith('/acs/creq'))
      await page.clock.pauseAt(Date.now() + 60_000)
      await page.goto(challengeUrl(answer))
      assert.match((await failed).failure()?.errorText ?? '', /CERT/)
      const outer = await gatewayFrame(page, 'challenge')
      const leave = outer.getByRole('button', { name: 'Return to the shop' })
      await page.clock.runFor(14_000)
      assert.equal(await leave.isVisible(), false)
      await page.clock.runFor(2_000)
      await outer.locator('[role=status]').getByText('does not appear').waitFor()
      await leave.click()
      const { fields } = await shop.nextReturn()
      assert.deepEqual(fields, {
        TransactionId: answer['P3DS_PROCTRANSID'],
        Response: '',
        MD: 'basket 17',
      })
    })

    test('messages of other pages are not heard', async (t) => {
      const { page, watched } = await newPage(t)
      await page.clock.install()
      await page.clock.pauseAt(Date.now() + 60_000)
      const answer = await pending()
      await page.goto(challengeUrl(answer))
      const issuer = await issuerFrame(page)
      await issuer.waitForSelector('#submitButton')
      const outer = await gatewayFrame(page, 'challenge')
      const shout = (messages: string[]): void => {
        for (const message of messages) {
          parent.postMessage(message, '*')
          frames[0]?.postMessage(message, '*')
        }
      }
      const asked = (): number =>
        watched.requests.filter(({ url }) => url.endsWith('/StepUp/status')).length
      const before = asked()
      const words = ['tollgate.three-ds.back', 'tollgate.three-ds.stray', 'heard all']
      await outer.evaluate(() => {
        addEventListener('message', ({ data }) => {
          if (data === 'heard all')
            document.body.dataset['heard'] = String(Number(document.body.dataset['heard'] ?? 0) + 1)
        })
      })
      for (const from of [page.mainFrame(), issuer]) await from.evaluate(shout, words)
      await outer.waitForFunction(() => Number(document.body.dataset['heard']) >= 2)
      assert.equal(asked(), before)
      assert.equal(
        await outer.getByRole('button', { name: 'Return to the shop' }).isVisible(),
        false,
      )
    })

    test('axe finds nothing in the page around the issuer while it stands', async (t) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, watched } = await newPage(t, { colorScheme })
        await watched.context.addInitScript({ path: AXE })
        await page.clock.install()
        await page.goto(challengeUrl(await pending()))
        await (await issuerFrame(page)).waitForSelector('#submitButton')
        const outer = await gatewayFrame(page, 'challenge')
        assert.deepEqual(await findings(outer), [])
        await page.clock.fastForward(61_000)
        await outer.getByRole('button', { name: 'Return to the shop' }).waitFor()
        assert.deepEqual(await findings(outer), [])
      }
    })
  })

  for (const [colorScheme, width] of [
    ['light', 250],
    ['dark', 600],
  ] as const) {
    test(`axe finds nothing in any page in ${colorScheme} at ${width} px, nor is one scrolled sideways`, async (t) => {
      const { page } = await newPage(t, {
        colorScheme,
        viewport: { width, height: 400 },
        reducedMotion: 'reduce',
      })
      const write = readThreeDsPages(THREE_DS_PAGES_FOLDER)
      const values = {
        title: 'This page can not be opened',
        text: 'Go back to the shop.',
        window: '01',
        target: '_self',
        returnUrl: 'about:blank',
        acsUrl: 'about:blank',
      }
      for (const name of Object.keys(THREE_DS_PAGES) as (keyof typeof THREE_DS_PAGES)[]) {
        // As it is without its script: with all of its buttons.
        await page.setContent(
          write(name, 'n', values, {}).replace(/<script nonce[\s\S]*?<\/script>/, ''),
        )
        await page.addScriptTag({ path: AXE })
        assert.deepEqual(await findings(page.mainFrame()), [], name)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        assert.equal(overflow, 0, name)
        const moving = await page.evaluate(() => document.getAnimations().length)
        assert.equal(moving, 0, name)
      }
    })
  }
})

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly nodes: readonly { readonly failureSummary?: string }[]
  }[]
}

async function findings(frame: Frame): Promise<string[]> {
  const { violations } = await frame.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: { run(o: object): Promise<AxeResults> } }
    return axe.run({ iframes: false, resultTypes: ['violations'] })
  })
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ failureSummary }) => failureSummary).join('; ')}`,
  )
}
