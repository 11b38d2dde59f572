import { holdsCardSecret, maskText } from '../../base/card-masking.ts'
import { refused, type Refusal } from '../../base/refusal.ts'
import { EVENT_TYPE_NAMES } from '../events/event-types.ts'
import { urlFault, type OutwardRules } from './outward-rules.ts'

/** The choices of a merchant for an endpoint. */
export interface EndpointDraft {
  readonly url: string
  /** Types, or prefixes that end with a full stop; empty for all. */
  readonly types: readonly string[]
}

export const MOST_ENDPOINTS = 10
/** The event that tests an endpoint goes to that endpoint only, also if it chose other types. */
export const TEST_TYPE = 'endpoint.tested'

/** Why an endpoint cannot be stored so; null for none. */
export function draftRefusal({ types, url }: EndpointDraft, rules: OutwardRules): Refusal | null {
  const fault = urlFault(url, rules)
  if (fault !== null) return refused('invalid', fault, { field: 'url' })
  if (holdsCardSecret(url)) {
    return refused('invalid', 'The URL has a card number in it.', { field: 'url' })
  }
  const unknown = types.find((wanted) => !EVENT_TYPE_NAMES.some((type) => isOfType(type, wanted)))
  if (unknown === undefined) return null
  return refused(
    'invalid',
    `${maskText(unknown)} is no type of event, and no beginning of one such as "payment.".`,
    { field: 'types' },
  )
}

/** Whether a type is the wanted one, or begins with the wanted beginning. */
export function isOfType(type: string, wanted: string): boolean {
  return type === wanted || (wanted.endsWith('.') && type.startsWith(wanted))
}

/** Why a site gets no further endpoint; null for nothing. */
export function tooManyEndpoints(siteId: bigint, count: number): Refusal | null {
  if (count < MOST_ENDPOINTS) return null
  return refused(
    'conflict',
    `Site ${siteId} has ${MOST_ENDPOINTS} endpoints, the most there may be.`,
  )
}

/** Why an endpoint cannot be like another one of its site; null for nothing. */
export function doubledEndpoint(same: bigint | null): Refusal | null {
  if (same === null) return null
  return refused(
    'conflict',
    `Endpoint ${same} of the site has this URL and these types already. Events would come twice.`,
  )
}

/** There is no such endpoint, or none of this merchant. */
export function noSuchEndpoint(id: bigint): Refusal {
  return refused('missing', `Endpoint ${id} does not exist.`)
}

/** Why an endpoint gets no new secret; null for nothing. */
export function rotationRefusal(secrets: number): Refusal | null {
  if (secrets < 2) return null
  return refused(
    'conflict',
    'The endpoint has two secrets, the most that sign at once. Remove the older one first.',
  )
}

/** Why no secret is removed; null for nothing. The only one is replaced first. */
export function removalRefusal(secrets: number): Refusal | null {
  if (secrets === 2) return null
  return refused('conflict', 'The endpoint has no older secret.')
}
