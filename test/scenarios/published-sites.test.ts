import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PUBLISHED_SITES } from '../../packages/gateway/src/http/sandbox/published-sites.ts'
import { createPublishedSites } from '../../packages/gateway/src/wiring/published-sites.ts'
import { codes } from '../support/memberships.ts'
import { newReference, postForm } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

type Parameters = Readonly<Record<string, string>>

interface Published {
  readonly meaning: string
  readonly login: Parameters
  readonly trials: readonly {
    readonly when: string
    readonly path?: string
    readonly before?: readonly Parameters[]
    readonly parameters: Parameters
    readonly answer: Readonly<Record<string, unknown>>
  }[]
}

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

async function published(): Promise<{ sites: Published[]; users: Published[] }> {
  const answer = await fetch(new URL('/sandbox/values', gateway.baseUrl))
  return (await answer.json()) as { sites: Published[]; users: Published[] }
}

type Trial = Published['trials'][number]

async function send(login: Parameters, path: string | undefined, parameters: Parameters) {
  if (path?.startsWith('/api/') === true) {
    const { REQ_USERNAME = '', REQ_PASSWORD = '' } = login
    const authorization = `Basic ${Buffer.from(`${REQ_USERNAME}:${REQ_PASSWORD}`).toString('base64')}`
    const { status } = await fetch(new URL(path, gateway.baseUrl), { headers: { authorization } })
    return { status }
  }
  const form = { REQUEST_RESPONSE_FORMAT: 'JSON', ...parameters, ...login }
  const body = new URLSearchParams(form)
  const text =
    path === undefined
      ? (await postForm(gateway, form)).text
      : await (await fetch(new URL(path, gateway.baseUrl), { method: 'POST', body })).text()
  return JSON.parse(text) as Readonly<Record<string, unknown>>
}

/** The reference with which a payment of the card may ask for 3-D Secure. */
async function preparedReference(login: Parameters): Promise<string> {
  const { SITE_ID = '' } = login
  const account = PUBLISHED_SITES.find(({ id }) => String(id) === SITE_ID)?.account
  const sent = { REQUEST_API_VERSION: '4.14', MERCH_ACCT_ID: String(account), PMT_BIN: '400000' }
  const { DDC_REFERENCEID } = await send(login, '/payment/3dsrequest.cfm', sent)
  return String(DDC_REFERENCEID)
}

/** Sends a trial as published, and gives each field that differs; '' for none. */
async function differenceOf(login: Parameters, trial: Trial): Promise<string> {
  const needsReference = trial.parameters['DDC_REFERENCEID'] === '{ddc}'
  const own = { new: newReference(), ddc: needsReference ? await preparedReference(login) : '' }
  const filled = (parameters: Parameters): Parameters =>
    Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        value.replace('{new}', own.new).replace('{ddc}', own.ddc),
      ]),
    )
  for (const parameters of trial.before ?? []) await send(login, trial.path, filled(parameters))
  const found = await send(login, trial.path, filled(trial.parameters))
  return Object.entries(trial.answer)
    .filter(([name, expected]) => found[name] !== expected)
    .map(([name, expected]) => `${name} ${String(found[name])} and not ${String(expected)}`)
    .join(', ')
}

test('each published site and user gives each answer that it is published with', async () => {
  const { sites, users } = await published()
  assert.equal(sites.length, PUBLISHED_SITES.length)
  const wrong = await Promise.all(
    [...sites, ...users].flatMap(({ login, meaning, trials }) =>
      trials.map(async (trial) => {
        const difference = await differenceOf(login, trial)
        return difference === '' ? [] : [`${meaning}: ${trial.when}: ${difference}`]
      }),
    ),
  )
  assert.deepEqual(wrong.flat(), [])
})

test('the next start puts a changed published site back, and takes no foreign merchant for its own', async () => {
  await gateway.pool.query(`update merchant_accounts set brands = null where id = 9105`)
  await gateway.pool.query(`update sites set catalogue = 'open' where id = 9001`)
  await createPublishedSites(gateway.pool)
  const { rows } = await gateway.pool.query(
    `select catalogue, brands from sites s, merchant_accounts a where s.id = 9001 and a.id = 9105`,
  )
  assert.deepEqual(rows, [{ catalogue: 'strict', brands: ['Visa'] }])
  await gateway.pool.query(`update merchants set name = 'Corner Shop' where id = 80`)
  assert.deepEqual(await createPublishedSites(gateway.pool), [])
  await gateway.pool.query(`update merchants set name = 'Situations' where id = 80`)
})

test('the published sites belong to a merchant of their own, so the demo user cannot use them', async () => {
  const answer = await send(
    { REQ_USERNAME: 'demo@tollgate.test', REQ_PASSWORD: 'Sandbox-4.14-demo', SITE_ID: '9001' },
    undefined,
    { REQUEST_ACTION: 'TESTGW', REQUEST_API_VERSION: '4.14' },
  )
  assert.equal(codes(answer as Record<string, string>), '- 103/0 SITE_ID')
})
