import { isLuhnValid } from '@tollgate/kernel/check-digit'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import { describeReading, insistOn, SEARCH_KINDS } from '../src/search-readings.ts'
import { isRefusedSearch, readSearch } from '../src/search-words.ts'

const TODAY = '2026-11-21'

/** `kind value` of every meaning; of several terms, in brackets each. */
function meanings(text: string): string[] {
  const search = readSearch(text, TODAY)
  if (search.kind !== 'search') return [search.kind]
  const terms = search.terms.map((readings) =>
    readings.map(
      ({ kind, value, currency }) =>
        `${kind} ${value}${currency === undefined ? '' : ` ${currency}`}`,
    ),
  )
  return [
    ...(search.days === null ? [] : [`days ${search.days.from} ${search.days.to}`]),
    ...(terms.length === 1 ? terms.flat() : terms.map((term) => `(${term.join(', ')})`)),
  ]
}

suite('the text of the search box', () => {
  const rows: readonly (readonly [text: string, means: readonly string[]])[] = [
    ['Jane.Doe@Example.com', ['email jane.doe@example.com', 'reference Jane.Doe@Example.com']],
    ['12.50', ['reference 12.50', 'amount 12.50']],
    ['€12,50', ['amount 12.50 EUR', 'reference €12,50']],
    ['1,234.5 usd', ['amount 1234.5 USD', 'reference 1,234.5 usd']],
    ['¥ 800', ['amount 800 JPY', 'reference ¥ 800']],
    ['jane  doe', ['reference jane doe', 'name jane doe', 'part jane doe']],
    ['Doe, Jane', ['reference Doe, Jane', 'name doe jane', 'part doe jane']],
    ['•••• 1111', ['reference •••• 1111', 'last4 1111']],
    ['0012', ['reference 0012', 'last4 0012']],
    ['0.50', ['reference 0.50', 'amount 0.50']],
    ['last4:1111', ['last4 1111']],
    ['last4: 11', ['nothing']],
    ['name:1111', ['nothing']],
    ['visa', ['reference visa', 'brand Visa', 'name visa', 'part visa']],
    ['status:partly refunded', ['status part_refunded']],
    ['today', ['days 2026-11-21 2026-11-21']],
    ['Yesterday', ['days 2026-11-20 2026-11-20']],
    ['7 days', ['days 2026-11-15 2026-11-21']],
    ['last month', ['days 2026-10-01 2026-10-31']],
    ['2026-02-28', ['days 2026-02-28 2026-02-28']],
    ['2026-02-01..2026-02-28', ['days 2026-02-01 2026-02-28']],
    ['2026-02-01 to 2026-02-28', ['days 2026-02-01 2026-02-28']],
    ['17 Nov', ['days 2026-11-17 2026-11-17']],
    ['Nov 17, 2026', ['days 2026-11-17 2026-11-17']],
    ['17th November 2025', ['days 2025-11-17 2025-11-17']],
    ['24 Dec', ['days 2025-12-24 2025-12-24']],
    ['29 February', ['days 2024-02-29 2024-02-29']],
    ['11/17/2026', ['days 2026-11-17 2026-11-17']],
    ['17/11/2026', ['days 2026-11-17 2026-11-17']],
    ['3/4/26', ['days 2026-03-04 2026-03-04']],
    ['17.11.2026', ['days 2026-11-17 2026-11-17']],
    ['17.11.', ['days 2026-11-17 2026-11-17']],
    ['17.11', ['reference 17.11', 'amount 17.11']],
    ['tuesday', ['days 2026-11-17 2026-11-17']],
    ['saturday', ['days 2026-11-21 2026-11-21']],
    ['last saturday', ['days 2026-11-14 2026-11-14']],
    ['last week', ['days 2026-11-09 2026-11-15']],
    ['February 2024', ['days 2024-02-01 2024-02-29']],
    ['10 Nov to 17 Nov', ['days 2026-11-10 2026-11-17']],
    ['A9B1'.repeat(10), [`token ${'A9B1'.repeat(10)}`, `reference ${'A9B1'.repeat(10)}`]],
    ['   ', ['nothing']],
    ['kimura 61.00', ['(name kimura, part kimura)', '(reference 61.00, amount 61.00)']],
    [
      'Jonas Kimura 2026-11-17',
      ['days 2026-11-17 2026-11-17', 'name jonas kimura', 'part jonas kimura'],
    ],
    ['kimura last tuesday', ['days 2026-11-17 2026-11-17', 'name kimura', 'part kimura']],
    ['jonas 0012', ['(name jonas, part jonas)', '(reference 0012, last4 0012)']],
    ['61.00 USD kimura', ['(amount 61.00 USD)', '(name kimura, part kimura)']],
    [
      'visa declined',
      ['(brand Visa, name visa, part visa)', '(status declined, name declined, part declined)'],
    ],
    [
      'amex 17 Nov',
      ['days 2026-11-17 2026-11-17', 'brand American Express', 'name amex', 'part amex'],
    ],
    [
      'american express refunds',
      ['(brand American Express)', '(action refund, name refunds, part refunds)'],
    ],
    ['name:kimura last4:0012', ['(name kimura)', '(last4 0012)']],
    ['name:jonas kimura', ['name jonas kimura']],
    ['kimura last4:11', ['nothing']],
    ['status:constructor', ['nothing']],
    ['constructor:x', ['reference constructor:x']],
  ]
  for (const [text, means] of rows) {
    test(`"${text}" means ${means.join(' or ')}`, () => assert.deepEqual(meanings(text), means))
  }

  test('four digits are an id, an amount and the end of a card', () => {
    const kinds = meanings('1111').map((meaning) => meaning.split(' ')[0])
    assert.deepEqual(kinds, [
      'order',
      'reference',
      'transaction',
      'request',
      'customer',
      'membership',
      'last4',
      'amount',
    ])
  })

  test('six digits are an authorization code and the beginning of a card as well', () => {
    assert.ok(
      meanings('411111').includes('bin 411111') && meanings('411111').includes('auth 411111'),
    )
  })

  for (const text of ['2026-02-30', '31/31/2026', '30.2.2026', '32 Nov', 'Nov 31 2026']) {
    test(`${text} names no day that exists`, () => {
      assert.ok(!meanings(text)[0]?.startsWith('days'))
    })
  }

  test('a text of several terms is looked up as an order id of the shop too', () => {
    const search = readSearch('PO 17 b', TODAY)
    assert.deepEqual(search.kind === 'search' && search.whole, {
      kind: 'reference',
      value: 'PO 17 b',
    })
  })

  test('a text of more than six terms is no sentence, but one order id of the shop', () => {
    assert.deepEqual(meanings('1 2 3 4 5 6 7'), ['reference 1 2 3 4 5 6 7'])
  })

  const digits = (length: number) =>
    fc.stringMatching(new RegExp(`^[0-9]{${length - 1}}$`)).map((head) => head + checkDigit(head))
  const number = fc.integer({ min: 13, max: 19 }).chain(digits)
  const between = fc.constantFrom('', ' ', '-', '.', ' - ')

  test('a card number is recognized in any grouping and any surrounding text', () => {
    fc.assert(
      fc.property(
        number,
        between,
        fc.constantFrom('', 'order ', 'last4:', 'x@'),
        fc.constantFrom('', ' thanks', '@example.com'),
        (pan, gap, before, behind) => {
          const grouped = (pan.match(/.{1,4}/g) ?? []).join(gap)
          assert.equal(readSearch(`${before}${grouped}${behind}`, TODAY).kind, 'card_number')
        },
      ),
    )
  })

  test('digits of other scripts make a card number too', () => {
    assert.ok(isRefusedSearch('４１１１ １１１１ １１１１ １１１１'))
    assert.ok(isRefusedSearch('٤١١١١١١١١١١١١١١١'))
  })

  test('a text with too few digits or a wrong check digit is searched for as usual', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{13,19}$/), (text) => {
        fc.pre(!isLuhnValid(text))
        assert.notEqual(readSearch(text, TODAY).kind, 'card_number')
      }),
    )
    assert.equal(isRefusedSearch('411111111111'), false)
  })

  test('each meaning can be insisted on, and then is the only one', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 60 }),
          fc.stringMatching(/^[0-9]{1,12}(\.[0-9]{2})?$/),
          fc.emailAddress(),
          fc
            .array(fc.constantFrom('visa', 'jane', '12.50', '0012', 'declined', '17', 'EUR', 'mc'))
            .map((words) => words.join(' ')),
        ),
        (text) => {
          const search = readSearch(text, TODAY)
          if (search.kind !== 'search') return
          for (const reading of search.terms.flat()) {
            const again = readSearch(insistOn(reading), TODAY)
            if (again.kind === 'card_number') continue
            assert.deepEqual(again, { kind: 'search', days: null, whole: null, terms: [[reading]] })
            assert.ok(describeReading(reading).startsWith(SEARCH_KINDS[reading.kind]))
          }
        },
      ),
    )
  })

  test('no text makes it fail', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        (text) => void readSearch(text, TODAY),
      ),
    )
  })
})

function checkDigit(head: string): string {
  for (let digit = 0; digit < 10; digit += 1)
    if (isLuhnValid(`${head}${digit}`)) return String(digit)
  return '0'
}
