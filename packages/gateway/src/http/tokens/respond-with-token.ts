import { Secret } from '../../base/secret.ts'
import { CardNumber } from '../../domain/payments/card-number.ts'
import { normalizePan } from '../../domain/payments/card.ts'
import type { CreateCardToken } from '../../usecases/card-tokens/create-card-token.ts'
import type { TokenSite } from '../../usecases/card-tokens/token-site.ts'
import type { Form } from '../payment/form.ts'
import { API_VERSION } from '../payment/transaction-record.ts'
import { findSigner, isTimely, requestMessage } from './signature.ts'
import { madeAnswer, refusedAnswer, type TokenAnswer } from './token-answer.ts'
import { findFault, findMissing } from './token-parameters.ts'
import type { TokenRefusalName } from './token-refusals.ts'

export interface TokenRespondDeps {
  /** Null for a site that does not exist, and likewise for one without a key. */
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
  readonly createCardToken: CreateCardToken
  /** False when the site has sent too much lately. */
  readonly allowTokenRequest: (siteId: bigint) => boolean | Promise<boolean>
}

export interface TokenResponse {
  readonly answer: TokenAnswer
  /** Null as long as the site is not known. */
  readonly site: TokenSite | null
  /** Whether the sender proved to have the site's key. */
  readonly proved: boolean
  /** The key that signs the answer. */
  readonly key: Secret | null
}

/** The checks in their documented order: the first that fails is the answer. */
export async function respondWithToken(
  deps: TokenRespondDeps,
  form: Form,
  method: 'GET' | 'POST',
  requestId: bigint,
  address: string,
  now: Date,
): Promise<TokenResponse> {
  const { params } = form
  const read = (name: string): string => params.get(name) ?? ''
  const anonymous = (name: TokenRefusalName, field = ''): TokenResponse => ({
    answer: refusedAnswer(name, field, requestId),
    site: null,
    proved: false,
    key: null,
  })
  if (method === 'GET') {
    const site = await findSite(deps, read('SITE_ID'))
    if (site?.tolerance !== 'wide') return anonymous('method_not_allowed')
  }
  const unreadable = unreadableForm(form)
  if (unreadable !== null) return anonymous(unreadable.name, unreadable.field)
  const missing = findMissing(params)
  if (missing !== null) return anonymous(missing.name, missing.field)

  const site = await findSite(deps, read('SITE_ID'))
  if (site === null) return anonymous('no_key')
  const timestamp = read('X-TIMESTAMP')
  const message = requestMessage(timestamp, read('UNIQUE_ID'), read('SITE_ID'))
  const signer = findSigner(site.keys, message, read('X-SIGNATURE'))
  const refuse = (name: TokenRefusalName, field = ''): TokenResponse => ({
    answer: refusedAnswer(name, field, requestId),
    site,
    proved: signer !== null,
    key: signer ?? site.keys[0] ?? null,
  })
  if (!isTimely(timestamp, now)) return refuse('timestamp_invalid')
  if (signer === null) return refuse('signature_mismatch')
  const allowed = deps.allowTokenRequest(site.id)
  if (allowed !== true && !(await allowed)) return refuse('rate_exceeded')
  if (site.tolerance !== 'wide' && read('REQUEST_API_VERSION') !== API_VERSION) {
    return refuse('version_unknown')
  }
  const fault = findFault(params)
  if (fault !== null) return refuse(fault.name, fault.field)

  const pan = normalizePan(read('CARD_PAN'))
  // It is kept readable, to know it again.
  if (read('UNIQUE_ID').includes(pan)) return refuse('value_invalid', 'UNIQUE_ID')

  const code = params.get('CARD_CVV')
  const result = await deps.createCardToken({
    site,
    pan: new CardNumber(pan),
    cvv: code === undefined ? null : new Secret(code),
    uniqueId: read('UNIQUE_ID'),
    requestedAt: now,
  })
  if (result.kind === 'repeated') return refuse('unique_id_repeated')
  const answer = madeAnswer(result.token, result.brand ?? '', address, requestId)
  return { answer, site, proved: true, key: signer }
}

async function findSite(deps: TokenRespondDeps, siteId: string): Promise<TokenSite | null> {
  return /^[1-9][0-9]{0,17}$/.test(siteId) ? deps.findTokenSite(BigInt(siteId)) : null
}

function unreadableForm({
  params,
  problem,
}: Form): { readonly name: TokenRefusalName; readonly field: string } | null {
  if (problem?.kind === 'too_many_pairs') return { name: 'body_too_large', field: '' }
  const format = params.get('REQUEST_RESPONSE_FORMAT')?.toUpperCase() ?? 'JSON'
  const field = format === 'JSON' || format === 'XML' ? problem?.field : 'REQUEST_RESPONSE_FORMAT'
  return field === undefined ? null : { name: 'value_undecodable', field }
}
