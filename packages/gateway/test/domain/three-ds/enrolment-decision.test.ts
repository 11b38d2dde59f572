import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CardBrand } from '../../../src/domain/payments/card.ts'
import { decideEnrolment } from '../../../src/domain/three-ds/enrolment-decision.ts'
import type { IssuerAnswer } from '../../../src/domain/three-ds/issuer-answer.ts'

const AUTHORIZE = { whenUnavailable: 'authorize', challengePreference: null } as const
const DECLINE = { ...AUTHORIZE, whenUnavailable: 'decline' } as const

function decided(
  answer: Partial<IssuerAnswer> | null,
  brand: CardBrand | null = 'Visa',
  policy: Parameters<typeof decideEnrolment>[2] = AUTHORIZE,
): string {
  const whole = answer && { status: 'Y' as const, eci: '', valueBytes: null, ...answer }
  const { decision, fault } = decideEnrolment(whole, { brand, isPayment: true }, policy)
  const refused = fault === null ? '' : ` refused ${fault.errorCode} ${fault.element}`
  if (decision.kind === 'challenge') return `challenge${refused}`
  const told = `${decision.kind} ${decision.response} ${decision.eci}`
  if (decision.kind === 'decline') return `${told} ${decision.serviceCode}${refused}`
  return `${told} ${decision.authenticated ? 'with' : 'without'} value${refused}`
}

const rows: readonly (readonly [row: string, is: string, expected: string])[] = [
  ['row 6: no range', decided(null), 'authorize U 07 without value'],
  ['row 6, Mastercard', decided(null, 'Mastercard'), 'authorize U 00 without value'],
  ['row 6, declining site', decided(null, 'Visa', DECLINE), 'decline U 07 670'],
  ['row 7', decided({ status: 'Y', eci: '05', valueBytes: 20 }), 'authorize Y 05 with value'],
  [
    'row 7, Mastercard',
    decided({ eci: '02', valueBytes: 20 }, 'Mastercard'),
    'authorize Y 02 with value',
  ],
  ['row 7 without ECI', decided({ valueBytes: 20 }), 'authorize Y 05 with value'],
  [
    'row 7 without ECI, Mastercard',
    decided({ valueBytes: 20 }, 'Mastercard'),
    'authorize Y 02 with value',
  ],
  ['row 8', decided({ status: 'A', eci: '06', valueBytes: 20 }), 'authorize A 06 with value'],
  [
    'row 8, Mastercard',
    decided({ status: 'A', eci: '01', valueBytes: 20 }, 'Mastercard'),
    'authorize A 01 with value',
  ],
  ['row 9', decided({ status: 'N' }), 'decline N 07 600'],
  [
    'row 9, site that authorizes what is unavailable',
    decided({ status: 'N' }, 'Mastercard'),
    'decline N 00 600',
  ],
  ['row 10', decided({ status: 'R' }), 'decline R 07 600'],
  ['row 11', decided({ status: 'U' }), 'authorize U 07 without value'],
  ['row 11, declining site', decided({ status: 'U' }, 'Visa', DECLINE), 'decline U 07 670'],
  [
    'row 12, asked for',
    decided({ status: 'I' }, 'Visa', { ...AUTHORIZE, challengePreference: '06' }),
    'authorize I 07 with value',
  ],
  [
    'row 12, not asked for',
    decided({ status: 'I' }),
    'authorize U 07 without value refused 203 transStatus',
  ],
  ['row 13', decided({ status: 'C' }), 'challenge'],
  ['row 13, declining site', decided({ status: 'C' }, 'Visa', DECLINE), 'challenge'],
  [
    'row 14: C where only data were to be shared',
    decided({ status: 'C' }, 'Visa', { ...DECLINE, challengePreference: '06' }),
    'decline U 07 670 refused 203 transStatus',
  ],
  [
    'Y without value',
    decided({ eci: '05' }),
    'authorize U 07 without value refused 201 authenticationValue',
  ],
  [
    'a value of 19 bytes',
    decided({ eci: '05', valueBytes: 19 }, 'Visa', DECLINE),
    'decline U 07 670 refused 203 authenticationValue',
  ],
  [
    'N with a value',
    decided({ status: 'N', valueBytes: 20 }),
    'authorize U 07 without value refused 203 authenticationValue',
  ],
  [
    "another brand's ECI",
    decided({ eci: '02', valueBytes: 20 }),
    'authorize U 07 without value refused 203 eci',
  ],
  [
    'Y with the ECI of none',
    decided({ eci: '07', valueBytes: 20 }),
    'authorize U 07 without value refused 203 eci',
  ],
  [
    'A with the ECI of Y',
    decided({ status: 'A', eci: '05', valueBytes: 20 }),
    'authorize U 07 without value refused 203 eci',
  ],
]

for (const [row, is, expected] of rows) {
  test(`${row} leads to: ${expected}`, () => assert.equal(is, expected))
}
