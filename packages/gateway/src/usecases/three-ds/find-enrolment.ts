import type { Clock } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import type { MessageVersion, MethodCompletion } from '../../domain/three-ds/trans-status.ts'
import type { Patience } from '../payments/learn-truth.ts'
import type { Found, Resolved } from '../payments/resolve-payment.ts'
import type { Collection } from './authentication-store.ts'
import { describeBrowser } from './browser.ts'
import type { ThreeDsDeps } from './three-ds-deps.ts'
import type { ThreeDsRequest } from './three-ds-request.ts'
import type { Browser } from './three-ds-server.ts'

export interface Enrolment {
  readonly request: Extract<ThreeDsRequest, { kind: 'enrol' }>
  /** Null: the account takes no part, or there is no Directory Server. */
  readonly collection: Collection | null
}

/** The values of an AReq from the card's range and from the earlier collection. */
export interface Question {
  readonly serverTransId: string
  readonly version: MessageVersion
  readonly methodCompletion: MethodCompletion
  readonly browser: Browser
}

/**
 * Finds what was collected for the payment. One answer for all that is not there for this account.
 */
export async function findEnrolment(
  { server, store }: ThreeDsDeps,
  clock: Clock,
  { account, command }: Found,
): Promise<Enrolment | 'reference_unknown'> {
  const { threeDs: request, site } = command
  invariant(request?.kind === 'enrol', 'a payment that is no enrolment was to be enrolled')
  if (account.threeDs === null || !server.isSetUp(site.mode)) return { request, collection: null }
  const collection = await store.findCollection(request.reference)
  const isTheirs =
    collection !== null &&
    collection.merchantAccountId === account.id &&
    collection.siteId === site.id &&
    collection.mode === site.mode &&
    collection.expiresAt > clock.now()
  return isTheirs ? { request, collection } : 'reference_unknown'
}

/** Clients wait a second or two; the page may need a little longer. */
const PAGE_PATIENCE_MS = 3_000
const LOOK_EVERY_MS = 100

/**
 * The question to the issuer; null if the card takes no part. A collection serves one AReq. Another
 * one, or another card's, goes under a new id and without the 3DS Method.
 */
export async function prepareQuestion(
  deps: ThreeDsDeps,
  patience: Patience,
  { pan, command }: Resolved,
  { request, collection }: Enrolment,
): Promise<Question | null> {
  if (collection === null) return null
  const range = deps.server.findRange(command.site.mode, pan)
  if (range === null || range.version === null) return null
  const { reference } = request
  const fits = pan.startsWith(collection.leadingDigits)
  const seen = fits ? await awaitPage(deps, patience, collection) : collection
  const isOwn = fits && seen.state !== 'used' && (await deps.store.takeCollection(reference))
  const completed = isOwn && seen.methodState === 'completed' && seen.methodUrl === range.methodUrl
  return {
    serverTransId: isOwn ? collection.serverTransId : deps.newServerTransId(),
    version: range.version,
    methodCompletion: range.methodUrl === null ? 'U' : completed ? 'Y' : 'N',
    browser: describeBrowser(request.browser, seen.browser),
  }
}

async function awaitPage(
  { store }: ThreeDsDeps,
  { monotonicMs, pause }: Patience,
  collection: Collection,
): Promise<Collection> {
  const untilMs = monotonicMs() + PAGE_PATIENCE_MS
  let seen = collection
  while (isRunning(seen) && monotonicMs() < untilMs) {
    await pause(LOOK_EVERY_MS)
    seen = (await store.findCollection(collection.reference)) ?? seen
  }
  return seen
}

function isRunning({ state, methodState }: Collection): boolean {
  return state === 'collecting' || (state === 'collected' && methodState === 'running')
}
