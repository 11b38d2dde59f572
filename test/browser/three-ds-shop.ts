import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'

/** A form that arrived at the shop's return address. */
export interface Returned {
  readonly fields: Readonly<Record<string, string>>
  readonly origin: string
}

/** The pages of a shop that pays with 3-D Secure, with nothing of a shop in them. */
export interface ThreeDsShop {
  readonly returnUrl: string
  /**
   * A page that posts the JWT to DDC_URL into a hidden frame, and keeps the messages that arrive.
   */
  collectPage(ddcUrl: string, jwt: string): string
  /**
   * A page that posts the payload to P3DS_ACS_URL into a frame of this size; a button does it too.
   */
  challengePage(
    acsUrl: string,
    payload: string,
    size?: { readonly width: number; readonly height: number },
  ): string
  readonly returned: readonly Returned[]
  /** Resolves with the next POST to the return address that was not asked for yet. */
  nextReturn(): Promise<Returned>
  close(): void
}

export async function startThreeDsShop(): Promise<ThreeDsShop> {
  const pages: string[] = []
  const returned: Returned[] = []
  let taken = 0
  const server = createServer((request, response) => {
    void (async () => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      const { pathname } = new URL(request.url ?? '/', 'http://shop')
      if (pathname === '/back' && request.method === 'POST') {
        const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request)))
        returned.push({ fields, origin: request.headers.origin ?? '' })
        response.end('<!doctype html><html lang="en"><title>Back</title><h1>Thank you</h1></html>')
        return
      }
      const html = pages[Number(pathname.slice(1))]
      response.statusCode = html === undefined ? 404 : 200
      response.end(html ?? 'nothing')
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://merchant.localhost:${(server.address() as AddressInfo).port}`
  const add = (html: string): string => `${base}/${pages.push(html) - 1}`
  const shell = (title: string, content: string): string => `<!doctype html><html lang="en">
    <title>${title}</title>
    <script>
      globalThis.heard = []
      addEventListener('message', ({ origin, data }) => heard.push({ origin, data }))
    </script>
    <body style="margin: 0">${content}</body></html>`
  const form = (url: string, target: string, fields: Record<string, string>): string =>
    `<form method="post" action="${url}" target="${target}">
      ${Object.entries(fields)
        .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
        .join('')}
      <button id="go">Go on</button>
    </form>`
  return {
    returnUrl: `${base}/back?order=17`,
    collectPage: (ddcUrl, jwt) =>
      add(
        shell(
          'Shop',
          `<iframe name="ddc" style="display:none"></iframe>
        ${form(ddcUrl, 'ddc', { JWT: jwt, Bin: '400000', DDC_REFERENCEID: 'x' })}
        <script>document.forms[0].submit()</script>`,
        ),
      ),
    challengePage: (acsUrl, payload, { width, height } = { width: 500, height: 600 }) =>
      add(
        shell(
          'Pay',
          `<iframe name="challenge" title="Confirmation of the payment" width="${width}" height="${height}"
          style="border: 0"></iframe>
        ${form(acsUrl, 'challenge', { JWT: payload, MD: 'basket 17' })}
        <script>document.forms[0].submit()</script>`,
        ),
      ),
    returned,
    async nextReturn() {
      const next = await eventually('the browser returns to the shop', () => returned[taken])
      taken += 1
      return next
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  request.setEncoding('utf8')
  for await (const chunk of request) body += String(chunk)
  return body
}

/** The gateway's frame in a page of the shop, once it is there. */
export async function gatewayFrame(page: Page, name: 'ddc' | 'challenge'): Promise<Frame> {
  return frameWhere(
    page,
    (frame) =>
      frame.parentFrame() === page.mainFrame() &&
      frame.name() === name &&
      /\/V2\/Cruise\//.test(frame.url()),
  )
}

/** The issuer's frame: found as deployed clients find it, by `creq` in its address. */
export async function issuerFrame(page: Page): Promise<Frame> {
  return frameWhere(page, (frame) => /creq/.test(frame.url()))
}

async function frameWhere(page: Page, fits: (frame: Frame) => boolean): Promise<Frame> {
  return eventually('the page holds the frame', () => page.frames().find(fits))
}
