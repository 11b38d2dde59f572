import type { Route } from '@tollgate/portal-contract/route'
import * as table from '@tollgate/portal-contract/routes/console'
import { createPrivateKey } from 'node:crypto'
import { linkFiles } from '../../support/console-links.ts'
import { card, CONSOLE_PASSWORD } from '../marks.ts'
import { as, createPageSecrets } from '../page-secrets.ts'
import type { Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const OPERATOR = 'canary@ops.example'
const secrets = createPageSecrets('the console', ({ consoleUrl }) => `${consoleUrl}/console/api`)

/** To be asked once the path was taken. */
export const consoleMarks = secrets.marks

/** Bodies with a text in each field that takes one; other fields are as operators fill them. */
const BODIES: Readonly<Record<string, (text: string) => object>> = {
  'PUT /account/password': (text) => ({ password: CONSOLE_PASSWORD, newPassword: text }),
  'POST /account/second-factor': (text) => ({ sealed: text, code: text, password: text }),
  'POST /merchants/:id/disable': (text) => ({ reason: `stolen: ${text}` }),
  'PUT /accounts/:id/limits': (text) => ({
    currency: text,
    payment: text,
    day: text,
    reason: text,
  }),
  'PUT /accounts/:id/demands': (text) => ({
    brands: [text],
    requiredFields: [text],
    reason: text,
  }),
  'PUT /accounts/:id/details': (text) => ({
    categoryCode: text,
    name: text,
    city: text,
    country: text,
    currencies: ['EUR'],
    reason: text,
  }),
  'PUT /accounts/:id/three-ds': (text) => ({
    requestorId: text,
    requestorUrl: `https://${text}`,
    reason: text,
  }),
  'PUT /sites/:id/three-ds': (text) => {
    const policy = { required: true, whenUnavailable: 'decline', paResRequired: false }
    const typed = { ...policy, challengePreference: null, returnHosts: [text] }
    return { policy: typed, seen: typed, reason: text }
  },
  'PUT /accounts/:id/unreferenced-credits': (text) => ({ allowed: true, reason: text }),
  'PUT /accounts/:id/countries': (text) => ({ rule: 'allow', codes: text, reason: text }),
  'POST /merchants/:id/fees/preview': (text) => ({ plan: text, amount: text, currency: 'USD' }),
  'PUT /merchants/:id/fees': (text) => ({
    plan: JSON.stringify({ merchantId: 1, startsOn: text, rates: [{ kind: 'sale', brand: text }] }),
    reason: text,
  }),
  'POST /links/preview': (text) => ({ file: linkFile(text), pem: [{ name: text, text }] }),
  'PUT /links': (text) => ({
    file: linkFile(text),
    pem: [{ name: text, text }],
    reason: text,
  }),
  'POST /merchants': (text) => ({ name: text, timeZone: text }),
  'PUT /merchants/:id/name': (text) => ({ name: text }),
  'POST /merchants/:id/sites': (text) => ({ name: text, defaultCurrency: 'EUR' }),
  'PUT /sites/:id/name': (text) => ({ name: text }),
  'POST /merchants/:id/accounts': (text) => ({
    mode: 'test',
    link: text,
    processorName: text,
    acquirerId: text,
    acquirerMerchantId: text,
    categoryCode: text,
    name: text,
    city: text,
    country: text,
    currencies: ['EUR'],
    sites: [],
  }),
  'PUT /accounts/:id/name': (text) => ({ name: text }),
  'POST /merchants/:id/portal-users': (text) => ({ email: `${text}@shop.example`, name: text }),
  'POST /portal-users/:id/reset': (text) => ({ reason: text }),
  'POST /keys/destroy': (text) => ({ key: 1, unreadable: 0, reason: text }),
  'POST /keys/export': (text) => ({ key: text, reason: text }),
  'POST /keys/replace': (text) => ({ to: `local:${text}`, reason: text }),
  'POST /operators': (text) => ({ email: `${text}@ops.example`, name: text }),
  'PUT /operators/:id/role': (text) => ({ role: text }),
  'PUT /operators/:id/active': (text) => ({ active: text }),
  'POST /merchants/:id/visits': (text) => ({ reason: `for ${text}`, minutes: 15 }),
}

function linkFile(text: string): string {
  const tls = { caFile: text, certFile: text, keyFile: text }
  return JSON.stringify({ name: text, mode: 'live', addresses: [text], institutionId: text, tls })
}

const WITHOUT_BODY = [
  'POST /account/second-factor/begin',
  'POST /merchants/:id/enable',
  'POST /operators/:id/reset',
  'POST /requests/:id/approve',
  'POST /requests/:id/refuse',
  'POST /requests/:id/withdraw',
  'POST /visits/:id/end',
]

/** Every route behind the sign-in of the console. */
function routesOf(): readonly Pick<Route, 'method' | 'path'>[] {
  const { CONSOLE_API: _address, consoleSession: _signIn, ...parts } = table
  return Object.values(parts).flatMap((part) => Object.values(part))
}

/** Operators who come in, and what they type in the wrong place, on every route. */
export const operatorConsole: Path = {
  name: 'the console',
  seen: [],
  async push(run) {
    const invited = await run.command('operators', 'invite', OPERATOR, 'owner', 'Canary')
    const token = /#([\w-]{43})/.exec(invited.output)?.[1] ?? ''
    const taken = { token, name: 'Canary', newPassword: CONSOLE_PASSWORD }
    const operator = await secrets.tell(run, '/invitation', taken)
    const { codeOf, secret } = await secrets.setSecondFactor(run, operator, null)
    const credentials = { email: OPERATOR, password: CONSOLE_PASSWORD }
    const half = await secrets.tell(run, '/session', credentials)
    const full = await secrets.tell(run, '/session/code', { code: codeOf(1) }, as(half))
    if (full.status !== 200) throw new Error(`The operator did not come in: ${full.status}.`)
    const viewer = { email: 'canary-viewer@ops.example', name: 'Canary' }
    const { body } = await secrets.tell(run, '/operators', viewer, as(full))
    const link = String(body.link.address).split('#')[1] ?? ''
    secrets.mark('the token of an invitation to the console', link)

    await requestLink(run, as(full))
    const cookie = full.cookie.split('=')[1] ?? ''
    for (const text of [card('console'), CONSOLE_PASSWORD, link, secret, cookie]) {
      await misplaceAtSignIn(run, text)
      for (const route of routesOf()) await misplace(run, as(full), route, text)
    }
  },
}

/** The key of a link that waits for a second operator, and those of requests that ended. */
async function requestLink(run: ProgramRun, headers: Record<string, string>): Promise<void> {
  const { key, sent } = await linkFiles({ name: 'canary-live', mode: 'live' })
  // The rest of the file is the same in other keys, or public.
  const { d = '' } = createPrivateKey(key).export({ format: 'jwk' })
  secrets.mark('the client key of a requested link', d)
  const send = (method: string, path: string, content: object) =>
    run.request(`${run.consoleUrl}/console/api${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(content),
    })
  await send('POST', '/links/preview', sent)
  await send('POST', '/links/preview', { ...sent, file: key })
  await send('POST', '/links/preview', { ...sent, [key]: key })
  const mixed = sent.pem.map(({ name }) => ({ name, text: key }))
  await send('POST', '/links/preview', { ...sent, pem: mixed })
  await send('PUT', '/links', { ...sent, pem: mixed, reason: '' })
  await send('PUT', '/links', { ...sent, reason: 'canary' })
}

/** These answers are kept, and must not repeat the text. */
async function misplaceAtSignIn(run: ProgramRun, text: string): Promise<void> {
  const send = (path: string, body: string, headers = {}) =>
    run.request(`${run.consoleUrl}/console${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
  await send('/api/session', JSON.stringify({ email: text, password: text }))
  await send('/api/session', `{"email":"${text}`)
  await send('/api/invitation/look', JSON.stringify({ token: text.slice(0, 40) }))
  await send(`/invitation/${text}?token=${text}`, '', { cookie: `tollgate_console=${text}` })
}

async function misplace(
  run: ProgramRun,
  headers: Record<string, string>,
  { method, path }: Pick<Route, 'method' | 'path'>,
  text: string,
): Promise<void> {
  const name = `${method} ${path}`
  const bodyOf = BODIES[name]
  if (method !== 'GET' && bodyOf === undefined && !WITHOUT_BODY.includes(name)) {
    throw new Error(`${name} has no row in test/canary/paths/console.ts.`)
  }
  const send = (id: string, query: string, body: object | null) =>
    run.request(`${run.consoleUrl}/console/api${path.replace(/:[^/]+/g, id)}${query}`, {
      method,
      headers: { ...headers, ...(body === null ? {} : { 'content-type': 'application/json' }) },
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    })
  // Free texts keep what they are given, except card numbers.
  const isCard = text === card('console')
  const body = bodyOf === undefined ? null : isCard ? bodyOf(text) : { [text]: text }
  await send(text, `?${text}=${text}`, body)
  if (!isCard) return
  await send('1', '', body)
  if (bodyOf !== undefined) await send('1', '', { ...bodyOf('x'), [text]: text })
}
