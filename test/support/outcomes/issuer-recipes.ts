import { FAULT_CARDS, KNOWN_CARDS } from '../../../packages/bank/src/three-ds/cards.ts'
import { isChallenge, type Habit } from '../../../packages/bank/src/three-ds/habits.ts'
import { enrol } from './card-recipes.ts'
import { inLanes } from './lanes.ts'
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
const CHALLENGED = 'PENDING C'

/**
 * A payment with every card of 3-D Secure, up to the challenge where the issuer shows one. Returns
 * the wrong answers.
 */
export async function askEveryIssuer(sweep: Sweep): Promise<string[]> {
  const wrong: string[] = []
  await inLanes([...KNOWN_CARDS, ...FAULT_CARDS], async ({ brand, habit, pan }) => {
    const { fields } = await enrol(sweep, pan)
    const found = `${fields['TRANS_STATUS_NAME']} ${fields['P3DS_RESPONSE']}`
    const expected = isChallenge(habit) ? CHALLENGED : (ANSWERS[habit] ?? NOT_AUTHENTICATED)
    if (found !== expected) wrong.push(`${brand} ${habit}: ${found}, expected ${expected}`)
    // Tests of the final call pass each kind of challenge.
    else if (!isChallenge(habit)) sweep.see('issuers', habit)
  })
  return wrong
}
