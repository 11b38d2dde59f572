import { isLuhnValid } from '@tollgate/kernel/check-digit'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import {
  describeReading,
  isRefusedSearch,
  insistOn,
  readSearch,
  SEARCH_KINDS,
} from '../src/search-words.ts'

const TODAY = '2026-11-21'

/** `kind value` of every meaning. */
function meanings(text: string): string[] {
  const search = readSearch(text, TODAY)
  if (search.kind === 'days') return [`days ${search.days.from} ${search.days.to}`]
  if (search.kind !== 'readings') return [search.kind]
  return search.readings.map(
    ({ kind, value, currency }) =>
      `${kind} ${value}${currency === undefined ? '' : ` ${currency}`}`,
  )
}

suite('the text of the search box', () => {
  const rows: readonly (readonly [text: string, means: readonly string[]])[] = [
    ['Jane.Doe@Example.com', ['email jane.doe@example.com', 'reference Jane.Doe@Example.com']],
    ['12.50', ['reference 12.50', 'amount 12.50']],
    ['€12,50', ['amount 12.50 EUR', 'reference €12,50']],
    ['1,234.5 usd', ['amount 1234.5 USD', 'reference 1,234.5 usd']],
    ['¥ 800', ['amount 800 JPY', 'reference ¥ 800']],
    ['jane  doe', ['reference jane doe', 'name jane doe']],
    ['•••• 1111', ['reference •••• 1111', 'last4 1111']],
    ['last4:1111', ['last4 1111']],
    ['last4: 11', ['nothing']],
    ['name:1111', ['nothing']],
    ['today', ['days 2026-11-21 2026-11-21']],
    ['Yesterday', ['days 2026-11-20 2026-11-20']],
    ['7 days', ['days 2026-11-15 2026-11-21']],
    ['last month', ['days 2026-10-01 2026-10-31']],
    ['2026-02-28', ['days 2026-02-28 2026-02-28']],
    ['2026-02-01..2026-02-28', ['days 2026-02-01 2026-02-28']],
    ['2026-02-01 to 2026-02-28', ['days 2026-02-01 2026-02-28']],
    ['A9B1'.repeat(10), [`token ${'A9B1'.repeat(10)}`, `reference ${'A9B1'.repeat(10)}`]],
    ['   ', ['nothing']],
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

  test('a day that there is not is no day', () => {
    assert.ok(!meanings('2026-02-30')[0]?.startsWith('days'))
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
        ),
        (text) => {
          const search = readSearch(text, TODAY)
          if (search.kind !== 'readings') return
          for (const reading of search.readings) {
            const again = readSearch(insistOn(reading), TODAY)
            if (again.kind === 'card_number') continue
            assert.deepEqual(again, { kind: 'readings', readings: [reading] })
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
