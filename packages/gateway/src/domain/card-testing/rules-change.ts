import { refused, type Refusal } from '../../base/refusal.ts'
import { siteChangedMeanwhile } from '../merchants/refused-site.ts'
import type { CardTestingRule } from './card-testing.ts'

export type CardTestingSetting = 'off' | 'watch' | 'enforce'

/** Rules as an operator describes them. */
export interface CardTestingDraft {
  readonly rules: readonly CardTestingRule[]
  /** Normalized. */
  readonly exceptAddresses: readonly string[]
}

/** The rules in force at a site. */
export interface SiteRules extends CardTestingDraft {
  readonly mode: CardTestingSetting
  /** Goes up with each change of the rules; 0 before the first. */
  readonly revision: number
}

/** The mode and revision that the caller believes to be in force. */
export type SeenCardTesting = Pick<SiteRules, 'mode' | 'revision'>

/** Why the rules may not be replaced; null for nothing. `seen`: null for a caller who saw none. */
export function decideRules(
  siteId: bigint,
  before: Pick<SiteRules, 'revision'>,
  seen: number | null,
): Refusal | null {
  return seen === null || seen === before.revision ? null : siteChangedMeanwhile(siteId)
}

/** Why the mode may not be set; null for nothing. `seen`: null for a caller who saw none. */
export function decideRulesMode(
  siteId: bigint,
  before: SiteRules,
  mode: CardTestingSetting,
  seen: SeenCardTesting | null,
): Refusal | null {
  if (seen !== null && (seen.mode !== before.mode || seen.revision !== before.revision)) {
    return siteChangedMeanwhile(siteId)
  }
  if (before.mode === mode) {
    return refused('conflict', `Site ${siteId} has it on ${mode} already.`)
  }
  return before.rules.length === 0 ? refused('conflict', noRules(siteId)) : null
}

function noRules(siteId: bigint): string {
  return (
    `Site ${siteId} has no rules yet. "tollgate card-testing defaults > rules.json" ` +
    `writes some to begin with, and "tollgate card-testing put ${siteId} rules.json" ` +
    'puts them in place.'
  )
}
