import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { credentials } from '../support/running-gateway.ts'

type Answer = Readonly<Record<string, unknown>>

/**
 * A shop whose software was written for other gateways of this interface, and knows nothing of
 * ours.
 */
export interface ForeignShop {
  readonly url: string
  /** Every request to the gateway: path, and the names of its parameters as they were sent. */
  readonly asked: readonly { readonly path: string; readonly names: readonly string[] }[]
  /** The answer of the last call, once it came. */
  readonly finished: Promise<Answer>
  close(): void
}

/** The part that its return passes on: the Response as it came, or nothing. */
export type PassesOn = 'response' | 'nothing'

/**
 * A shop with unusual requests. It names parameters in small letters, and identifies the card at
 * step 1 by its first digits in pmt_numb. It waits 8 seconds for the data collection, and reads the
 * challenge by its older names. Its last call leaves out the parameters that only the enrolment
 * had.
 */
export async function startForeignShop(
  gateway: string,
  card: string,
  passesOn: PassesOn,
): Promise<ForeignShop> {
  const asked: { path: string; names: readonly string[] }[] = []
  const finished = Promise.withResolvers<Answer>()
  const orderReference = `foreign-${randomUUID()}`
  let acceptHeader = ''
  let pending: { fields: Record<string, string>; transactionId: string } | null = null

  async function ask(path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    const all = { ...credentials(1001), REQUEST_RESPONSE_FORMAT: 'JSON', ...fields }
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(all)) form.set(name.toLowerCase(), value)
    asked.push({ path, names: [...form.keys()] })
    const answer = await fetch(`${gateway}/payment/${path}`, { method: 'POST', body: form })
    return (await answer.json()) as Answer
  }

  async function pay(request: IncomingMessage): Promise<object> {
    const { reference, language } = JSON.parse(await text(request)) as Record<string, string>
    const fields = {
      request_action: 'CCAUTHCAP',
      xtl_order_id: orderReference,
      unique_xtl_order_id: '2',
      li_value_1: '10.00',
      request_currency: 'USD',
      pmt_numb: card,
      pmt_expiry: '122040',
      pmt_key: '123',
      p3ds_version: '2',
      p3ds_browser_language: language ?? '',
      user_agent_xtl: request.headers['user-agent'] ?? '',
      p3ds_browser_header: acceptHeader,
    }
    const answer = await ask('pmt_service.cfm', {
      ...fields,
      request_enrollment: '1',
      ddc_referenceid: reference ?? '',
      p3ds_return_url: `${url}/return`,
    })
    if (answer['TRANS_STATUS_NAME'] !== 'PENDING') finished.resolve(answer)
    pending = { fields, transactionId: String(answer['P3DS_PROCTRANSID']) }
    return {
      status: answer['TRANS_STATUS_NAME'],
      url: answer['PROC_REDIRECT_URL'],
      jwt: answer['P3DS_JWT'],
    }
  }

  async function comeBack(request: IncomingMessage): Promise<string> {
    const form = new URLSearchParams(await text(request))
    const id = form.get('TransactionId')
    if (pending === null || id !== pending.transactionId)
      return 'This is not the payment that was begun.'
    const answer = await ask('pmt_service.cfm', {
      ...pending.fields,
      p3ds_proctransid: id,
      request_pares: passesOn === 'response' ? (form.get('Response') ?? '') : '',
    })
    finished.resolve(answer)
    return `<script>parent.postMessage(${JSON.stringify(answer['TRANS_STATUS_NAME'])}, '*')</script>`
  }

  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    switch (`${request.method} ${request.url}`) {
      case 'GET /':
        acceptHeader = request.headers.accept ?? ''
        return response.end(
          page(await ask('3dsrequest.cfm', { merch_acct_id: '2001', pmt_numb: card.slice(0, 6) })),
        )
      case 'POST /pay':
        return response.end(JSON.stringify(await pay(request)))
      case 'POST /return':
        return response.end(await comeBack(request))
      default:
        return response.writeHead(404).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://merchant.localhost:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked,
    finished: finished.promise,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Runs steps 2 to 4 as soon as it is there. */
function page(session: Answer): string {
  return `<!doctype html><html lang="en"><title>Shop</title>
<iframe name="ddc" style="display:none"></iframe>
<form id="ddc" method="post" action="${String(session['DDC_URL'])}" target="ddc">
<input type="hidden" name="JWT" value="${String(session['JWT'])}">
<input type="hidden" name="Bin" value="${String(session['PMT_BIN'])}">
<input type="hidden" name="DDC_REFERENCEID" value="${String(session['DDC_REFERENCEID'])}">
</form>
<p id="result"></p>
<script>
const completed = new Promise((resolve) => {
  setTimeout(resolve, 8000, 'gave up')
  addEventListener('message', ({ data }) => {
    const message = typeof data === 'string' && data.startsWith('{') ? JSON.parse(data) : data
    if (message.MessageType === 'profile.completed') resolve('completed')
  })
})
document.getElementById('ddc').submit()
completed.then(async (how) => {
  document.body.dataset.collection = how
  const reference = ${JSON.stringify(session['DDC_REFERENCEID'])}
  const asked = { method: 'POST', body: JSON.stringify({ reference, language: navigator.language }) }
  const { status, url, jwt } = await (await fetch('/pay', asked)).json()
  const result = document.getElementById('result')
  if (status !== 'PENDING') return (result.textContent = status)
  document.body.insertAdjacentHTML('beforeend',
    '<div style="position:fixed;inset:0"><iframe name="challenge" width="500" height="600"></iframe></div>' +
    '<form id="step-up" method="post" target="challenge"><input type="hidden" name="JWT"></form>')
  addEventListener('message', ({ data, origin }) => {
    if (origin === location.origin) result.textContent = data
  })
  const form = document.getElementById('step-up')
  form.action = url
  form.elements.JWT.value = jwt
  form.submit()
})
</script></html>`
}
