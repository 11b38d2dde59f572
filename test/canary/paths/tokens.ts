import { signTokenRequest } from '@tollgate/client'
import { card, CODE } from '../marks.ts'
import { EXPIRY, valueOf, type Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const ADDRESS = '/payment/token_service.cfm'

/**
 * The token service: tokens made, used, used twice and refused; the number where it does not
 * belong.
 */
export const tokens: Path = {
  name: 'card tokens',
  seen: ['token'],
  async push(run) {
    const number = card('token')
    const made = await ask(run, { CARD_PAN: number, CARD_CVV: CODE })
    const payment = {
      REQUEST_ACTION: 'CCAUTHCAP',
      TOKEN_GUID: valueOf(made, 'TOKEN_GUID'),
      PMT_EXPIRY: EXPIRY,
      LI_VALUE_1: '10.00',
      XTL_UDF01: number,
    }
    const answer = await run.send(payment)
    if (valueOf(answer, 'TRANS_STATUS_NAME') !== 'APPROVED') {
      throw new Error(`A payment by token was answered: ${answer}`)
    }
    await run.send(payment)
    await Promise.all([
      ask(run, { CARD_PAN: number, CARD_CVV: CODE, REQUEST_RESPONSE_FORMAT: 'XML' }),
      ask(run, { CARD_PAN: number, CARD_CVV: `${CODE}5` }),
      ask(run, { CARD_PAN: number, CARD_CVV: number }),
      ask(run, { CARD_PAN: `${number}77777` }),
      ask(run, { CARD_PAN: `${number.slice(0, -1)}x` }),
      ask(run, { CARD_PAN: number.replace(/(.{4})/g, '$1-') }),
      ask(run, { CARD_PAN: number, SITE_ID: number }),
      ask(run, { CARD_PAN: number, UNIQUE_ID: number }),
      ask(run, { CARD_PAN: number, REQUEST_API_VERSION: number }),
      ask(run, { CARD_PAN: number, [number]: number }),
      ask(run, { CARD_PAN: number }, { 'X-SIGNATURE': number }),
      ask(run, { CARD_PAN: number }, { 'X-TIMESTAMP': number }),
      ask(run, { CARD_PAN: number }, { 'X-TIMESTAMP': number.slice(0, 14) }),
      ask(run, { CARD_PAN: number }, { Origin: `https://${number}.example` }),
      ...[1001, 1003].map((site) => {
        const { form, headers } = signed(site, { CARD_PAN: number, CARD_CVV: CODE })
        return run.request(`${ADDRESS}?${new URLSearchParams({ ...form, ...headers })}`, {
          method: 'GET',
        })
      }),
      run.request(`${ADDRESS}?CARD_PAN=${number}`, { method: 'OPTIONS' }),
      run.send({ ...payment, TOKEN_GUID: number }),
    ])
  },
}

/** A token for a card and the marked security code. */
export async function makeToken(run: ProgramRun, number: string): Promise<string> {
  return valueOf(await ask(run, { CARD_PAN: number, CARD_CVV: CODE }), 'TOKEN_GUID')
}

type Texts = Readonly<Record<string, string>>

function signed(siteId: number, given: Texts): { readonly form: Texts; readonly headers: Texts } {
  const siteKey = `sandbox-site-key-${siteId}`
  const { timestamp, uniqueId, signature } = signTokenRequest({ siteId, siteKey })
  return {
    form: { SITE_ID: String(siteId), UNIQUE_ID: uniqueId, REQUEST_API_VERSION: '4.14', ...given },
    headers: { 'X-TIMESTAMP': timestamp, 'X-SIGNATURE': signature },
  }
}

function ask(run: ProgramRun, given: Texts, changed: Texts = {}): Promise<string> {
  const { form, headers } = signed(1001, given)
  return run.request(ADDRESS, {
    method: 'POST',
    headers: { ...headers, ...changed },
    body: new URLSearchParams(form),
  })
}
