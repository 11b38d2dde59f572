import { Secret } from '../../base/secret.ts'
import type { Access, Site } from '../../usecases/merchants/merchant-directory.ts'
import { findOperation } from './actions.ts'
import type { Answer, Echo } from './answer.ts'
import type { Form } from './form.ts'
import { readFormat } from './formats/format.ts'
import { healthAnswer, SERVICE_AVAILABLE, USER_AUTHORIZED } from './health-record.ts'
import type { ActionDeps } from './perform.ts'
import { perform } from './perform.ts'
import { refusalAnswer } from './refusal-record.ts'
import type { RefusalName } from './refusals.ts'
import { REFUSALS } from './refusals.ts'
import { API_VERSION } from './transaction-record.ts'

/** Who may ask, and how much. */
export interface AccessDeps {
  /** Lets a caller in or says why not; SITE_ID comes as it was sent. */
  readonly authenticate: (
    username: string,
    password: Secret,
    siteId: string,
    address: string,
  ) => Promise<Access>
  /** False when the user has sent too much lately. */
  readonly allowRequest: (userId: bigint) => boolean | Promise<boolean>
}

export interface RespondDeps extends AccessDeps, ActionDeps {}

export interface Response {
  readonly answer: Answer
  /** Null as long as nobody proved who they are. */
  readonly merchantId: bigint | null
  readonly siteId: bigint | null
}

/** In the order in which a missing one is reported. */
const REQUIRED = [
  'REQ_USERNAME',
  'REQ_PASSWORD',
  'SITE_ID',
  'REQUEST_API_VERSION',
  'REQUEST_ACTION',
]

/**
 * The checks up to the action, in their documented order: the first that fails is the answer. What
 * an action itself checks comes after them.
 */
export async function respond(
  deps: RespondDeps,
  form: Form,
  requestId: bigint,
  echo: Echo,
  address: string,
): Promise<Response> {
  const { params } = form
  const stranger = (name: RefusalName, field: string): Response => ({
    answer: refusalAnswer(REFUSALS[name], field, echo),
    merchantId: null,
    siteId: null,
  })
  const unreadable = unreadableForm(form)
  if (unreadable !== null) return stranger(unreadable.name, unreadable.field)
  const absent = REQUIRED.find((name) => !params.has(name))
  if (absent !== undefined) return stranger('parameter_missing', absent)

  const username = params.get('REQ_USERNAME') ?? ''
  const access = await deps.authenticate(
    username,
    new Secret(params.get('REQ_PASSWORD') ?? ''),
    params.get('SITE_ID') ?? '',
    address,
  )
  if (access.kind === 'refused') return stranger(access.refusal, '')

  const { user, site } = access
  const known = (answer: Answer): Response => ({
    answer,
    merchantId: user.merchantId,
    siteId: site?.id ?? null,
  })
  const refuse = (name: RefusalName, field: string) =>
    known(refusalAnswer(REFUSALS[name], field, echo))
  const allowed = deps.allowRequest(user.id)
  if (allowed !== true && !(await allowed)) return refuse('rate_exceeded', '')

  const operation = findOperation(params)
  const isHealth = operation === 'test_auth' || operation === 'test_gateway'
  // Nothing but the health checks can be asked for without a site.
  if (site === null && !isHealth) return refuse('site_unknown', '')
  if (operation === null) return refuse('action_unknown', '')
  if (!acceptsVersion(site, params)) return refuse('version_unknown', 'REQUEST_API_VERSION')
  if (operation === 'test_auth') return known(healthAnswer(USER_AUTHORIZED, echo))
  if (site === null || operation === 'test_gateway') {
    return known(healthAnswer(SERVICE_AVAILABLE, echo))
  }
  return known(await perform(deps, operation, { requestId, userId: user.id, site, params }, echo))
}

/** Why a form can't be answered as it stands; null when it can. */
export function unreadableForm({
  params,
  problem,
}: Form): { readonly name: RefusalName; readonly field: string } | null {
  if (problem?.kind === 'too_many_pairs') return { name: 'body_too_large', field: '' }
  if (readFormat(params) === null) {
    return { name: 'format_unknown', field: 'REQUEST_RESPONSE_FORMAT' }
  }
  if (problem === null) return null
  const name = problem.kind === 'repeated' ? 'parameter_repeated' : 'value_undecodable'
  return { name, field: problem.field }
}

export function acceptsVersion(site: Site | null, params: ReadonlyMap<string, string>): boolean {
  return site?.tolerance === 'wide' || params.get('REQUEST_API_VERSION') === API_VERSION
}
