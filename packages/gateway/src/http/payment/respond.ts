import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import { findOperation } from './actions.ts'
import { admit, type AccessDeps } from './admit.ts'
import type { Answer, Echo, Response } from './answer.ts'
import type { Form } from './form.ts'
import { healthAnswer, SERVICE_AVAILABLE, USER_AUTHORIZED } from './health-record.ts'
import type { ActionDeps } from './perform.ts'
import { perform } from './perform.ts'
import { refusalAnswer } from './refusal-record.ts'
import type { RefusalName } from './refusals.ts'
import { REFUSALS } from './refusals.ts'
import { API_VERSION } from './transaction-record.ts'

export interface RespondDeps extends AccessDeps, ActionDeps {}

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
  const absent = REQUIRED.find((name) => !params.has(name))
  const admission = await admit(deps, form, absent, params.get('SITE_ID') ?? '', address)
  if (admission.kind === 'stranger') {
    const { refusal, field } = admission
    const answer = refusalAnswer(REFUSALS[refusal], field, echo)
    return { answer, merchantId: null, siteId: null }
  }
  const { user, site } = admission
  const known = (answer: Answer): Response => ({
    answer,
    merchantId: user.merchantId,
    siteId: site?.id ?? null,
  })
  const refuse = (name: RefusalName, field: string) =>
    known(refusalAnswer(REFUSALS[name], field, echo))
  if (admission.isLimited) return refuse('rate_exceeded', '')

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

/** Whether the version of the interface is one that the site may speak. */
export function acceptsVersion(site: Site | null, params: ReadonlyMap<string, string>): boolean {
  return site?.tolerance === 'wide' || params.get('REQUEST_API_VERSION') === API_VERSION
}
