import type { Secret } from '../../base/secret.ts'
import type { Access, ApiUser, Site } from '../../usecases/merchants/merchant-directory.ts'
import type { RefusalName } from './refusals.ts'
import type { MerchantForm, RequestHead } from './request-head.ts'

/** Authentication and rate limits. */
export interface AccessDeps {
  /** Lets a caller in or says why not; SITE_ID comes as it was sent. */
  readonly authenticate: (
    username: string,
    password: Secret,
    siteId: string,
    address: string,
  ) => Promise<Access>
  /** False when the user has sent too much lately. */
  readonly allowRequest: (user: ApiUser) => boolean | Promise<boolean>
}

/** The sender of a form, as far as it is known before the form is answered or refused. */
export type Admission =
  | {
      /** The client is unauthenticated. */
      readonly kind: 'anonymous'
      readonly refusal: RefusalName
      readonly field: string
      /** The merchant of the user that was named with a wrong login; null: none is known. */
      readonly merchantId: bigint | null
    }
  | {
      readonly kind: 'user'
      readonly user: ApiUser
      /** The reading of the body that counts. */
      readonly form: MerchantForm
      /** Null for SITE_ID 0. */
      readonly site: Site | null
      /** Whether the user has sent too much lately. */
      readonly isLimited: boolean
    }

/** The needs of an address that its forms must meet before their sender is looked up. */
export interface FormNeeds {
  /** The first required parameter that was not sent. */
  readonly absent: string | undefined
  /** The site that is asked for, as it was sent; '0' for none. */
  readonly siteId: string
}

/**
 * The checks before a form is answered, in their documented order. The form must be readable and
 * complete, its sender authenticated and within the rate limit.
 */
export async function admit(
  deps: AccessDeps,
  form: MerchantForm,
  needs: (head: RequestHead) => FormNeeds,
  address: string,
): Promise<Admission> {
  const unreadable = unreadableForm(form)
  if (unreadable !== null) return (await admitLatin1(deps, form, needs, address)) ?? unreadable
  const { absent, siteId } = needs(form.head)
  if (absent !== undefined) return anonymous('parameter_missing', absent)
  const access = await enter(deps, form.head, siteId, address)
  if (access.kind === 'refused') {
    const { refusal, merchantId = null } = access
    return { ...anonymous(refusal, refusal === 'site_unknown' ? 'SITE_ID' : ''), merchantId }
  }
  const { user, site } = access
  const allowed = deps.allowRequest(user)
  return { kind: 'user', user, site, form, isLimited: allowed !== true && !(await allowed) }
}

/**
 * Null unless an authenticated user of a wide site sent the form in ISO-8859-1. Only the login
 * proves which site it is. Everybody else gets the refusal of a strict site, which shows nothing
 * about the sites of others.
 */
async function admitLatin1(
  deps: AccessDeps,
  { inLatin1 }: MerchantForm,
  needs: (head: RequestHead) => FormNeeds,
  address: string,
): Promise<Admission | null> {
  if (inLatin1 === null || unreadableForm(inLatin1) !== null) return null
  const admission = await admit(deps, inLatin1, needs, address)
  return admission.kind === 'user' && admission.site?.tolerance === 'wide' ? admission : null
}

/** Verifies the login that a request carries, for a site. */
export function enter(
  deps: Pick<AccessDeps, 'authenticate'>,
  { username, password }: RequestHead,
  siteId: string,
  address: string,
): Promise<Access> {
  return deps.authenticate(username, password, siteId, address)
}

/** Why a form cannot be answered as it stands; null when it can. */
function unreadableForm({ head, problem }: MerchantForm): Admission | null {
  if (problem?.kind === 'too_many_pairs') return anonymous('body_too_large', '')
  if (head.format === null) return anonymous('format_unknown', 'REQUEST_RESPONSE_FORMAT')
  if (problem === null) return null
  const name = problem.kind === 'repeated' ? 'parameter_repeated' : 'value_undecodable'
  return anonymous(name, problem.field)
}

function anonymous(refusal: RefusalName, field: string): Extract<Admission, { kind: 'anonymous' }> {
  return { kind: 'anonymous', refusal, field, merchantId: null }
}
