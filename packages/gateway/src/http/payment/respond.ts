import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import { admit, type AccessDeps, type Admission, type FormNeeds } from './admit.ts'
import type { WireAnswer, Echo } from './answer.ts'
import type { FairTurns } from './fair-turns.ts'
import { healthAnswer, SERVICE_AVAILABLE, USER_AUTHORIZED } from './health-record.ts'
import type { Response } from './merchant-address.ts'
import type { ActionDeps } from './perform.ts'
import { perform } from './perform.ts'
import { refusalAnswer } from './refusal-record.ts'
import type { RefusalName } from './refusals.ts'
import { REFUSALS } from './refusals.ts'
import type { MerchantForm, RequestHead } from './request-head.ts'
import { readSandboxTest, strikingFault, testRefusal, type OnceNames } from './sandbox-test.ts'
import { withPreference } from './three-ds-test.ts'
import { API_VERSION } from './transaction-record.ts'
import { parametersFor } from './wide-site.ts'

export interface RespondDeps extends AccessDeps, ActionDeps {
  /** Requests of all merchants take turns. */
  readonly turns: Pick<FairTurns<bigint>, 'begin' | 'end'>
  readonly onceNames: OnceNames
}

/**
 * Makes the checks up to the action in their documented order: the first that fails is the answer.
 * The checks of the action itself come after them.
 */
export async function respond(
  deps: RespondDeps,
  sent: MerchantForm,
  requestId: bigint,
  address: string,
): Promise<Response> {
  const admission = await admit(deps, sent, needsOf, address)
  const form = admission.kind === 'user' ? admission.form : sent
  const { head } = form
  const echo: Echo = { ...head.echo, requestId }
  if (admission.kind === 'anonymous') {
    const { refusal, field, merchantId } = admission
    const answer = refusalAnswer(REFUSALS[refusal], field, echo)
    return { answer, merchantId, siteId: null, isUnproven: true }
  }
  const waits = deps.turns.begin(admission.user.merchantId)
  if (waits !== null) await waits
  try {
    return await respondToUser(deps, admission, echo, requestId)
  } finally {
    deps.turns.end()
  }
}

/** The checks of a request whose sender is authenticated, and its action. */
async function respondToUser(
  deps: RespondDeps,
  { form, isLimited, site, user }: Extract<Admission, { kind: 'user' }>,
  echo: Echo,
  requestId: bigint,
): Promise<Response> {
  const { head, params } = form
  const known = (answer: WireAnswer): Response => ({
    answer,
    merchantId: user.merchantId,
    siteId: site?.id ?? null,
    readAs: form,
  })
  const refuse = (name: RefusalName, field: string) =>
    known(refusalAnswer(REFUSALS[name], field, echo))
  if (isLimited) return refuse('rate_exceeded', '')

  const { operation } = head
  const isHealth = operation === 'test_auth' || operation === 'test_gateway'
  // Only the health checks need no site.
  if (site === null && !isHealth) return refuse('site_unknown', 'SITE_ID')
  if (operation === null) return refuse('action_unknown', 'REQUEST_ACTION')
  if (!acceptsVersion(site, head)) return refuse('version_unknown', 'REQUEST_API_VERSION')
  const test = readSandboxTest(params, operation, site)
  if (test.kind === 'refused') return known(testRefusal(test, echo))
  const fault = site === null ? null : strikingFault(deps.onceNames, site.id, test)
  if (fault?.kind === 'refusal') {
    const delivery = { kind: 'late', delayMs: fault.delayMs } as const
    return known({ ...refusalAnswer(REFUSALS[fault.name], '', echo), delivery })
  }
  if (operation === 'test_auth') return known(healthAnswer(USER_AUTHORIZED, echo))
  if (site === null || operation === 'test_gateway') {
    return known(healthAnswer(SERVICE_AVAILABLE, echo))
  }
  const read = parametersFor(site, operation, params)
  const { bank: bankTest, preference } = test
  const asked = withPreference(site, preference)
  const request = { requestId, userId: user.id, site: asked, params: read, bankTest }
  const answer = await perform(deps, operation, request, echo)
  const strikes = fault !== null && answer.isRepeated !== true
  return known(strikes ? { ...answer, delivery: fault } : answer)
}

function needsOf({ missing, siteId }: RequestHead): FormNeeds {
  return { absent: missing[0], siteId }
}

/** Whether the version of the interface is one that the site may speak. */
export function acceptsVersion(site: Site | null, { version }: RequestHead): boolean {
  return site?.tolerance === 'wide' || version === API_VERSION
}
