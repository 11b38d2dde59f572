import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

export type Fields = Readonly<Record<string, string>>

/** A form on a page, with what is filled in already. */
export interface PageForm {
  readonly action: string
  readonly fields: Fields
}

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends and shows; it runs no scripts, and follows no redirect. */
export interface ScriptedBrowser {
  post(url: string, fields: Fields | string, headers?: Fields): Promise<Page>
  get(url: string, headers?: Fields): Promise<Page>
}

/** A browser that trusts one CA, so that it may go to the simulator. */
export function openScriptedBrowser(ca: string): ScriptedBrowser {
  const send = (url: string, method: string, body: string, headers: Fields): Promise<Page> =>
    new Promise((resolve, reject) => {
      const request = url.startsWith('https:') ? requestHttps : requestHttp
      const outgoing = request(url, { method, headers, ca, agent: false }, (incoming) => {
        let text = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (part: string) => (text += part))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const entries = Object.entries(incoming.headers).map(([name, value]) => [
            name,
            String(value),
          ])
          resolve({
            url,
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(entries),
            text,
          })
        })
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  return {
    get: (url, headers = {}) => send(url, 'GET', '', headers),
    post: (url, fields, headers = {}) => {
      const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
      const type = 'application/x-www-form-urlencoded'
      return send(url, 'POST', body, { 'content-type': type, ...headers })
    },
  }
}

/** The forms of a page, by what stands in its text. */
export function formsOf({ text, url }: Page): PageForm[] {
  return [...text.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/g)].map(([, head = '', inside = '']) => {
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/g)].map(
      ([, attributes = '']) => attributes,
    )
    const fields = inputs
      .filter((attributes) => attribute(attributes, 'name') !== '')
      .map((attributes) => [attribute(attributes, 'name'), attribute(attributes, 'value')])
    return {
      action: new URL(attribute(head, 'action'), url).href,
      fields: Object.fromEntries(fields) as Fields,
    }
  })
}

/** The one form of a page. Throws with what was there where there is none. */
export function formOf(page: Page): PageForm {
  const [form] = formsOf(page)
  if (form === undefined)
    throw new Error(`There is no form on ${page.url}: ${page.status} ${page.text}`)
  return form
}

/** The data of a page's script: the JSON of its data block. */
export function dataOf(page: Page): Readonly<Record<string, unknown>> {
  const [, json] =
    /<script\b[^>]*type="application\/json"[^>]*>([^]*?)<\/script>/.exec(page.text) ?? []
  if (json === undefined)
    throw new Error(`There is no data on ${page.url}: ${page.status} ${page.text}`)
  return JSON.parse(json) as Record<string, unknown>
}

function attribute(attributes: string, name: string): string {
  const [, value = ''] = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes) ?? []
  return value
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    )
    .replace(/&#([0-9]+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
}

/** JSON in base64url, as messages travel through a browser. */
export function carry(message: unknown): string {
  return Buffer.from(JSON.stringify(message)).toString('base64url')
}

export function carried(text: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<string, unknown>
}
