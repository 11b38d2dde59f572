import { FAULT_CARDS, KNOWN_CARDS } from '../../../packages/bank/src/three-ds/cards.ts'
import { isChallenge, type Habit } from '../../../packages/bank/src/three-ds/habits.ts'
import { enrol } from './card-recipes.ts'
import type { Sweep } from './sweep.ts'

/** Status and P3DS_RESPONSE of issuers that answer well; all others count as no authentication. */
const ANSWERS: Readonly<Partial<Record<Habit, string>>> = {
  success: 'APPROVED Y',
  failed: 'DECLINED N',
  attempt: 'APPROVED A',
  rejected: 'DECLINED R',
  informed: 'APPROVED Y',
  informed_failure: 'DECLINED N',
  old_version: 'APPROVED Y',
  no_method: 'APPROVED Y',
  method_silent: 'APPROVED Y',
  method_wrong_id: 'APPROVED Y',
  ds_slow: 'APPROVED Y',
}
const NOT_AUTHENTICATED = 'APPROVED U'

/** A payment with a Visa of each issuer that shows no challenge; returns the wrong answers. */
export async function askEveryIssuer(sweep: Sweep): Promise<string[]> {
  const cards = [...KNOWN_CARDS, ...FAULT_CARDS].filter(
    ({ brand, habit }) => brand === 'visa' && !isChallenge(habit),
  )
  const wrong = await Promise.all(
    cards.map(async ({ habit, pan }) => {
      const { fields } = await enrol(sweep, pan)
      const found = `${fields['TRANS_STATUS_NAME']} ${fields['P3DS_RESPONSE']}`
      const expected = ANSWERS[habit] ?? NOT_AUTHENTICATED
      if (found === expected) sweep.see('issuers', habit)
      return found === expected ? [] : [`${habit}: ${found}, expected ${expected}`]
    }),
  )
  return wrong.flat()
}
