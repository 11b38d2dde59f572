import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import { admit, type AccessDeps } from './admit.ts'
import type { Answer, Echo, Response } from './answer.ts'
import { healthAnswer, SERVICE_AVAILABLE, USER_AUTHORIZED } from './health-record.ts'
import type { ActionDeps } from './perform.ts'
import { perform } from './perform.ts'
import { refusalAnswer } from './refusal-record.ts'
import type { RefusalName } from './refusals.ts'
import { REFUSALS } from './refusals.ts'
import type { MerchantForm, RequestHead } from './request-head.ts'
import { API_VERSION } from './transaction-record.ts'

export interface RespondDeps extends AccessDeps, ActionDeps {}

/**
 * Makes the checks up to the action in their documented order: the first that fails is the answer.
 * The checks of the action itself come after them.
 */
export async function respond(
  deps: RespondDeps,
  form: MerchantForm,
  requestId: bigint,
  echo: Echo,
  address: string,
): Promise<Response> {
  const { head, params } = form
  const admission = await admit(deps, form, head.missing[0], head.siteId, address)
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

  const { operation } = head
  const isHealth = operation === 'test_auth' || operation === 'test_gateway'
  // Only the health checks need no site.
  if (site === null && !isHealth) return refuse('site_unknown', '')
  if (operation === null) return refuse('action_unknown', '')
  if (!acceptsVersion(site, head)) return refuse('version_unknown', 'REQUEST_API_VERSION')
  if (operation === 'test_auth') return known(healthAnswer(USER_AUTHORIZED, echo))
  if (site === null || operation === 'test_gateway') {
    return known(healthAnswer(SERVICE_AVAILABLE, echo))
  }
  return known(await perform(deps, operation, { requestId, userId: user.id, site, params }, echo))
}

/** Whether the version of the interface is one that the site may speak. */
export function acceptsVersion(site: Site | null, { version }: RequestHead): boolean {
  return site?.tolerance === 'wide' || version === API_VERSION
}
