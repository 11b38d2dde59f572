import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CardBrand } from '../../../src/domain/payments/card.ts'
import { decideChallenge } from '../../../src/domain/three-ds/challenge-decision.ts'
import type { ResultStatus } from '../../../src/domain/three-ds/trans-status.ts'

type Cres = Parameters<typeof decideChallenge>[1]

function decided(
  status: ResultStatus | null,
  cres: Cres = '',
  eci = '',
  brand: CardBrand = 'Visa',
): string {
  const decision = decideChallenge({ status, eci }, cres, brand)
  const contradicted = decision.kind === 'decline' && decision.contradicted ? ' contradicted' : ''
  return `${decision.kind} ${decision.response} ${decision.eci}${contradicted}`
}

const rows: readonly (readonly [row: string, is: string, expected: string])[] = [
  ['row 20', decided('Y', 'Y', '05'), 'authorize Y 05'],
  ['row 20, Mastercard', decided('Y', 'Y', '', 'Mastercard'), 'authorize Y 02'],
  ['row 20, and the browser brought nothing', decided('Y'), 'authorize Y 05'],
  ['row 20, and the browser brought rubbish', decided('Y', 'unreadable'), 'authorize Y 05'],
  ['row 20, and the browser brought an Erro', decided('Y', 'erro'), 'authorize Y 05'],
  ['row 21', decided('A', 'Y', '06'), 'authorize A 06'],
  ['rows 22 to 24', decided('N', 'N'), 'decline N 07'],
  ['row 25', decided('R'), 'decline R 07'],
  ['row 26', decided('U', 'Y'), 'decline U 07'],
  ['rows 27 and 38', decided(null), 'decline U 07'],
  ['row 28, result N', decided('N', 'Y'), 'decline N 07'],
  ['row 28, no result', decided(null, 'Y'), 'decline U 07'],
  ['row 29', decided('Y', 'N', '05'), 'decline N 07 contradicted'],
  ['row 29, Mastercard', decided('A', 'N', '01', 'Mastercard'), 'decline N 00 contradicted'],
]

for (const [row, is, expected] of rows) {
  test(`${row} leads to: ${expected}`, () => assert.equal(is, expected))
}
