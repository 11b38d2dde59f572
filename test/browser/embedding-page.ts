import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'

/** Several origins on this machine, each with one page. */
export interface Origins {
  /** The address of an origin, such as `http://shop.localhost:4711`. */
  of(name: string): string
  /** Sets the response of every address of the origin from now on. */
  serve(name: string, html: string, headers?: Readonly<Record<string, string>>): void
  /** The paths that were asked for, of all origins. */
  readonly asked: readonly string[]
  close(): void
}

export async function startOrigins(): Promise<Origins> {
  const pages = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>()
  const asked: string[] = []
  const server = createServer(({ headers: { host = '' }, url = '' }, response) => {
    asked.push(url)
    const page = pages.get(host.split('.')[0] ?? '')
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
      ...page?.headers,
    })
    response.end(page?.html)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    of: (name) => `http://${name}.localhost:${port}`,
    serve: (name, html, headers = {}) => void pages.set(name, { html, headers }),
    asked,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A page that holds the card fields without the script for shops, and keeps what it hears. */
export function bareHolder(gateway: string, site: number): string {
  return `<!doctype html><title>Shop</title>
    <script>
      const heard = []
      addEventListener('message', ({ origin, data }) => heard.push({ origin, ...data }))
    </script>
    <iframe src="${gateway}/pay/field.html?site=${site}" title="Card details"></iframe>`
}

/** A page that mounts the card fields with the script for shops. */
export function mountingPage(
  gateway: string,
  site: number,
  options: object = {},
  version: 1 | 2 = 1,
): string {
  return `<!doctype html><html lang="en"><title>Shop</title>
    <meta name="viewport" content="width=device-width">
    <script src="${gateway}/pay/${version}/fields.js" crossorigin="anonymous"></script>
    <main id="place"></main>
    <script>
      globalThis.events = []
      const options = ${JSON.stringify({ site, ...options })}
      const onEvent = (name, parts) => events.push({ name, ...parts })
      globalThis.card = TollgateFields.mount(document.getElementById('place'), { ...options, onEvent })
    </script></html>`
}

export interface Heard {
  readonly origin: string
  readonly type: string
  readonly [part: string]: unknown
}

/** The messages that the page around the fields has received so far. */
export function heardBy(page: Page): Promise<Heard[]> {
  return page.evaluate('heard')
}

/**
 * Lets the page around the fields send a message, and resolves once the fields have handled it.
 * Messages from one page arrive in the order in which they were sent.
 */
export async function say(
  page: Page,
  fields: Frame,
  ...messages: readonly unknown[]
): Promise<void> {
  const mark = `mark ${(marks += 1)}`
  await fields.evaluate((mark) => {
    const state = globalThis as { marksSeen?: string[] }
    state.marksSeen ??= []
    addEventListener('message', ({ data }) => data === mark && state.marksSeen?.push(mark))
  }, mark)
  await page.evaluate(
    (said) => {
      for (const message of said) frames[0]?.postMessage(message, '*')
    },
    [...messages, mark],
  )
  await fields.waitForFunction(
    (mark) => (globalThis as { marksSeen?: string[] }).marksSeen?.includes(mark) === true,
    mark,
  )
}

let marks = 0
