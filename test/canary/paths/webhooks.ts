import { MARKED_USER } from '../marked-user.ts'
import { card, PASSWORD } from '../marks.ts'
import { payment, untilRows, valueOf, type Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const SITE = 1001
const JSON_TYPE = { 'content-type': 'application/json' }

/** The receivers of the sandbox and the endpoint API: the number in members, bodies and headers. */
export const webhooks: Path = {
  name: 'webhooks',
  seen: ['webhook'],
  async push(run) {
    const number = card('webhook')
    await run.send(payment(number))
    const receiver = valueOf(await sandbox(run, 'add', { types: ['payment.'] }), 'receiver')
    const path = `/sandbox/webhooks/receivers/${receiver}`
    const caught = [
      [path, JSON_TYPE, JSON.stringify({ data: { number }, [number]: number })],
      [path, { 'content-type': 'text/plain', 'x-shop': number }, `card ${number}.`],
      [path, { ...JSON_TYPE, 'webhook-id': number, 'webhook-signature': `v1,${number}` }, number],
      [`${path}?number=${number}`, JSON_TYPE, '{}'],
    ] as const
    for (const [to, headers, body] of caught) {
      await run.request(to, { method: 'POST', headers, body })
    }
    await untilRows(run, 'select from caught_webhooks having count(*) >= 3')
    await sandbox(run, 'caught', { receiver })
    for (const [action, members] of [
      ['add', { types: [number] }],
      ['answer', { receiver: number }],
      ['answer', { receiver, manner: number }],
      ['faults', { endpoint: number, faults: [{ kind: number }] }],
      [number, { [number]: number }],
    ] as const) {
      await sandbox(run, action, members)
    }
    await endpoints(run, number)
  },
}

function sandbox(run: ProgramRun, action: string, members: object): Promise<string> {
  const login = { username: MARKED_USER, password: PASSWORD, site: SITE }
  return run.request(`/sandbox/webhooks/${action}`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ ...login, ...members }),
  })
}

async function endpoints(run: ProgramRun, number: string): Promise<void> {
  const login = Buffer.from(`${MARKED_USER}:${PASSWORD}`).toString('base64')
  const headers = { ...JSON_TYPE, authorization: `Basic ${login}` }
  const api = (method: string, path: string, body?: object): Promise<string> =>
    run.request(`/api/v1/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  for (const url of [`https://shop.example/${number}`, `https://${number}.example/`, number]) {
    await api('POST', 'webhook-endpoints', { site_id: SITE, url, types: [] })
  }
  await api('POST', 'webhook-endpoints', {
    site_id: number,
    url: 'https://shop.example/',
    types: [number],
    [number]: number,
  })
  await api('PATCH', `webhook-endpoints/${number}`, { url: number })
  await api('GET', `webhook-endpoints?site_id=${number}`)
  await api('GET', `webhook-deliveries?site_id=${SITE}&state=${number}&after=${number}`)
  await api('POST', `webhook-deliveries/${number}/resend`)
}
