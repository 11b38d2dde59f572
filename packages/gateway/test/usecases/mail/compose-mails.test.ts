import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findCurrency } from '../../../src/domain/currency.ts'
import type { EventType } from '../../../src/domain/events/event-types.ts'
import type { TransactionFacts } from '../../../src/domain/events/order-facts.ts'
import type { MailKindName } from '../../../src/domain/mail/mail-kinds.ts'
import type { PlacedFact, RecordedFact } from '../../../src/usecases/events/event-store.ts'
import { createMailComposer, previewMail } from '../../../src/usecases/mail/compose-mails.ts'
import type { MailDraft, Subscription } from '../../../src/usecases/mail/mail-ports.ts'

const NOW = new Date('2026-11-27T12:00:00Z')
const EUR = findCurrency('EUR') ?? assert.fail()

const FACTS: TransactionFacts = {
  orderId: '2000000001',
  merchantId: '1',
  siteId: '1001',
  mode: 'live',
  currency: EUR,
  reference: 'A-1',
  customerId: '5',
  customerReference: '',
  membershipIds: ['9'],
  membershipReference: '',
  card: { brand: 'Visa', last4: '1111', id: '6', reference: '' },
  transactionId: '3',
  requestId: '4',
  kind: 'sale',
  state: 'approved',
  origin: 'api',
  actor: null,
  requestedMinor: 1_250n,
  valueMinor: 1_250n,
  codes: { service: 100, processor: '00', industry: '', response: '' },
  avs: '',
  cvv: '',
  eci: '',
  expiresAt: null,
  at: new Date('2026-11-27T23:30:00Z'),
  sums: null,
}

const SITE: Subscription = {
  merchantId: 1n,
  merchantName: 'Merchant',
  timeZone: 'Europe/Berlin',
  user: null,
  kinds: ['receipt', 'renewal_receipt', 'refund_receipt', 'renewal_failed'],
  sendsTests: false,
  senderName: '',
  replyTo: '',
  siteNames: new Map([['1001', 'Shop']]),
  templates: new Map(),
}
const USER: Subscription = {
  ...SITE,
  user: { id: 101n, address: 'ada@merchant.example' },
  kinds: ['dispute_opened', 'payout_deposited', 'payment_rejected', 'settlement_difference'],
}
const CUSTOMERS = new Map([
  ['5', { address: 'ada@shop.example', firstName: 'Ada', lastName: 'Lovelace' }],
])

function placed(fact: RecordedFact, recordedAt = NOW): PlacedFact {
  return { id: 'evt_1', position: 8n, sequence: 1n, recordedAt, fact }
}

function paid(type: EventType, change: Partial<TransactionFacts> = {}): PlacedFact {
  return placed({ kind: 'transaction', type, facts: { ...FACTS, ...change } })
}

function whole(type: EventType, data: object, siteId: string | null = '1001'): PlacedFact {
  return placed({
    kind: 'whole',
    type,
    merchantId: '1',
    siteId,
    objectId: '12',
    at: NOW,
    actor: null,
    content: { mode: 'live', origin: 'GATEWAY', data: data as Record<string, string> },
    order: null,
  })
}

const compose = (event: PlacedFact, to: Subscription = SITE): readonly MailDraft[] =>
  createMailComposer(NOW).compose(to, [event], CUSTOMERS)
const kindOf = (event: PlacedFact, to: Subscription = SITE): MailKindName | undefined =>
  compose(event, to)[0]?.kind

suite('a mail to a customer', () => {
  for (const [type, change, kind] of [
    ['payment.approved', {}, 'receipt'],
    ['capture.created', {}, 'receipt'],
    ['payment.approved', { origin: 'rebill' }, 'renewal_receipt'],
    ['refund.created', {}, 'refund_receipt'],
    ['refund.approved', {}, 'refund_receipt'],
    ['payment.declined', {}, undefined],
    ['authorization.approved', {}, undefined],
    ['authorization.voided', {}, undefined],
    ['capture.voided', {}, undefined],
  ] as const) {
    test(`of ${type} with ${JSON.stringify(change)} is ${kind ?? 'not made'}`, () => {
      assert.equal(kindOf(paid(type, change)), kind)
    })
  }

  test('says what was paid, in the time zone of the merchant', () => {
    const [mail] = compose(paid('payment.approved'))
    assert.equal(mail?.subject, 'Receipt of your payment to Shop')
    assert.match(mail?.text ?? '', /^Hello Ada Lovelace,\n\nwe received your payment of 12\.50 EUR/)
    assert.match(mail?.text ?? '', /Order: A-1\nCard: Visa ending in 1111\nDate: 2026-11-28 00:30/)
    assert.deepEqual(
      [mail?.recipient, mail?.senderName, mail?.customerId, mail?.orderId, mail?.position],
      ['ada@shop.example', 'Shop', '5', '2000000001', 8n],
    )
  })

  test('of a renewal names the membership', () => {
    const [mail] = compose(paid('payment.approved', { origin: 'rebill' }))
    assert.match(mail?.text ?? '', /your membership 9 was renewed/)
  })

  test('of a renewal that was not paid names the next attempt', () => {
    const facts = {
      membershipId: '9',
      merchantId: '1',
      siteId: '1001',
      mode: 'live',
      currency: EUR,
      customerId: '5',
      customerReference: '',
      reference: 'M-9',
      orderId: '1',
      cardId: '6',
    } as const
    const details = {
      at: NOW.toISOString(),
      price_minor: '990',
      po_id: '77',
      product: '1',
      next_attempt: '2026-11-30T08:00:00Z',
    }
    const event = (type: EventType): PlacedFact =>
      placed({ kind: 'membership', type, facts, details, actor: null })
    const [mail] = compose(event('membership.renewal_declined'))
    assert.match(mail?.text ?? '', /could not charge 9\.90 EUR for your membership M-9/)
    assert.match(mail?.text ?? '', /Next attempt: 2026-11-30 09:00/)
    assert.equal(mail?.orderId, '77')
    assert.equal(kindOf(event('membership.renewed')), undefined)
  })

  test('is not made unless its kind is chosen', () => {
    assert.equal(
      kindOf(paid('payment.approved'), { ...SITE, kinds: ['refund_receipt'] }),
      undefined,
    )
  })

  test('about test mode is made and marked only if the site wants it', () => {
    const event = paid('payment.approved', { mode: 'test' })
    assert.deepEqual(compose(event), [])
    const [mail] = compose(event, { ...SITE, sendsTests: true })
    assert.match(mail?.subject ?? '', /^\[TEST\] /)
  })

  test('is not made of an event that is older than three days', () => {
    const { fact } = paid('payment.approved')
    const before = (ms: number): Date => new Date(NOW.getTime() - ms)
    assert.equal(kindOf(placed(fact, before(259_200_000))), 'receipt')
    assert.equal(kindOf(placed(fact, before(259_200_001))), undefined)
  })

  test('is not made for a customer without one plain address', () => {
    for (const address of ['', 'Ada <a@b.example>', 'a@b.example, c@d.example']) {
      const customers = new Map([['5', { address, firstName: '', lastName: '' }]])
      const event = paid('payment.approved')
      assert.deepEqual(createMailComposer(NOW).compose(SITE, [event], customers), [])
    }
    assert.deepEqual(
      createMailComposer(NOW).compose(SITE, [paid('payment.approved')], new Map()),
      [],
    )
  })

  test('needs the customers of chosen kinds only', () => {
    const composer = createMailComposer(NOW)
    const events = [paid('payment.approved'), paid('payment.declined')]
    assert.deepEqual(composer.customersOf(SITE, events), ['5'])
    assert.deepEqual(composer.customersOf({ ...SITE, kinds: [] }, events), [])
    assert.deepEqual(composer.customersOf(USER, events), [])
  })
})

suite('a notice to a portal user', () => {
  test('of a dispute has case, amount and deadline', () => {
    const data = { dispute_id: '12', case_id: 'CB-1', amount: '5.00', currency: 'EUR' }
    const [mail] = compose(whole('dispute.opened', { ...data, respond_by: '2026-12-10' }), USER)
    assert.equal(mail?.recipient, 'ada@merchant.example')
    assert.equal(mail?.subject, 'Dispute CB-1 of 5.00 EUR')
    assert.match(mail?.text ?? '', /Answer by: 2026-12-10/)
    assert.equal(mail?.customerId, null)
  })

  test('of a payout belongs to no site, and has the name of the merchant', () => {
    const data = { payout_id: '3', amount: '99.00', currency: 'EUR', reference: 'R' }
    const [mail] = compose(whole('payout.deposited', data, null), USER)
    assert.deepEqual([mail?.siteId, mail?.senderName], [null, 'Merchant'])
  })

  test('of a rejected amount follows from the answer of the bank, and not from a reversal', () => {
    const facts = { ...FACTS, reason: null, amountMinor: 100n, bankCode: '05' }
    const event = (type: EventType): PlacedFact => placed({ kind: 'advice', type, facts })
    assert.equal(kindOf(event('refund.rejected'), USER), 'payment_rejected')
    assert.equal(kindOf(event('capture.confirmed'), USER), undefined)
    assert.equal(kindOf(event('reversal.rejected'), USER), undefined)
    const rejected = placed({ kind: 'rejected', facts: FACTS, fileId: '1', at: NOW })
    assert.equal(kindOf(rejected, USER), 'payment_rejected')
  })

  test('of a user who was disabled is not made', () => {
    const gone = { ...USER, user: { id: 101n, address: '' } }
    assert.deepEqual(compose(whole('settlement.difference', {}), gone), [])
  })

  test('is no mail to customers, and a mail to customers is no notice', () => {
    const kinds = ['receipt', 'dispute_opened'] as const
    assert.equal(kindOf(paid('payment.approved'), { ...USER, kinds }), undefined)
    assert.equal(kindOf(whole('dispute.opened', {}), { ...SITE, kinds }), undefined)
  })
})

test('a preview has the names of the site and the mark of test mode', () => {
  const names = { merchant: 'Merchant', site: 'Shop', mode: 'test' } as const
  const built = previewMail('receipt', null, names)
  assert.equal(built.subject, '[TEST] Receipt of your payment to Shop')
  const own = previewMail(
    'receipt',
    { subject: '{{merchant}}', text: '{{amount}}', html: '' },
    names,
  )
  assert.deepEqual([own.subject, own.text], ['[TEST] Merchant', '12.50'])
})
