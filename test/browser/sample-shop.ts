import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Frame, Page } from 'playwright-core'

const SERVER = fileURLToPath(new URL('../../examples/hosted-fields/server.mjs', import.meta.url))

/** The shop of examples/hosted-fields, in a process of its own. */
export interface SampleShop {
  /** At `localhost`, while the gateway is at 127.0.0.1: another site for a browser. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts the shop and resolves when it is open. `settings` are environment variables of its own. */
export async function startSampleShop(
  gateway: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<SampleShop> {
  const child = spawn(process.execPath, [SERVER], {
    env: { PATH: process.env['PATH'] ?? '', GATEWAY: gateway, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString()
      const [found] = /http:\/\/localhost:\d+/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    void ended.then(() => reject(new Error('The sample shop ended before it was open.')))
  })
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The frame with the card fields, once they can be used. */
export async function cardFrame(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('iframe')
  const frame = await element.contentFrame()
  if (frame === null) throw new Error('The frame of the card fields has no page.')
  await frame.waitForSelector('#number', { state: 'visible' })
  return frame
}

/** Keeps every message that the page of a shop hears, as text. Has to be called before it loads. */
export async function keepMessages(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    if (window !== window.top) return
    const heard: string[] = []
    Object.assign(window, { heard })
    addEventListener('message', (event) => heard.push(JSON.stringify([event.origin, event.data])))
  })
  return () => page.evaluate(() => (window as unknown as { heard: string[] }).heard)
}
