import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Frame,
  type Page,
} from 'playwright-core'
import { ARGUMENTS } from './chromium-arguments.ts'
import { CHROMIUM, HEADLESS_SHELL } from './find-chromium.ts'

/** For tests that need it: they are left out where it is missing, and say so. */
export const NEEDS_CHROMIUM =
  CHROMIUM === null ? { skip: 'Chromium is not installed: apt-get install chromium' } : {}

/** @param more command-line arguments beside the usual ones */
export function launchChromium(...more: readonly string[]): Promise<Browser> {
  const args = [...ARGUMENTS, ...more]
  return chromium.launch({ executablePath: CHROMIUM ?? 'chromium', args })
}

/** Starts the browser without its windows, which computes a fifth less. */
export function launchHeadlessShell(): Promise<Browser> {
  return chromium.launch({ executablePath: HEADLESS_SHELL ?? 'chromium', args: [...ARGUMENTS] })
}

/** The traffic of a context, and the complaints of its pages. */
export interface Watched {
  readonly context: BrowserContext
  readonly requests: { readonly method: string; readonly url: string; readonly body: string }[]
  readonly console: string[]
  /** Everything that its pages keep: cookies, local and session storage, databases. */
  storage(): Promise<string>
  /** The refusals of policies, in any frame, such as `script-src inline`. */
  violations(): Promise<string[]>
}

/** A fresh profile of which everything is recorded. */
export async function watchedContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    reducedMotion: 'reduce', // The processor draws each frame of an animation.
    ...options,
  })
  const requests: Watched['requests'] = []
  const complaints: string[] = []
  context.on('request', (request) => {
    const body = request.postData() ?? ''
    requests.push({ method: request.method(), url: request.url(), body })
  })
  context.on('console', (message) => complaints.push(`${message.type()} ${message.text()}`))
  context.on('weberror', (error) => complaints.push(`error ${error.error().message}`))
  await context.addInitScript(() => {
    const seen: string[] = []
    Object.assign(globalThis, { seenViolations: seen })
    addEventListener('securitypolicyviolation', (event) =>
      seen.push(`${event.effectiveDirective} ${event.blockedURI}`),
    )
  })
  return {
    context,
    requests,
    console: complaints,
    async storage() {
      const frames = context.pages().flatMap((page) => page.frames())
      const sessions = await Promise.all(frames.map((frame) => frame.evaluate(readSessionStorage)))
      const kept = await context.storageState({ indexedDB: true })
      return [JSON.stringify(kept), ...sessions].join('\n')
    },
    async violations() {
      const frames = context.pages().flatMap((page) => page.frames())
      const found = await Promise.all(
        frames.map((frame) =>
          frame.evaluate(() => (globalThis as { seenViolations?: string[] }).seenViolations ?? []),
        ),
      )
      return found.flat()
    },
  }
}

/**
 * Goes by Tab until the focus is at an element of a frame, where it comes a little after the key.
 */
export async function tabTo(page: Page, frame: Frame, id: string): Promise<void> {
  for (let steps = 0; steps < 12; steps += 1) {
    for (let tries = 0; tries < 10; tries += 1) {
      if (
        await frame.evaluate((id) => document.activeElement?.id === id && document.hasFocus(), id)
      )
        return
      await page.waitForTimeout(30)
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${id}.`)
}

/** Runs in a page. A frame of another site may be refused any storage at all. */
function readSessionStorage(): string {
  try {
    return JSON.stringify(sessionStorage)
  } catch {
    return 'none'
  }
}
