import type { TestStep, TestWord } from '@tollgate/iso8583'
import type { Site } from '../../usecases/merchants/merchant-directory.ts'

/** Words for the 3-D Secure request of a payment. Merchants have tests against them. */
export const THREE_DS_TEST_WORDS = {
  threeds: {
    meaning: 'The 3-D Secure request, in place of the challenge preference of the site.',
    values: {
      'data-only':
        'the issuer is asked for information only (ChallengeInd 06): cards for it answer I, and ' +
        'the bank is asked without an authentication',
    },
    form: null,
  },
} as const satisfies Readonly<Record<string, TestWord>>

/** ChallengeInd of a request that shares data only. */
const DATA_SHARE_ONLY = '06'

/** The preference that the words ask for; null: that of the site. */
export function preferenceOf(words: ReadonlyMap<string, string>): string | null {
  return words.has('threeds') ? DATA_SHARE_ONLY : null
}

/** Why a preference has no effect on a request; null: it has one. */
export function preferenceFault(
  params: ReadonlyMap<string, string>,
  step: TestStep | undefined,
): string | null {
  return step === 'authorization' && params.get('REQUEST_ENROLLMENT') === '1'
    ? null
    : 'threeds goes with CCAUTHORIZE and CCAUTHCAP with REQUEST_ENROLLMENT=1 only.'
}

/** The site with the preference of a test for one request. */
export function withPreference(site: Site, challengePreference: string | null): Site {
  if (challengePreference === null) return site
  return { ...site, threeDs: { ...site.threeDs, challengePreference } }
}
