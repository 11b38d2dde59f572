import { decodePrivateData, encodePrivateData } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { FirstPayments } from '../../src/books/first-payments.ts'
import { JOURNAL_NAME } from '../../src/books/journal-file.ts'
import { SNAPSHOT_NAME } from '../../src/books/snapshot.ts'
import { verifyJournal } from '../../src/books/verify-journal.ts'
import { UPDATER_RESULTS } from '../../src/issuer/account-updater.ts'
import type { TestCard } from '../../src/test-data/test-card.ts'
import { TEST_CARDS } from '../../src/test-data/test-cards.ts'
import { GOOD_VISA, aBank, aCardCheck, aFolder, anAuthorization } from '../support/test-bank.ts'
import { repeated } from '../support/test-bank.ts'
import type { Ask, TestBank } from '../support/test-bank.ts'

type Tags = Readonly<Record<string, string>>

/** A merchant-initiated 0100 with a card on file: no security code, no address. */
function aRenewal(ask: Ask = {}): IsoMessage {
  const message = anAuthorization({ address: null, ...ask })
  const tags = { CI: 'M103', CP: '0', EC: '07', ...ask.tags }
  return { ...message, fields: { ...message.fields, 48: encodePrivateData(tags) } }
}

interface Outcome {
  readonly code: string | undefined
  readonly tags: Tags
}

async function send(bank: TestBank, message: IsoMessage): Promise<Outcome> {
  const { fields } = await bank.send(message)
  return { code: fields[39], tags: decodePrivateData(fields[48] ?? '') }
}

/** DE 39, then tags UR, UX and UD as far as there are any. */
async function renew(bank: TestBank, ask: Ask): Promise<string> {
  const { code, tags } = await send(bank, aRenewal(ask))
  return [code, tags['UR'], tags['UX'], tags['UD']].filter((text) => text !== undefined).join(' ')
}

function cardThat(part: RegExp): string {
  const row = TEST_CARDS.find(({ meaning }) => part.test(meaning))
  assert.ok(row, `no test card ${part}`)
  return row.pan
}

function updaterCards(result: string): readonly TestCard[] {
  return TEST_CARDS.filter(({ updater }) => updater?.result === result)
}

/** The records of payments with a card on file, without the fields that every record has. */
async function recordsIn(folder: string): Promise<readonly Record<string, unknown>[]> {
  const lines = (await readFile(join(folder, JOURNAL_NAME), 'utf8')).trim().split('\n')
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((record) => record['initiation'] !== undefined)
}

const ASKED = { AU: '1' }

test('a card whose expiry has passed is renewed by whole times four years, and approved', async (t) => {
  const bank = await aBank(t)
  const cases: readonly (readonly [expiry: string, businessTime: string, outcome: string])[] = [
    ['2802', '20280229235959', '00 V'],
    ['2802', '20280301000000', '00 E 3202 20280301'],
    ['2812', '20290101000000', '00 E 3212 20290101'],
    ['2702', '20360314120000', '00 E 3902 20360314'],
    ['2702', '20350228000000', '00 E 3502 20350228'],
    ['2701', '20350228000000', '00 E 3901 20350228'],
    ['9703', '20991231235959', '00 E 9912 20991231'],
  ]
  for (const pan of [GOOD_VISA, cardThat(/^approves; Visa credit/)]) {
    for (const [expiry, businessTime, outcome] of cases) {
      const tags = { ...ASKED, BD: businessTime }
      assert.equal(await renew(bank, { pan, expiry, tags }), outcome, `${expiry} ${businessTime}`)
    }
  }
})

test('without a business time, an expiry has passed by the clock of the bank', async (t) => {
  const bank = await aBank(t)

  assert.equal(await renew(bank, { expiry: '2602', tags: ASKED }), '00 E 3002 20260314')
  assert.equal(await renew(bank, { expiry: '2603', tags: ASKED }), '00 V')
  bank.nowMs = Date.UTC(2026, 3, 1)
  assert.equal(await renew(bank, { expiry: '2603', tags: ASKED }), '00 E 3003 20260401')
})

test('the business time of a payment ages its card, and nothing else', async (t) => {
  const bank = await aBank(t)
  const later = { BD: '20310101000000' }

  const good = cardThat(/^approves; Visa credit/)
  const aged = await send(bank, anAuthorization({ pan: good, expiry: '3012', tags: later }))
  const daily = cardThat(/^takes at most 500\.00/)
  const first = await send(bank, anAuthorization({ pan: daily, minor: 50_000n }))
  const second = await send(bank, anAuthorization({ pan: daily, minor: 1n, tags: later }))

  assert.deepEqual([aged.code, first.code, second.code], ['54', '00', '61'])
  assert.equal(second.tags['BN'], first.tags['BN'])
})

test('a bank that plays a live acquirer has one clock only, and an account updater', async (t) => {
  const bank = await aBank(t, undefined, { triggers: false })
  const tags = { ...ASKED, BD: '20310101000000' }

  assert.equal(await renew(bank, { expiry: '2812', tags }), '00 V')
  assert.equal(await renew(bank, { expiry: '2602', tags }), '00 E 3002 20260314')
})

test('a business time that is none gets 30 and is not booked', async (t) => {
  const bank = await aBank(t)

  const times = '2031 21000101000000 20311301000000 20310132000000 20310101240000'
  for (const time of times.split(' ')) {
    const outcome = await send(bank, aRenewal({ tags: { ...ASKED, BD: time } }))
    assert.deepEqual(outcome, { code: '30', tags: {} }, time)
  }
})

test('a payment without a request for the updater, or without the right to one, gets no lookup', async (t) => {
  const bank = await aBank(t)
  const pan = cardThat(/^approves; Visa credit/)
  const old = { pan, expiry: '2602' }

  assert.equal(await renew(bank, old), '54')
  assert.equal(await renew(bank, { ...old, tags: { AU: '0' } }), '54')
  assert.equal(await renew(bank, { ...old, tags: { ...ASKED, CI: 'C101' } }), '54')
  assert.equal(await renew(bank, { ...old, tags: { ...ASKED, CP: '1', CV: '123' } }), '54')
  assert.equal(await renew(bank, { ...old, tags: { ...ASKED, CP: '1' } }), '54')
  assert.equal(await renew(bank, { expiry: '2602' }), '00')
})

test('an account in a state says it by the updater, and is declined as always', async (t) => {
  const bank = await aBank(t)
  const outcomes: Record<string, string> = {
    closed: '46 C 20260314',
    lost: '41 Q 20260314',
    stolen: '43 Q 20260314',
    expired: '54 P',
    restricted: '62 V',
  }

  for (const { pan, state = '' } of TEST_CARDS) {
    if (outcomes[state] === undefined) continue
    assert.equal(await renew(bank, { pan, tags: ASKED }), outcomes[state])
  }
  const exact = cardThat(/^the expiry must be/)
  assert.equal(await renew(bank, { pan: exact, expiry: '4811', tags: ASKED }), '00 E 4912 20260314')
  assert.equal(await renew(bank, { pan: exact, expiry: '4811' }), '54')
})

test('each updater card of both brands has the result in its row', async (t) => {
  const bank = await aBank(t)
  const expected: Record<string, readonly [asked: string, notAsked: string]> = {
    A: ['00 A 4912 20260314', '54'],
    E: ['00 E 4912 20260314', '54'],
    C: ['46 C 20260314', '46'],
    Q: ['05 Q 20260314', '05'],
    P: ['00 P', '00'],
  }

  for (const [result, [asked, notAsked]] of Object.entries(expected)) {
    const rows = updaterCards(result)
    assert.deepEqual(
      rows.map(({ pan }) => pan[0]),
      ['4', '5'],
      result,
    )
    for (const { pan } of rows) {
      const ask = { pan, expiry: '2712' }
      assert.equal((await send(bank, anAuthorization({ ...ask, tags: { CI: 'C103' } }))).code, '00')
      assert.equal(await renew(bank, { ...ask, tags: ASKED }), asked)
      const { code, tags } = await send(bank, aRenewal(ask))
      assert.equal(code, notAsked)
      assert.equal(tags['MA'], notAsked === '54' && pan.startsWith('5') ? '01' : undefined)
    }
  }
  for (const { pan } of updaterCards('E')) {
    assert.equal(await renew(bank, { pan, expiry: '4912', tags: ASKED }), '00 V')
    assert.equal(await renew(bank, { pan, expiry: '4912' }), '00')
  }
  for (const { pan } of updaterCards('P')) {
    assert.equal(await renew(bank, { pan, expiry: '2602', tags: ASKED }), '54 P')
  }
  assert.deepEqual(Object.keys(UPDATER_RESULTS), [...Object.keys(expected), 'V'].sort())
})

test('a new number is in each answer and never in the journal', async (t) => {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  for (const { pan, updater } of updaterCards('A')) {
    assert.ok(updater?.result === 'A')
    const message = aRenewal({ pan, tags: ASKED })

    const answer = await bank.send(message)
    const again = await bank.send(repeated(message))

    assert.equal(decodePrivateData(answer.fields[48] ?? '')['UN'], updater.number)
    assert.deepEqual(again.fields, answer.fields)
    assert.equal(await renew(bank, { pan: updater.number, expiry: '4912', tags: ASKED }), '00 V')
    const journal = await readFile(join(folder, JOURNAL_NAME), 'utf8')
    assert.ok(!journal.includes(updater.number))
  }
})

test('a decline by its amount or a limit returns the result of the account updater', async (t) => {
  const bank = await aBank(t)
  const empty = cardThat(/^has nothing/)

  assert.equal(
    await renew(bank, { minor: 635n, expiry: '2602', tags: ASKED }),
    '51 E 3002 20260314',
  )
  assert.equal(await renew(bank, { pan: empty, expiry: '2602', tags: ASKED }), '51 E 3002 20260314')
  assert.equal(await renew(bank, { pan: '4111111111111112', tags: ASKED }), '14')
})

test('each decline of the retry rules comes to the shop, and not to the customer', async (t) => {
  const bank = await aBank(t)
  const rows = TEST_CARDS.flatMap(({ meaning, pan }) => {
    const said = /merchant-initiated payments with (\w\w)(?: and advice (\d\d))?/.exec(meaning)
    return said === null ? [] : [{ pan, code: said[1], advice: said[2] }]
  })

  for (const { advice, code, pan } of rows) {
    const first = await send(bank, anAuthorization({ pan, tags: { CI: 'C103' } }))
    const renewal = await send(bank, aRenewal({ pan }))
    assert.deepEqual([first.code, first.tags['MA']], ['00', undefined], pan)
    assert.deepEqual([renewal.code, renewal.tags['MA']], [code, advice], pan)
  }
  const advices = new Set(rows.map(({ advice }) => advice))
  const wanted = '02 03 04 21 24 25 26 27 28 29 30 40 41 42 43'.split(' ')
  assert.deepEqual(
    wanted.filter((advice) => !advices.has(advice)),
    [],
  )
  const codes = new Set(rows.map(({ code }) => code))
  assert.deepEqual(
    ['R0', 'R1', 'R3', '04', '41', '43'].filter((code) => !codes.has(code)),
    [],
  )
})

/** Of each brand: what it gets for a payment that hangs on no first one. */
const STRICT = TEST_CARDS.filter(({ isStrict }) => isStrict === true).map(
  ({ pan }) => [pan, pan.startsWith('5') ? '65' : '1A'] as const,
)

test('a strict card accepts a renewal of its own first payment, and no other', async (t) => {
  const bank = await aBank(t)
  assert.equal(STRICT.length, 2)
  for (const [pan, unlinked] of STRICT) {
    const first = await send(bank, anAuthorization({ pan, tags: { CI: 'C103' } }))
    const kept = await send(bank, aCardCheck({ pan, tags: { CI: 'C101' } }))
    const plain = await send(bank, anAuthorization({ pan }))
    const unrelated = await send(bank, anAuthorization({ tags: { CI: 'C103' } }))
    const NO = first.tags['NT'] ?? ''
    const cases: readonly (readonly [Tags, string])[] = [
      [{ NO }, '00'],
      [{ NO, CI: 'M104' }, '00'],
      [{ NO: kept.tags['NT'] ?? '', CI: 'M101' }, '00'],
      [{}, unlinked],
      [{ NO: plain.tags['NT'] ?? '' }, unlinked],
      [{ NO: unrelated.tags['NT'] ?? '' }, unlinked],
      [{ NO, CP: '1', CV: '123' }, '12'],
      [{ NO, EC: '05' }, '12'],
      [{ NO, CI: 'M999' }, '12'],
      [{ CP: '1', CV: '123' }, unlinked],
    ]
    for (const [tags, code] of cases) {
      assert.equal((await send(bank, aRenewal({ pan, tags }))).code, code, JSON.stringify(tags))
    }
    const renewal = await send(bank, aRenewal({ pan, tags: { NO } }))
    const chained = await send(bank, aRenewal({ pan, tags: { NO: renewal.tags['NT'] ?? '' } }))
    assert.equal(chained.code, unlinked)
  }
})

test('a bank that starts again knows first payments by its snapshot and by its journal', async (t) => {
  const folder = await aFolder(t)
  const [pan = ''] = STRICT[0] ?? []
  let bank = await aBank(t, folder)
  const first = await send(bank, anAuthorization({ pan, tags: { CI: 'C103' } }))
  const free = await send(bank, aCardCheck({ pan, tags: { CI: 'C103' } }))

  for (const withSnapshot of [true, false]) {
    await bank.close()
    if (!withSnapshot) await rm(join(folder, SNAPSHOT_NAME))
    bank = await aBank(t, folder)
    assert.deepEqual(bank.warnings, [])
    for (const { tags } of [first, free]) {
      assert.equal((await send(bank, aRenewal({ pan, tags: { NO: tags['NT'] ?? '' } }))).code, '00')
    }
  }
})

test('at least the newest half a million first payments are known, and not twice as many', () => {
  const payments = new FirstPayments()
  const total = 1_200_000
  for (let number = 1; number <= total; number += 1) payments.note(String(number), 'account')

  assert.equal(payments.accountOf(String(total - 500_000 + 1)), 'account')
  assert.equal(payments.accountOf('1'), undefined)
  const kept = [...payments.all()]
  assert.equal(kept.at(-1)?.[0], String(total))
  assert.ok(kept.length <= 1_000_000)
})

test('the journal has the claims of a payment with a card on file, and they refuse nothing', async (t) => {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  const first = await send(bank, anAuthorization({ tags: { CI: 'C103' } }))
  const NO = first.tags['NT'] ?? ''
  const later = '20310101000000'
  const messages = [
    aRenewal({ tags: { NO, ...ASKED, BD: later } }),
    aRenewal({ tags: { CI: 'M101', CP: '1', CV: '123', EC: '05', ...ASKED } }),
    aRenewal({ minor: 635n, tags: { NO: '031499999999999', CI: 'M104' } }),
    anAuthorization({ tags: { CI: 'X' } }),
  ]
  const codes: unknown[] = []
  for (const message of messages) codes.push((await send(bank, message)).code)
  await bank.close()

  assert.deepEqual(codes, ['00', '00', '51', '00'])
  const names = 'initiation firstReference businessTime updater objections reference'.split(' ')
  const found = (await recordsIn(folder)).map((record) =>
    Object.fromEntries(names.flatMap((name) => (name in record ? [[name, record[name]]] : []))),
  )
  assert.deepEqual(found, [
    { initiation: 'C103', reference: NO },
    { initiation: 'M103', firstReference: NO, businessTime: later, updater: 'V' },
    {
      initiation: 'M101',
      updater: 'not_done',
      objections: ['authentication', 'no_reference', 'security_code'],
    },
    { initiation: 'M104', firstReference: '031499999999999', objections: ['unknown_reference'] },
    { initiation: 'X', objections: ['unknown_initiation'] },
  ])
  assert.deepEqual((await verifyJournal(folder)).problems, [])
})

test('a number that has replaced another may name the first payment of the old one', async (t) => {
  const folder = await aFolder(t)
  const bank = await aBank(t, folder)
  const [card] = updaterCards('A')
  assert.ok(card?.updater?.result === 'A')
  const { tags } = await send(bank, anAuthorization({ pan: card.pan, tags: { CI: 'C103' } }))

  await send(bank, aRenewal({ pan: card.updater.number, tags: { NO: tags['NT'] ?? '' } }))
  await bank.close()

  const [, renewal] = await recordsIn(folder)
  assert.equal(renewal?.['objections'], undefined)
  assert.equal(renewal?.['initiation'], 'M103')
})
