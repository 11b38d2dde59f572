import { decodePrivateData } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBrand } from '../../src/issuer/card-brands.ts'
import type { TestCard } from '../../src/test-data/test-card.ts'
import { TEST_CARDS } from '../../src/test-data/test-cards.ts'
import { aBank, aCardCheck, anAuthorization } from '../support/test-bank.ts'
import type { Ask } from '../support/test-bank.ts'

/** The code that a row's printed meaning states for a plain 0100 of 10.00. */
function promisedCode({ meaning }: TestCard): string {
  const always = /^always (\w\w)\b/.exec(meaning) ?? /^has nothing: always (\w\w)$/.exec(meaning)
  if (always?.[1] !== undefined) return always[1]
  if (meaning.startsWith('approves')) return '00'
  if (/^(prepaid, )?has (1000|[235]0|25)\.00/.test(meaning)) return '00'
  if (meaning.startsWith('prepaid, has 5.00')) return '51'
  if (meaning.startsWith('takes at most')) return '00'
  if (meaning.startsWith('declines ')) return '00'
  if (meaning.includes('expiry must be')) return '00'
  const refuses = /(?:: |otherwise )(\w\w)$/.exec(meaning)
  assert.ok(refuses?.[1], `nothing is known of "${meaning}"`)
  return refuses[1]
}

for (const row of TEST_CARDS) {
  const { meaning, pan } = row
  test(`${pan.slice(0, 6)}…${pan.slice(-4)} does what it says: ${meaning}`, async (t) => {
    const bank = await aBank(t)

    const { fields } = await bank.send(anAuthorization({ pan }))

    const code = promisedCode(row)
    assert.equal(fields[39], code)
    assert.equal(fields[38] !== undefined, code === '00')
    const { BN = '', MA, NT = '', PR = '' } = decodePrivateData(fields[48] ?? '')
    assert.match(BN, /^\d{6}$/)
    assert.match(NT, code === '00' ? /^\d{15}$/ : /^$/)
    assert.match(
      PR,
      /^(CREDIT|DEBIT);[A-Z ]+;(CONSUMER|COMMERCIAL|CORPORATE|PURCHASING);[01];[A-Z]{3};[\w ]+(;1)?$/,
    )
    assert.equal(MA, code === '00' ? undefined : row.merchantAdvice)
  })
}

test('the test cards have no number twice', () => {
  assert.equal(new Set(TEST_CARDS.map(({ pan }) => pan)).size, TEST_CARDS.length)
})

test('the test cards have each brand, each kind of card, and each code that a card gateway meets', () => {
  const brands = new Set(TEST_CARDS.map(({ pan }) => findBrand(pan)))
  const codes = new Set(TEST_CARDS.map(promisedCode))

  const wanted = ['amex', 'diners', 'discover', 'jcb', 'maestro', 'mastercard', 'unionpay', 'visa']
  assert.deepEqual([...brands].sort(), wanted)
  const asked = '01 03 04 05 07 12 13 14 15 19 41 43 46 51 54 57 58 59 61 62 63 65 78 82 91 92'
  const missing = `${asked} 93 96 N7 1A R0 R1 R3`.split(' ').filter((code) => !codes.has(code))
  assert.deepEqual(missing, [])
  assert.ok(TEST_CARDS.some(({ product }) => product.prepaid))
  assert.ok(TEST_CARDS.some(({ product }) => product.detail === 'DEBIT' && !product.prepaid))
})

function cardThat(part: RegExp): string {
  const row = TEST_CARDS.find(({ meaning }) => part.test(meaning))
  assert.ok(row, `no test card ${part}`)
  return row.pan
}

/** A row's effect beyond its first answer: the messages in order, and their DE 39 and DE 4. */
const STORIES: readonly (readonly [RegExp, readonly (readonly [Ask, string, bigint])[]])[] = [
  [
    /^has 30\.00 for each/,
    [
      [{ minor: 3000n }, '00', 3000n],
      [{ minor: 3001n }, '51', 3001n],
      [{ minor: 5000n, tags: { PA: '1' } }, '10', 3000n],
      [{ minor: 3000n }, '00', 3000n],
      [{ minor: 30n, currency: '392' }, '00', 30n],
      [{ minor: 31n, currency: '392' }, '51', 31n],
    ],
  ],
  [
    /^has 1000\.00 a day/,
    [
      [{ minor: 60_000n }, '00', 60_000n],
      [{ minor: 60_000n }, '51', 60_000n],
      [{ minor: 60_000n, tags: { PA: '1' } }, '10', 40_000n],
      [{ minor: 1n, tags: { PA: '1' } }, '51', 1n],
    ],
  ],
  [
    /^takes at most 200\.00/,
    [
      [{ minor: 20_000n }, '00', 20_000n],
      [{ minor: 20_001n, tags: { PA: '1' } }, '61', 20_001n],
    ],
  ],
  [
    /^takes at most 500\.00/,
    [
      [{ minor: 30_000n }, '00', 30_000n],
      [{ minor: 20_001n }, '61', 20_001n],
      [{ minor: 20_000n }, '00', 20_000n],
    ],
  ],
  [
    /^takes at most 3 approvals/,
    [
      [{}, '00', 1000n],
      [{}, '00', 1000n],
      [{}, '00', 1000n],
      [{}, '65', 1000n],
    ],
  ],
  [
    /^the expiry must be/,
    [
      [{ expiry: '4912' }, '00', 1000n],
      [{ expiry: '4911' }, '54', 1000n],
    ],
  ],
  [/^declines a wrong security code/, [[{ tags: { CV: '321' } }, 'N7', 1000n]]],
  [/^declines where neither/, [[{ address: '99999----9 ELSEWHERE' }, '05', 1000n]]],
  [
    /^needs the customer authenticated .* 1A$/,
    [
      [{}, '1A', 1000n],
      [{ tags: { EC: '05' } }, '1A', 1000n],
      [{ tags: { EC: '06' } }, '1A', 1000n],
      [{ tags: { CI: 'M101' } }, '00', 1000n],
    ],
  ],
  [/^needs the customer authenticated .* 65$/, [[{ tags: { EC: '02' } }, '65', 1000n]]],
  ...['R0', 'R1', 'R3', '51', '05', '54'].map(
    (code) =>
      [
        new RegExp(`merchant-initiated payments with ${code}$`),
        [
          [{ tags: { CI: 'C103' } }, '00', 1000n],
          [{ tags: { CI: 'M103' } }, code, 1000n],
        ],
      ] as const,
  ),
]

for (const [part, steps] of STORIES) {
  test(`the card that ${part.source} keeps to its story`, async (t) => {
    const bank = await aBank(t)
    const pan = cardThat(part)

    for (const [ask, code, minor] of steps) {
      const { fields } = await bank.send(anAuthorization({ pan, ...ask }))

      assert.deepEqual([fields[39], BigInt(fields[4] ?? '')], [code, minor])
    }
  })
}

test('daily funds are reset the next day, and held money stays held', async (t) => {
  const bank = await aBank(t)
  const pan = cardThat(/^has 1000\.00 a day/)
  await bank.send(anAuthorization({ pan, minor: 100_000n }))

  const before = await bank.send(anAuthorization({ pan, minor: 100n }))
  bank.nowMs += 24 * 3_600_000
  const after = await bank.send(anAuthorization({ pan, minor: 100_000n }))

  assert.deepEqual([before.fields[39], after.fields[39]], ['51', '00'])
})

test('daily limits start again the next day', async (t) => {
  const bank = await aBank(t)
  const pan = cardThat(/^takes at most 500\.00/)
  await bank.send(anAuthorization({ pan, minor: 50_000n }))

  const before = await bank.send(anAuthorization({ pan, minor: 1n }))
  bank.nowMs += 24 * 3_600_000
  const after = await bank.send(anAuthorization({ pan, minor: 50_000n }))

  assert.deepEqual([before.fields[39], after.fields[39]], ['61', '00'])
})

test('a prepaid card returns its balance, with a part approved and with all of it', async (t) => {
  const bank = await aBank(t)
  const pan = cardThat(/^prepaid, has 50\.00/)

  const whole = await bank.send(anAuthorization({ pan, minor: 2000n }))
  const part = await bank.send(anAuthorization({ pan, minor: 6000n, tags: { PA: '1' } }))

  assert.equal(whole.fields[54], '0002840C000000003000')
  assert.deepEqual([part.fields[39], part.fields[4]], ['10', '000000005000'])
  assert.equal(part.fields[54], '0057840D0000000060000002840C000000000000')
})

test('an expiry in the past is 54 on the test cards, and nothing to another card', async (t) => {
  const bank = await aBank(t)
  const pan = cardThat(/^approves; Visa credit/)

  const thisMonth = await bank.send(anAuthorization({ pan, expiry: '2603' }))
  const lastMonth = await bank.send(anAuthorization({ pan, expiry: '2602' }))
  const outside = await bank.send(anAuthorization({ expiry: '2602' }))

  const codes = [thisMonth, lastMonth, outside].map(({ fields }) => fields[39])
  assert.deepEqual(codes, ['00', '54', '00'])
})

test('a card check passes with 85, without money too, and fails on a closed card', async (t) => {
  const bank = await aBank(t)

  const good = await bank.send(aCardCheck({ pan: cardThat(/^approves; Visa credit/) }))
  const empty = await bank.send(aCardCheck({ pan: cardThat(/^has nothing/) }))
  const closed = await bank.send(aCardCheck({ pan: cardThat(/^closed: 46/) }))

  assert.deepEqual(
    [good, empty, closed].map(({ fields }) => fields[39]),
    ['85', '85', '46'],
  )
  assert.ok(good.fields[38])
  assert.ok(decodePrivateData(good.fields[48] ?? '')['NT'])
})
