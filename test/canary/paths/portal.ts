import { card, PORTAL_PASSWORD } from '../marks.ts'
import { as, createPageSecrets } from '../page-secrets.ts'
import type { Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const OWNER = { email: 'owner@tollgate.test', password: 'Sandbox-4.14-portal' }
const PORTAL_USER = 'canary-portal@tollgate.test'

const secrets = createPageSecrets('the portal', ({ baseUrl }) => `${baseUrl}/portal/api`)
const { mark, tell } = secrets

/** To be asked once the path was taken. */
export const portalMarks = secrets.marks

/** Portal users who come in, and what they type in the wrong place. */
export const portal: Path = {
  name: 'the portal',
  seen: [],
  async push(run) {
    const number = card('portal')
    const owner = await tell(run, '/session', OWNER)
    const invited = await tell(
      run,
      '/users',
      { email: PORTAL_USER, name: 'Canary', role: 'finance', refundLimit: null },
      as(owner),
    )
    const link = String(invited.body.link.address).split('#')[1] ?? ''
    mark('the token of an invitation', link)
    const portalUser = await tell(run, '/invitation', {
      token: link,
      name: 'Canary',
      newPassword: PORTAL_PASSWORD,
    })
    const { secret, codeOf, recoveryCodes } = await secrets.setSecondFactor(
      run,
      portalUser,
      PORTAL_PASSWORD,
    )
    const half = await tell(run, '/session', {
      email: `${PORTAL_USER}#1`,
      password: PORTAL_PASSWORD,
    })
    await tell(run, '/session/code', { code: codeOf(1) }, as(half))
    const again = await tell(run, '/session', {
      email: `${PORTAL_USER}#1`,
      password: PORTAL_PASSWORD,
    })
    const full = await tell(run, '/session/code', { code: recoveryCodes[0] }, as(again))
    if (full.status !== 200) throw new Error(`The portal user did not come in: ${full.status}.`)

    await misplace(run, {
      number,
      link,
      secret,
      cookie: full.cookie,
      headers: as(full),
      owner: as(owner),
    })
  },
}

interface Misplaced {
  readonly number: string
  readonly link: string
  readonly secret: string
  readonly cookie: string
  readonly headers: Record<string, string>
  readonly owner: Record<string, string>
}

/** Everything where it does not belong; these answers are kept, and must not repeat it. */
async function misplace(
  run: ProgramRun,
  { number, link, secret, cookie, headers, owner }: Misplaced,
): Promise<void> {
  const send = (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = headers,
  ) =>
    run.request(`/portal/api${path}`, {
      method,
      headers: { ...more, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const token = cookie.split('=')[1] ?? ''
  const secrets = [number, PORTAL_PASSWORD, link, secret, token]
  for (const text of secrets) {
    await send('POST', '/session', { email: text, password: text }, {})
    await send(
      'POST',
      '/session',
      { email: `${text}@tollgate.test`, password: 'wrong', [text]: text },
      {},
    )
    await send('POST', '/session', `{"email":"${text}`, {})
    await send('POST', '/invitation/look', { token: `${text.slice(0, 40)}` }, {})
    await send('POST', '/session/code', { code: text.slice(0, 40) })
    await send('GET', `/${text}?${text}=${text}`)
    await send('GET', `/users/${text}`, undefined, owner)
    await send('PUT', `/users/${text}`, { role: text }, owner)
    await run.request(`/portal/invitation/${text}?token=${text}`, {
      headers: { cookie, referer: `https://shop.example/${text}` },
    })
    await run.request('/payment/pmt_service.cfm', {
      method: 'POST',
      headers: { cookie: `tollgate_portal=${text}` },
      body: '',
    })
  }
  for (const path of ['/session', '/account', '/session/left']) await send('GET', path)
  await send('PUT', '/account/password', {
    password: PORTAL_PASSWORD,
    newPassword: `${PORTAL_PASSWORD} and more`,
  })
  await send('PUT', '/account/name', { name: number })
  await send(
    'POST',
    '/users',
    { email: `${number}@shop.example`, name: number, role: 'support', refundLimit: null },
    owner,
  )
  await send('GET', `/audit?actor=${number}&object=${number}`, undefined, owner)
  await send('GET', `/audit/export?format=csv&object=${number}`, undefined, owner)
  await send('GET', '/audit/export?format=json', undefined, owner)
}
