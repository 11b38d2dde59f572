import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { daysUntil, respondBy } from '../../../src/domain/disputes/deadline.ts'
import {
  blockedMinor,
  DISPUTE_STATES,
  isEnded,
  takesAnswers,
  type DisputeState,
} from '../../../src/domain/disputes/dispute-states.ts'
import { fileFault, textFault, typeOfContent } from '../../../src/domain/disputes/evidence.ts'
import { standings } from '../../../src/domain/disputes/monitoring.ts'
import { findReason, networkLimit } from '../../../src/domain/disputes/network-rules.ts'
import { readNoticeFile } from '../../../src/domain/disputes/notice-file.ts'
import { NoticeRefusedError } from '../../../src/domain/disputes/notice-record.ts'
import {
  DISPUTE_EVENTS,
  effectOf,
  STATE_OF_EVENT,
  type DisputeEvent,
} from '../../../src/domain/disputes/notice.ts'
import { hashOf, noticeFileText } from './notice-text.ts'

const events = fc.constantFrom(...DISPUTE_EVENTS)
const states = fc.constantFrom(...(Object.keys(DISPUTE_STATES) as DisputeState[]))

test('a notice moves a case only along a declared transition, to the state of its event', () => {
  fc.assert(
    fc.property(events, states, fc.boolean(), (event, state, isCharged) => {
      const effect = effectOf({ event, caseId: 'C' }, { state, isCharged })
      if (effect.kind === 'contradicts') return true
      assert.equal(effect.state, STATE_OF_EVENT[event])
      return effect.state in DISPUTE_STATES[state].next && (effect.isCharged || !isCharged)
    }),
  )
})

test('one table has the way of each network through the stages', () => {
  const ways: Readonly<Record<string, readonly DisputeEvent[]>> = {
    // The issuer answers a response with pre-arbitration, and the acquirer one with arbitration.
    'Visa, processing and consumers': [
      ...(['chargeback', 'representment', 'pre_arbitration', 'representment'] as const),
      ...(['arbitration', 'lost'] as const),
    ],
    // The answer itself is the pre-arbitration.
    'Visa, fraud and authorization': ['chargeback', 'pre_arbitration', 'arbitration', 'won'],
    'Visa, accepted after the response': ['chargeback', 'representment', 'accepted'],
    'Mastercard, second presentment': [
      ...(['inquiry', 'chargeback', 'representment', 'pre_arbitration'] as const),
      ...(['representment', 'arbitration', 'won'] as const),
    ],
    // 4808, 4870 and 4871 have no pre-arbitration.
    'Mastercard, authorization and chip': ['chargeback', 'representment', 'arbitration', 'lost'],
    'lost after a defence that was credited': ['chargeback', 'representment', 'won', 'lost'],
  }
  for (const [name, way] of Object.entries(ways)) {
    let found: { readonly state: DisputeState; readonly isCharged: boolean } | null = null
    for (const event of way) {
      const effect = effectOf({ event, caseId: 'C' }, found)
      assert.equal(effect.kind, 'moves', `${name}: ${event}`)
      if (effect.kind === 'moves') found = effect
    }
    assert.ok(found !== null && isEnded(found.state), name)
  }
})

test('a case begins only with an inquiry, a report, a chargeback or a rapid resolution', () => {
  const opening = DISPUTE_EVENTS.filter(
    (event) => effectOf({ event, caseId: 'C' }, null).kind === 'moves',
  )
  assert.deepEqual(opening, ['inquiry', 'fraud_report', 'chargeback', 'rapid_resolution'])
})

test('in every sequence of notices, only charged cases that are open or lost block money', () => {
  fc.assert(
    fc.property(fc.array(events, { maxLength: 12 }), (sequence) => {
      let found: { readonly state: DisputeState; readonly isCharged: boolean } | null = null
      for (const event of sequence as readonly DisputeEvent[]) {
        const effect = effectOf({ event, caseId: 'C' }, found)
        if (effect.kind === 'moves') found = effect
        if (found === null) continue
        const blocked = blockedMinor(found.state, found.isCharged, 100n)
        const free = ['won', 'withdrawn', 'reported', 'inquiry'].includes(found.state)
        assert.equal(blocked, free || !found.isCharged ? 0n : 100n)
        assert.ok(!(isEnded(found.state) && takesAnswers(found.state)))
      }
    }),
  )
})

test('the day of answer is before the limit of the network and at least three days away if it can', () => {
  assert.equal(respondBy('2026-12-20', '2026-11-20'), '2026-12-13')
  assert.equal(respondBy('2026-11-25', '2026-11-20'), '2026-11-23')
  assert.equal(respondBy('2026-11-22', '2026-11-20'), '2026-11-22')
  assert.equal(daysUntil('2026-12-13', '2026-11-20'), 23)
  const day = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('2030-01-01'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 200 }), (received, days) => {
      const on = received.toISOString().slice(0, 10)
      const due = new Date(received.getTime() + days * 86_400_000).toISOString().slice(0, 10)
      const by = respondBy(due, on)
      return by <= due && by >= on && (days < 3 || daysUntil(by, on) >= 3)
    }),
  )
})

test('a file of evidence is known by its content and kept within its limits', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const none = { files: 0, bytes: 0 }
  assert.equal(typeOfContent(bytes('%PDF-1.7')), 'application/pdf')
  assert.equal(
    typeOfContent(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)),
    'image/png',
  )
  assert.equal(typeOfContent(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)), 'image/jpeg')
  assert.equal(typeOfContent(bytes('Grüße\tan\nalle')), 'text/plain')
  assert.equal(typeOfContent(Uint8Array.of(0xff, 0xfe)), null)
  assert.equal(typeOfContent(bytes('bell \u0007')), null)
  assert.equal(fileFault('a.txt', bytes('x'), none), null)
  assert.match(fileFault('a.txt', bytes('x'), { files: 10, bytes: 1 }) ?? '', /10 files/)
  assert.match(fileFault('a.txt', bytes('xx'), { files: 1, bytes: 9_999_999 }) ?? '', /together/)
  assert.match(fileFault('', bytes('x'), none) ?? '', /name/)
  assert.match(fileFault('4111111111111111', bytes('x'), none) ?? '', /card number/)
  assert.match(textFault('card 4111111111111111') ?? '', /card number/)
  assert.equal(textFault('delivered on Monday'), null)
})

const ABROAD = { country: 'DE', amounts: [] }

test('regions have limits of their own, and one of them a limit of money', () => {
  const counts = { disputes: 150, fraudReports: 0, sales: 5_000, salesMonthBefore: 0 }
  const reached = (country: string, month: string, usdCents: bigint, currency = 'USD') =>
    standings('visa', month, {
      ...counts,
      country,
      amounts: [{ currency, minor: usdCents }],
    }).map(({ percent, programme }) => [programme.events, programme.ratioBasisPoints, percent])
  assert.deepEqual(reached('DE', '2026-03-01', 0n), [[1500, 220, 10]])
  assert.deepEqual(reached('BR', '2026-03-01', 0n), [[1500, 150, 10]])
  assert.deepEqual(reached('BR', '2026-04-01', 0n), [[1500, 150, 10]])
  assert.deepEqual(reached('AE', '2026-04-01', 7_500_000n), [[100, 220, 100]])
  assert.deepEqual(reached('AE', '2026-04-01', 3_750_000n), [[100, 220, 50]])
  assert.deepEqual(reached('AE', '2026-04-01', 1n, 'AED'), [[100, 220, 136]])
})

test('a month warns at half, three quarters and nine tenths of both limits together', () => {
  const warnings = (disputes: number, fraudReports: number, sales: number): unknown[] =>
    standings('visa', '2026-11-01', {
      ...ABROAD,
      disputes,
      fraudReports,
      sales,
      salesMonthBefore: 0,
    }).map(({ percent, warning }) => [percent, warning])
  assert.deepEqual(warnings(749, 0, 1), [[49, null]])
  assert.deepEqual(warnings(375, 375, 1), [[50, 50]])
  assert.deepEqual(warnings(1125, 0, 1), [[75, 75]])
  assert.deepEqual(warnings(1350, 0, 1), [[90, 90]])
  assert.deepEqual(warnings(1500, 0, 100_000), [[100, 100]])
  assert.deepEqual(warnings(1500, 0, 200_000), [[50, 50]])
  assert.deepEqual(warnings(0, 0, 0), [[0, null]])
  const before = { ...ABROAD, disputes: 1500, fraudReports: 0, sales: 70_000, salesMonthBefore: 0 }
  assert.deepEqual(
    standings('visa', '2026-03-01', before).map(({ programme }) => programme.ratioBasisPoints),
    [220],
  )
  const mastercard = {
    ...ABROAD,
    disputes: 100,
    fraudReports: 900,
    sales: 0,
    salesMonthBefore: 5000,
  }
  assert.deepEqual(
    standings('mastercard', '2026-11-01', mastercard).map(({ percent, ratioBasisPoints }) => [
      percent,
      ratioBasisPoints,
    ]),
    [
      [100, 200],
      [33, 200],
    ],
  )
})

test('reason codes and limits are those of their brand and day', () => {
  assert.equal(findReason('visa', '10.4', '2026-11-20')?.isFraud, true)
  assert.equal(findReason('mastercard', '10.4', '2026-11-20'), null)
  assert.equal(findReason('visa', '10.4', '2018-11-20'), null)
  assert.equal(networkLimit('visa', 'chargeback', '2026-11-20'), '2026-12-20')
  assert.equal(networkLimit('elo', 'chargeback', '2026-11-20'), null)
})

test('a file of notices is refused at the line that is wrong', () => {
  const good = { n: 1, order: '880101' }
  const refusal = (text: string): string => {
    try {
      return `${readNoticeFile(text, hashOf).notices.length} notices`
    } catch (error) {
      if (error instanceof NoticeRefusedError) return `${error.line}: ${error.message}`
      throw error
    }
  }
  assert.equal(refusal(noticeFileText([good])), '1 notices')
  assert.equal(refusal(noticeFileText([])), '0 notices')
  assert.match(refusal(noticeFileText([good]).replace('120.00', '12.00')), /^3: The hash/)
  assert.match(refusal(noticeFileText([good], {}, { notices: 2 })), /^3: The trailer does not/)
  assert.match(refusal(noticeFileText([{ ...good, amount: '1.2' }])), /^2: amount is/)
  assert.match(refusal(noticeFileText([{ ...good, amount: '0.00' }])), /^2: amount is/)
  assert.match(refusal(noticeFileText([{ ...good, order: undefined }])), /^2: order is missing/)
  assert.match(refusal(noticeFileText([{ ...good, event: 'lose' }])), /^2: event is/)
  assert.match(refusal(noticeFileText([{ ...good, n: 0 }])), /^2: n is/)
  assert.match(refusal(noticeFileText([{ ...good, network_due: '2026-02-30' }])), /^2: network_due/)
  assert.match(refusal(noticeFileText([good]).split('\n')[0] ?? ''), /trailer/)
  assert.match(refusal('{'), /^1: The line is not JSON/)
  assert.match(refusal(noticeFileText([good], { v: 2 })), /^1: The format is not/)
})
