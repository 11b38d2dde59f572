import { PUBLISHED_SITES } from '../../../packages/gateway/src/http/sandbox/published-sites.ts'
import { newReference, postForm } from '../payments.ts'
import { readFields, type Answer, type Fields } from './answer.ts'
import type { Sweep } from './sweep.ts'

/** A published site or API user, as `/sandbox/values` lists it. */
interface PublishedSituation {
  readonly meaning: string
  readonly login: Fields
  readonly trials: readonly SituationTrial[]
}

interface SituationTrial {
  readonly when: string
  readonly path?: string
  readonly before?: readonly Fields[]
  readonly parameters: Fields
  readonly answer: Readonly<Record<string, unknown>>
}

async function send(
  { gateway, hear }: Sweep,
  login: Fields,
  path: string | undefined,
  parameters: Fields,
): Promise<Answer> {
  if (path?.startsWith('/api/') === true) {
    const { REQ_USERNAME = '', REQ_PASSWORD = '' } = login
    const authorization = `Basic ${Buffer.from(`${REQ_USERNAME}:${REQ_PASSWORD}`).toString('base64')}`
    const response = await fetch(new URL(path, gateway.baseUrl), { headers: { authorization } })
    const { headers, status } = response
    return { headers, status, fields: { status: String(status) } }
  }
  const form = { REQUEST_RESPONSE_FORMAT: 'JSON', ...parameters, ...login }
  if (path === undefined) {
    const sent = await postForm(gateway, form)
    const answer = { ...sent, fields: readFields(sent.text) }
    hear(answer)
    return answer
  }
  const response = await fetch(new URL(path, gateway.baseUrl), {
    method: 'POST',
    body: new URLSearchParams(form),
  })
  const { headers, status } = response
  return { headers, status, fields: readFields(await response.text()) }
}

/** The reference with which a payment of the card may ask for 3-D Secure. */
async function preparedReference(sweep: Sweep, login: Fields): Promise<string> {
  const { SITE_ID = '' } = login
  const account = PUBLISHED_SITES.find(({ id }) => String(id) === SITE_ID)?.account
  const sent = { REQUEST_API_VERSION: '4.14', MERCH_ACCT_ID: String(account), PMT_BIN: '400000' }
  const { fields } = await send(sweep, login, '/payment/3dsrequest.cfm', sent)
  return fields['DDC_REFERENCEID'] ?? ''
}

/** Sends a trial as published, keeps its answer, and returns what differs; '' for nothing. */
async function differenceOf(sweep: Sweep, login: Fields, trial: SituationTrial): Promise<string> {
  const needsReference = trial.parameters['DDC_REFERENCEID'] === '{ddc}'
  const ddc = needsReference ? await preparedReference(sweep, login) : ''
  const own = { new: newReference(), ddc }
  const filled = (parameters: Fields): Fields =>
    Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [
        name,
        value.replace('{new}', own.new).replace('{ddc}', own.ddc),
      ]),
    )
  for (const parameters of trial.before ?? []) {
    await send(sweep, login, trial.path, filled(parameters))
  }
  const answer = await send(sweep, login, trial.path, filled(trial.parameters))
  sweep.siteAnswers.set(`${login['SITE_ID']} ${trial.when}`, answer)
  return Object.entries(trial.answer)
    .filter(([name, expected]) => answer.fields[name] !== String(expected).trim())
    .map(([name, expected]) => `${name} ${answer.fields[name]} and not ${String(expected)}`)
    .join(', ')
}

/** Sends every trial of the published sites and users, and returns the answers that differ. */
export async function siteDifferences(sweep: Sweep): Promise<string[]> {
  const response = await fetch(new URL('/sandbox/values', sweep.gateway.baseUrl))
  const { sites, users } = (await response.json()) as Readonly<
    Record<'sites' | 'users', readonly PublishedSituation[]>
  >
  const found = await Promise.all(
    [...sites, ...users].flatMap(({ login, meaning, trials }) =>
      trials.map(async (trial) => {
        const difference = await differenceOf(sweep, login, trial)
        return difference === '' ? [] : [`${meaning}: ${trial.when}: ${difference}`]
      }),
    ),
  )
  return found.flat()
}

/** The answer of a published site to a trial that was sent. Rejects for an unknown trial. */
export function siteAnswer({ siteAnswers }: Sweep, site: number, when: string): Promise<Answer> {
  const answer = siteAnswers.get(`${site} ${when}`)
  return answer === undefined
    ? Promise.reject(new Error(`Site ${site} publishes no trial "${when}".`))
    : Promise.resolve(answer)
}
