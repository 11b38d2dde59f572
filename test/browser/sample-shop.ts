import type { Frame, Page } from 'playwright-core'

export { startSampleShop, type SampleShop } from './sample-shop-server.ts'

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
