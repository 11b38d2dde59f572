import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { untilSeen } from '../support/eventually.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { launchHeadlessShell, watchedContext, type Watched } from './chromium.ts'
import { startSampleShop, type SampleShop } from './sample-shop-server.ts'

/**
 * The sample shop, a gateway with the simulated DS and ACS, and a browser: three different sites.
 */
export interface ThreeDsWorld {
  readonly gateway: RunningGateway
  readonly shop: SampleShop
  readonly browser: Browser
  /** A customer with the shop's checkout open. */
  visit(options?: BrowserContextOptions): Promise<Visit>
  /** The journal of the simulator: every message of a transaction in and out. */
  journal(): Promise<JournalLine[]>
  stop(): Promise<void>
}

export interface Visit {
  readonly page: Page
  readonly watched: Watched
  /** Fills the form and pays. */
  pay(number: string): Promise<void>
  /** The bank's page, once its form can be used. */
  bank(): Promise<Frame>
  /** The shop's last message. */
  outcome(): Promise<{ readonly kind: string; readonly title: string }>
}

export interface JournalLine {
  readonly leg: string
  readonly direction: string
  readonly type: string
  readonly message: Readonly<Record<string, unknown>>
}

export async function startThreeDsWorld(
  options: {
    readonly timeScale?: number
    readonly settings?: Readonly<Record<string, string>>
    readonly launch?: () => Promise<Browser>
  } = {},
): Promise<ThreeDsWorld> {
  const [port = 0] = await freePorts(1)
  const publicUrl = `http://gateway.localhost:${port}`
  const gateway = await startRunningGateway(
    { PORT: String(port), PUBLIC_URL: publicUrl, THREE_DS_RESULTS_PORT: '0', ...options.settings },
    undefined,
    {},
    { timeScale: options.timeScale ?? 1 },
  )
  const undo: (() => Promise<unknown>)[] = [() => gateway.stop()]
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step()
  }
  try {
    const settings = { SHOP_HOST: 'merchant.localhost', GATEWAY_PAGES: publicUrl }
    const shop = await startSampleShop(gateway.baseUrl, settings, 'three-ds-shop')
    undo.push(() => shop.stop())
    const browser = await (options.launch ?? launchHeadlessShell)()
    undo.push(() => browser.close())
    await untilRangesAreKnown(gateway)
    return {
      gateway,
      shop,
      browser,
      visit: (contextOptions) => visit(browser, shop.url, contextOptions),
      async journal() {
        const answer = await fetch(`${String(gateway.bank.controlUrl)}/three-ds/log`)
        return ((await answer.json()) as { entries: JournalLine[] }).entries
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Resolves when a card that is always authenticated is. */
async function untilRangesAreKnown(gateway: RunningGateway): Promise<void> {
  const client = gateway.client()
  const browser = { language: 'en', userAgent: 'test', acceptHeader: '*/*' }
  await untilSeen(
    'a card that is always authenticated is',
    async () => {
      const { ddcReference } = await client.threeDsSession({ leadingDigits: '40000000' })
      const { threeDs } = await client.authorize({
        amount: '10.00',
        cardNumber: FRICTIONLESS,
        expiry: '122040',
        threeDs: { ddcReference, returnUrl: 'https://shop.example/', browser },
      })
      return threeDs?.status
    },
    (status) => status === 'Y',
  )
}

export const FRICTIONLESS = '4000000000002701'
export const CHALLENGE = '4000000000002503'

const PATIENCE_MS = 60_000

async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const watched = await watchedContext(browser, options)
  const page = await watched.context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  await page.goto(url)
  return visitOf(page, watched)
}

/** The driver of a page of the shop that is open already. */
export function visitOf(page: Page, watched: Watched): Visit {
  return {
    page,
    watched,
    async pay(number) {
      await page.fill('#number', number)
      await page.fill('#expiry', '12/2040')
      await page.fill('#code', '123')
      await page.click('#pay')
    },
    async bank() {
      const field = page.frameLocator('dialog iframe').frameLocator('iframe').locator('#code')
      const result = page.locator('#outcome h1')
      const title = result.waitFor().then(
        () => result.innerText(),
        () => null,
      )
      const seen = await Promise.race([field.waitFor().then(() => null), title])
      if (seen !== null) throw new Error(`The shop shows no page of the bank, but: ${seen}`)
      const frame = page.frames().find((one) => /\/acs\/creq/.test(one.url()))
      if (frame === undefined) throw new Error("There is no frame with the bank's page.")
      return frame
    },
    async outcome() {
      await page.waitForURL('**/result?**')
      const outcome = page.locator('#outcome')
      return {
        kind: (await outcome.getAttribute('data-kind')) ?? '',
        title: await outcome.locator('h1').innerText(),
      }
    },
  }
}

/** Enters a code on the bank's page. */
export async function enterCode(bank: Frame, code: string): Promise<void> {
  await bank.fill('#code', code)
  await bank.click('#submitButton')
}
