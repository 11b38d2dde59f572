import { tokenRequest } from './tokens.ts'

/** The answer of a sample shop to a customer. */
export interface Shown {
  readonly text: string
  /** Whether the page lets the customer pay. */
  readonly canPay: boolean
}

/** A customer at a sample shop, without a browser: what its pages send, in their sequence. */
export interface Customer {
  pay(): Promise<Shown>
  /** Opens the page of the order's result. */
  lookAgain(): Promise<Shown>
}

/** Enters a basket of the shop and stays with it. */
export async function enterShop(folder: SampleFolder, shop: string, gateway: string) {
  const { search } = new URL((await fetch(shop)).url)
  return folder === 'hosted-fields'
    ? fieldsCustomer(shop, search, gateway)
    : formCustomer(shop, search)
}

export type SampleFolder = 'hosted-fields' | 'three-ds-shop'

const EXPIRY = '12/2040'

/** Gets a token as the card fields do, and posts it as the page does. */
function fieldsCustomer(shop: string, search: string, gateway: string): Customer {
  const post = async (path: string, body: object = {}): Promise<Shown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${shop}${path}${search}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const { message, canPay = true } = (await answer.json()) as Partial<Shown> & {
      readonly message: string
    }
    return { text: message, canPay }
  }
  return {
    async pay() {
      const { form, headers } = tokenRequest({ REQUEST_RESPONSE_FORMAT: 'JSON' })
      const address = new URL('/payment/token_service.cfm', gateway)
      const answer = await fetch(address, { method: 'POST', headers, body: form })
      const body = (await answer.text()).trimEnd()
      const { TOKEN_REQID } = JSON.parse(body) as { readonly TOKEN_REQID: string }
      const token = {
        body,
        requestId: TOKEN_REQID,
        timestamp: answer.headers.get('x-timestamp'),
        signature: answer.headers.get('x-signature'),
      }
      return post('/pay', { token, expiry: EXPIRY, browser: { language: 'en-GB' } })
    },
    lookAgain: () => post('/result'),
  }
}

/** Sends the form of the page, as a browser without scripts does. */
function formCustomer(shop: string, search: string): Customer {
  const read = async (answer: Response): Promise<Shown> => {
    const html = await answer.text()
    const form = /<form id="checkout"[^>]*>/.exec(html)?.[0] ?? 'hidden'
    const canPay = !/hidden\s*>|hidden$/.test(form) || html.includes('Pay with another card')
    return { text: html.replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, ' '), canPay }
  }
  return {
    async pay() {
      const body = new URLSearchParams({ number: '4111111111111111', expiry: EXPIRY, code: '123' })
      const headers = { 'accept-language': 'en-GB', 'user-agent': 'test' }
      return read(await fetch(`${shop}/pay${search}`, { method: 'POST', headers, body }))
    },
    lookAgain: async () => read(await fetch(`${shop}/result${search}`)),
  }
}
