import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { PLANT_KINDS } from '../../src/settlement/decide-file.ts'
import { aFolder } from '../support/test-bank.ts'
import { refusals } from './file-reader.ts'
import type { Known } from './file-reader.ts'
import { schemaFaults } from './settlement-schema.ts'
import { MERCHANT, aSettlingBank, shown } from './settling.ts'
import type { ReadFile, SettlingTestBank } from './settling.ts'

const CHAIN = { merchant: MERCHANT, currency: '840' }
const NOTHING: Known = {
  account: MERCHANT,
  mode: 'test',
  closing: '0.00',
  sha256: '0'.repeat(64),
  seqs: new Map(),
  ids: new Set(),
}

/** The memory of a reader after these files. */
function after(...files: readonly ReadFile[]): Known {
  const last = files.at(-1)
  return {
    ...NOTHING,
    closing: String(last?.trailer['closing']),
    sha256: String(last?.trailer['sha256']),
    seqs: new Map(files.map((file) => [Number(file.head['seq']), file.text])),
    ids: new Set(files.flatMap(({ lines }) => lines.map(({ id }) => String(id)))),
  }
}

/** Two sales and a refund, whose file is made after the plant. */
async function planted(
  t: TestContext,
  kind: string,
  more: { nth?: number; days?: number; home?: string } = {},
) {
  const parts = await aSettlingBank(t, more.home)
  const { close, refund, sell, settlement } = parts
  const order = await sell(3000n)
  await sell(2000n)
  await refund(order, 1000n)
  await close()
  settlement.plant(CHAIN, { kind, nth: more.nth ?? 1, days: more.days ?? 4 })
  return parts
}

/** Makes the next file without the demand that it be sound. */
async function makeAny({ read, settlement }: SettlingTestBank, day?: string): Promise<ReadFile> {
  const [file] = await settlement.makeNow(MERCHANT, null, day ?? null)
  assert.ok(file)
  return read(file)
}

/** The plants of the text, with the reasons for which a reader refuses the first file. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  cut_off: ['S02'],
  changed_digit: ['S05', 'S06', 'S07'],
  line_removed: ['S03', 'S04', 'S05', 'S06'],
  line_removed_recounted: ['S05'],
  line_removed_resummed: [],
  wrong_account: ['S10'],
  wrong_mode: ['S10'],
  opening_wrong: ['S14'],
  fee_sign: ['S05', 'S07'],
  decimals: ['S05', 'S07', 'S09'],
  refund_sign: ['S08'],
  same_seq: [],
}

for (const [kind, codes] of Object.entries(REFUSED)) {
  test(`a file with the plant ${kind} has exactly the faults ${codes.join(' ') || 'none'}`, async (t) => {
    const parts = await planted(t, kind)

    const { text } = await makeAny(parts)

    assert.deepEqual(refusals(text, NOTHING), codes)
  })
}

test('a corrected file is sound, and the next one follows it and not the damaged one', async (t) => {
  const parts = await planted(t, 'line_removed_resummed')
  const damaged = await makeAny(parts)
  await parts.sell(500n, { batch: '502' })
  await parts.close('502')
  const next = await parts.make()
  assert.deepEqual(refusals(next.text, after(damaged)), ['S13', 'S14'])
  const [first] = await parts.settlement.list(new Set())
  assert.ok(first)

  await parts.settlement.correct(first.name)

  const sound = await parts.read(first)
  assert.deepEqual(refusals(sound.text, NOTHING), [])
  assert.deepEqual(refusals(next.text, after(sound)), [])
})

test('a finished file can get the same number with another content', async (t) => {
  const parts = await planted(t, 'payout_missing')
  const sound = await makeAny(parts)
  const [file] = await parts.settlement.list(new Set())
  assert.ok(file)

  await parts.settlement.damage(file.name, { kind: 'same_seq', nth: 1, days: 1 })

  assert.deepEqual(refusals((await parts.read(file)).text, after(sound)), ['S11'])
})

test('a file that is kept back is not listed until it is corrected', async (t) => {
  const parts = await planted(t, 'kept_back')
  const [file] = await parts.settlement.makeNow(MERCHANT, null, null)
  assert.ok(file)
  assert.deepEqual(await parts.settlement.list(new Set()), [])
  assert.equal(await parts.settlement.pathOf(file.name), null)

  await parts.settlement.correct(file.name)

  assert.equal((await parts.settlement.list(new Set())).length, 1)
})

/** The plants of lines in a sound file, with what the file has then. */
const SOUND: Readonly<Record<string, (lines: readonly string[], file: ReadFile) => boolean>> = {
  unknown_sale: (lines) => lines.includes('sale 42.00 41.92'),
  declined_fee: (_, { lines }) => lines.some((line) => line['fee_code'] === 'authorization'),
  // A chargeback without an order makes a reader refuse its file.
  chargeback_no_case: (lines, file) =>
    lines.includes('chargeback -10.00 -10.00') &&
    file.lines.some(({ kind, order }) => kind === 'chargeback' && order !== undefined),
  other_rrn: (_, { lines }) => lines[0]?.['rrn'] === '999999999999',
  cent_less: (lines) => lines[0] === 'sale 29.99 29.77',
  times_100: (lines) => lines[0] === 'sale 3000.00 2999.78',
  other_currency: (_, { lines }) => JSON.stringify(lines[0]).includes('"currency":"EUR"'),
  doubled: (_, { lines }) => lines[0]?.['ref'] === lines[1]?.['ref'],
  summed: (lines, file) => lines[0] === 'sale 50.00 49.60' && file.lines[0]?.['ref'] === undefined,
  interchange_times_10: (_, { lines }) =>
    JSON.stringify(lines[0]).includes('"interchange":"-0.60"'),
  monthly_fee_twice: (lines) => lines.filter((line) => line === 'fee 0.00 -10.00').length === 2,
  reject_then_settled: (_, { lines }) => lines[0]?.['kind'] === 'reject',
  payout_missing: (_, { trailer }) => trailer['closing'] === '39.52',
  payout_short: (_, { trailer }) => trailer['closing'] === '1.50',
}

for (const [kind, isThere] of Object.entries(SOUND)) {
  test(`a file with the plant ${kind} is sound and has the difference`, async (t) => {
    const file = await makeAny(await planted(t, kind))

    assert.deepEqual([...refusals(file.text, NOTHING), ...schemaFaults(file.text)], [])
    assert.ok(isThere(shown(file), file), shown(file).join('\n'))
  })
}

test('a rate that is off by three percent is in rate and amount', async (t) => {
  const parts = await aSettlingBank(t)
  await parts.sell(700n, { currency: '978' })
  await parts.close('501', '978')
  parts.settlement.plant(CHAIN, { kind: 'rate_off', nth: 1, days: 1 })

  const { lines } = await parts.make()

  assert.equal(JSON.stringify(lines[0]?.['orig']).includes('"rate":"0.787974"'), true)
  assert.equal(lines[0]?.['gross'], '5.52')
})

for (const [kind, left] of [
  ['missing_capture', ['sale 20.00', 'refund -10.00']],
  ['refund_missing', ['sale 30.00', 'sale 20.00']],
] as const) {
  test(`the plant ${kind} keeps a movement out of the files of its days, and it comes then`, async (t) => {
    const parts = await planted(t, kind, { days: 4 })
    const one = await makeAny(parts, '2026-03-14')
    assert.deepEqual(await parts.settlement.makeNow(MERCHANT, null, '2026-03-17'), [])

    const two = await parts.make('2026-03-18')

    const moved = ({ lines }: ReadFile) =>
      lines.filter(({ ref }) => ref !== undefined).map(({ kind: of, gross }) => `${of} ${gross}`)
    assert.deepEqual(moved(one), left)
    assert.deepEqual(moved(two), kind === 'missing_capture' ? ['sale 30.00'] : ['refund -10.00'])
  })
}

for (const kind of ['doubled_later', 'reject_then_settled']) {
  test(`with the plant ${kind} the next file has the sale once more`, async (t) => {
    const parts = await planted(t, kind)
    const one = await makeAny(parts)

    const two = await parts.make('2026-03-15')

    assert.equal(two.lines[0]?.['ref'], one.lines[0]?.['ref'])
    assert.deepEqual(shown(two)[0], 'sale 30.00 29.78')
    assert.deepEqual(await parts.settlement.makeNow(MERCHANT, null, '2026-03-16'), [])
  })
}

for (const kind of ['doubled_later', 'reject_then_settled']) {
  test(`the plant ${kind} survives a snapshot between its two files, and is over after the second`, async (t) => {
    const home = await aFolder(t)
    const before = await planted(t, kind, { home })
    const one = await makeAny(before)
    await before.bank.close()
    const between = await aSettlingBank(t, home)

    const two = await between.make('2026-03-15')

    assert.equal(two.lines[0]?.['ref'], one.lines[0]?.['ref'])
    assert.deepEqual(shown(two)[0], 'sale 30.00 29.78')
    await between.bank.close()
    const third = await aSettlingBank(t, home)
    assert.deepEqual(await third.settlement.makeNow(MERCHANT, null, '2026-03-16'), [])
  })
}

test('an old line id with another amount is refused behind the file that had it', async (t) => {
  const parts = await planted(t, 'payout_missing')
  const one = await makeAny(parts)
  await parts.sell(500n, { batch: '502' })
  await parts.close('502')
  parts.settlement.plant(CHAIN, { kind: 'old_line_id', nth: 1, days: 1 })

  const two = await makeAny(parts)

  assert.deepEqual(refusals(two.text, after(one)), ['S15'])
})

test('a reserve of six percent and a late release are planted by name', async (t) => {
  const parts = await aSettlingBank(t)
  await parts.settlement.setReserve(CHAIN, { rateMillionths: 50_000, days: 10 })
  await parts.sell(10_000n)
  await parts.close()
  parts.settlement.plant(CHAIN, { kind: 'reserve_six_percent', nth: 1, days: 1 })
  const one = await parts.make('2026-03-01')
  assert.equal(shown(one)[1], 'reserve_hold -6.00 -6.00')
  await parts.sell(10_000n, { batch: '502' })
  await parts.close('502')
  parts.settlement.plant(CHAIN, { kind: 'release_late', nth: 1, days: 10 })

  const two = await parts.make('2026-03-11')

  assert.equal(shown(two).includes('reserve_release 6.00 6.00'), false)
  const three = await parts.make('2026-03-21')
  assert.deepEqual(shown(three).slice(0, 2), [
    'reserve_release 6.00 6.00',
    'reserve_release 5.00 5.00',
  ])
})

test('the plant dispute_no_line keeps a line of a dispute out of the files of its days', async (t) => {
  const home = await aFolder(t)
  const parts = await aSettlingBank(t, home)
  const keys = { case: 'C-1', order: '400001/TERM0001/000001/0314120000' }
  const chargeback = { kind: 'chargeback', ...keys, gross: '-6000' } as const
  const fee = { kind: 'dispute_fee', ...keys, gross: '0', fees: { dispute: '-1500' } } as const
  await parts.settlement.addDisputeLine(CHAIN, fee)
  await parts.settlement.addDisputeLine(CHAIN, chargeback)
  parts.settlement.plant(CHAIN, { kind: 'dispute_no_line', nth: 2, days: 4 })
  const one = await parts.make('2026-03-14')
  assert.deepEqual(shown(one), ['dispute_fee 0.00 -15.00'])
  await parts.bank.close()
  const later = await aSettlingBank(t, home)
  assert.deepEqual(await later.settlement.makeNow(MERCHANT, null, '2026-03-17'), [])

  const two = await later.make('2026-03-18')

  assert.deepEqual(shown(two), ['chargeback -60.00 -60.00'])
})

test('every kind of plant has a test above', () => {
  const others = ['kept_back', 'rate_off', 'missing_capture', 'refund_missing', 'doubled_later']
  const more = ['old_line_id', 'reserve_six_percent', 'release_late', 'dispute_no_line']
  const tested = new Set([...Object.keys(REFUSED), ...Object.keys(SOUND), ...others, ...more])
  assert.deepEqual([...tested].toSorted(), PLANT_KINDS)
})
