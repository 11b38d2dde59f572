import { decodeDetail, decodePrivateData, encodePrivateData, encodeTotals } from '@tollgate/iso8583'
import type { BrandTotals, IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { reportBatches } from '../../src/books/books-report.ts'
import { SNAPSHOT_NAME } from '../../src/books/snapshot.ts'
import { aBank, aCapture, aFolder, aPartialReversal, aRefund } from '../support/test-bank.ts'
import { anAuthorization, repeated } from '../support/test-bank.ts'
import type { TestBank } from '../support/test-bank.ts'

const NONE = { count: 0, minor: 0n }

function visa(more: Partial<BrandTotals>): BrandTotals {
  const none = { sales: NONE, refunds: NONE, voidedSales: NONE, voidedRefunds: NONE }
  return { brand: 'VISA', ...none, ...more }
}

/** The message as one of batch 501. */
function inBatch(message: IsoMessage, batch = '501'): IsoMessage {
  const tags = decodePrivateData(message.fields[48] ?? '')
  const data = encodePrivateData({ ...tags, BN: batch, BR: 'VISA' })
  return { ...message, fields: { ...message.fields, 48: data } }
}

function aQuestion(mti: string, stan: string, tags: Readonly<Record<string, string>>): IsoMessage {
  const header = { 7: '0314120000', 11: stan, 32: '400001', 41: 'TERM0009', 42: 'MERCHANT0001' }
  return { mti, fields: { ...header, 48: encodePrivateData(tags), 50: '840' } }
}

function aClose(totals: readonly BrandTotals[], stan = '000001', batch = '501'): IsoMessage {
  const { fields, byBrand } = encodeTotals(totals)
  const message = aQuestion('0500', stan, { BN: batch, ...(byBrand ? { TB: byBrand } : {}) })
  return { ...message, fields: { ...message.fields, ...fields } }
}

/** A sale of 10.00 of which 2.00 is voided, and a refund of 3.00, in batch 501. */
async function fill(bank: TestBank): Promise<{ capture: IsoMessage; refund: IsoMessage }> {
  const authorization = anAuthorization()
  const capture = inBatch(aCapture(authorization, 1000n))
  const refund = inBatch(aRefund(authorization, 300n))
  for (const message of [authorization, capture, refund, aPartialReversal(capture, 800n)]) {
    assert.equal((await bank.send(message)).fields[39], '00')
  }
  return { capture, refund }
}

const FILLED = visa({
  sales: { count: 1, minor: 1000n },
  refunds: { count: 1, minor: 300n },
  voidedSales: { count: 1, minor: 200n },
})

test('a 0500 with the totals of the bank is in balance', async (t) => {
  const bank = await aBank(t)
  await fill(bank)

  const { fields, mti } = await bank.send(aClose([FILLED]))

  assert.equal(mti, '0510')
  assert.equal(`${fields[39]} ${fields[66]}`, '00 1')
})

test('a 0500 with other totals is out of balance and gets the totals of the bank', async (t) => {
  const bank = await aBank(t)
  await fill(bank)

  const { fields } = await bank.send(aClose([{ ...FILLED, refunds: NONE }]))

  assert.equal(`${fields[39]} ${fields[66]}`, '95 2')
  assert.equal(decodePrivateData(fields[48] ?? '')['TB'], 'VISA:1,1000,1,300,1,200,0,0')
  assert.equal(fields[86], '0000000000000300')
})

test('a repeated 0500 gets the first answer, and nothing comes into the closed batch', async (t) => {
  const bank = await aBank(t)
  await fill(bank)
  const close = aClose([FILLED])
  const first = await bank.send(close)
  const late = anAuthorization()
  await bank.send(late)
  assert.equal((await bank.send(inBatch(aCapture(late, 500n)))).fields[39], '00')

  assert.deepEqual(await bank.send(repeated(close)), first)
  assert.equal((await bank.send(aClose([FILLED], '000002'))).fields[66], '1')
})

test('each answer names the batch of the copy that it answers', async (t) => {
  const bank = await aBank(t)
  const { capture } = await fill(bank)
  const named = async (message: IsoMessage): Promise<string | undefined> =>
    decodePrivateData((await bank.send(message)).fields[48] ?? '')['MB']

  assert.equal(await named(repeated(capture)), '501')
  assert.equal(await named(repeated(inBatch(capture, '502'))), '502')
  assert.equal(await named(repeated(capture)), '501')
})

test('a repeat that names a later batch moves the capture there, once', async (t) => {
  const bank = await aBank(t)
  const { capture } = await fill(bank)

  await bank.send(repeated(inBatch(capture, '502')))
  const records = bank.store.journal.end.seq
  await bank.send(repeated(inBatch(capture, '502')))

  assert.equal(bank.store.journal.end.seq, records)
  const refunds = visa({ refunds: { count: 1, minor: 300n } })
  assert.equal((await bank.send(aClose([refunds]))).fields[66], '1')
  const { refunds: _none, ...rest } = FILLED
  const next = aClose([{ ...rest, refunds: NONE }], '000002', '502')
  assert.equal((await bank.send(next)).fields[66], '1')
})

for (const when of ['open', 'closed'] as const) {
  test(`a late copy that names an earlier batch, which is ${when}, moves nothing back there`, async (t) => {
    const bank = await aBank(t)
    const { capture } = await fill(bank)
    await bank.send(repeated(inBatch(capture, '502')))
    const refunds = visa({ refunds: { count: 1, minor: 300n } })
    if (when === 'closed') await bank.send(aClose([refunds]))

    assert.equal((await bank.send(repeated(capture))).fields[39], '00')

    if (when === 'open') assert.equal((await bank.send(aClose([refunds]))).fields[66], '1')
    const next = aClose([{ ...FILLED, refunds: NONE }], '000002', '502')
    assert.equal((await bank.send(next)).fields[66], '1')
  })
}

test('the detail of a closed batch names its captures and refunds, and pages through them', async (t) => {
  const bank = await aBank(t)
  const { capture, refund } = await fill(bank)
  const ask = (from: string) => bank.send(aQuestion('0600', '000003', { BN: '501', FR: from }))
  assert.equal((await ask('0')).fields[39], '25', 'an open batch has no detail')
  await bank.send(aClose([FILLED]))

  const { fields, mti } = await ask('0')
  const second = await ask('1')

  assert.equal(mti, '0610')
  assert.equal(decodePrivateData(fields[48] ?? '')['NR'], '2')
  assert.deepEqual(
    decodeDetail(fields).map(({ stan, kind, amountMinor, voidedMinor }) =>
      [stan, kind, amountMinor, voidedMinor].join(' '),
    ),
    [`${capture.fields[11]} capture 1000 200`, `${refund.fields[11]} refund 300 0`],
  )
  assert.equal(decodeDetail(second.fields).length, 1)
})

for (const how of ['snapshot', 'journal'] as const) {
  test(`a bank that starts from its ${how} has the same batches, closed ones included`, async (t) => {
    const folder = await aFolder(t)
    const before = await aBank(t, folder)
    const { capture } = await fill(before)
    await before.send(repeated(inBatch(capture, '502')))
    await before.send(aClose([visa({ refunds: { count: 1, minor: 300n } })]))
    const report = reportBatches(before.store.books, new Set())
    await before.close()
    if (how === 'journal') await rm(join(folder, SNAPSHOT_NAME))

    const after = await aBank(t, folder)

    const sorted = (lines: typeof report) => lines.toSorted((a, b) => (a.batch < b.batch ? -1 : 1))
    assert.deepEqual(sorted(reportBatches(after.store.books, new Set())), sorted(report))
    assert.deepEqual(
      sorted(report).map(({ batch, closed }) => `${batch} ${closed}`),
      ['501 true', '502 false'],
    )
  })
}
