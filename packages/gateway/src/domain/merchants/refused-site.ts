import { changedMeanwhile, refused, type Refusal } from '../../base/refusal.ts'
import { namedById } from './site-settings.ts'

/** There is no such site, or none of this merchant. */
export function noSuchSite(siteId: bigint | number): Refusal {
  return refused('missing', `${namedById('Site', siteId)} does not exist.`)
}

/** The caller had seen something else of the site than there is now. */
export function siteChangedMeanwhile(siteId: bigint | number): Refusal {
  return changedMeanwhile(`Site ${siteId} was changed by another user meanwhile.`)
}
