import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { SNAPSHOT_NAME } from '../../src/books/snapshot.ts'
import { aBank, aCapture, aFolder, aReversal, anAuthorization } from '../support/test-bank.ts'
import { MERCHANT, aSettlingBank, shown } from './settling.ts'

test('a file has the sales and refunds of closed batches, their fees, and a payout of the rest', async (t) => {
  const { close, make, refund, sell } = await aSettlingBank(t)
  const order = await sell(12000n)
  await refund(order, 2000n)
  await sell(500n, { batch: '502' })
  await close()

  const file = await make()

  assert.deepEqual(shown(file), [
    'sale 120.00 119.43',
    'refund -20.00 -20.06',
    'payout -99.37 -99.37',
  ])
  const [sale] = file.lines
  assert.deepEqual(sale?.['fees'], { interchange: '-0.24', scheme: '-0.05', acquirer: '-0.28' })
  const { 7: time, 11: stan, 32: acquirer, 37: rrn, 41: terminal } = order.fields
  assert.equal(sale?.['order'], `${acquirer}/${terminal}/${stan}/${time}`)
  assert.equal(`${sale?.['brand']} ${sale?.['batch']}`, 'visa 501')
  assert.equal(file.trailer['closing'], '0.00')
  assert.equal(rrn?.length, 12)
})

test('each capture is in one file, and the files form a chain of numbers, hashes and balances', async (t) => {
  const { close, make, refund, sell } = await aSettlingBank(t)
  const first = await sell(1000n)
  await sell(3000n, { batch: '502' })
  await close('501')
  const one = await make()
  await refund(first, 900n, '502')
  await close('502')

  const two = await make()

  assert.deepEqual([one.head['seq'], two.head['seq']], [1, 2])
  assert.equal(two.head['prev_sha256'], one.trailer['sha256'])
  assert.equal(two.head['opening'], one.trailer['closing'])
  assert.deepEqual(shown(one)[0], 'sale 10.00 9.86')
  assert.deepEqual(shown(two).slice(0, 2), ['sale 30.00 29.78', 'refund -9.00 -9.08'])
  const ids = [...one.lines, ...two.lines].map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})

test('nothing is made where nothing waits', async (t) => {
  const { close, make, sell, settlement } = await aSettlingBank(t)
  await sell(1000n)
  assert.deepEqual(await settlement.makeNow(MERCHANT, null, null), [])
  await close()
  await make()

  assert.deepEqual(await settlement.makeNow(MERCHANT, null, null), [])
})

test('7.00 euros are in the file of US dollars, with the published rate', async (t) => {
  const { close, make, sell } = await aSettlingBank(t)
  await sell(700n, { currency: '978' })
  await close('501', '978')

  const { head, lines } = await make()

  assert.equal(head['currency'], 'USD')
  assert.deepEqual(lines[0]?.['orig'], { amount: '7.00', currency: 'EUR', rate: '0.812345' })
  assert.equal(lines[0]?.['gross'], '5.69')
})

test('a balance below zero is carried to the next file without a payout', async (t) => {
  const { close, make, refund, sell } = await aSettlingBank(t)
  const order = await sell(1000n, { batch: '502' })
  await refund(order, 1000n, '501')
  await close('501')
  const one = await make()
  await close('502')

  const two = await make()

  assert.deepEqual(shown(one), ['refund -10.00 -10.08'])
  assert.equal(one.trailer['closing'], '-10.08')
  assert.equal(two.head['opening'], '-10.08')
  assert.deepEqual(shown(two), ['sale 10.00 9.86'])
  assert.equal(two.trailer['closing'], '-0.22')
})

test('a void behind the file is an adjustment in the next one, which names the corrected line', async (t) => {
  const { bank, close, make } = await aSettlingBank(t)
  const order = anAuthorization()
  const capture = aCapture(order, 1000n)
  await bank.send(order)
  await bank.send(capture)
  const one = await make()
  assert.equal((await bank.send(aReversal(capture))).fields[39], '00')

  const two = await make()

  assert.deepEqual(shown(two), ['adjustment -10.00 -10.00'])
  assert.equal(two.lines[0]?.['corrects'], one.lines[0]?.['id'])
  await close()
})

test('a reserve is held back, released on its day, and the scheme charges each month once', async (t) => {
  const { close, make, sell, settlement } = await aSettlingBank(t)
  await settlement.setReserve(
    { merchant: MERCHANT, currency: '840' },
    { rateMillionths: 50_000, days: 30 },
  )
  await sell(23_910n)
  await close('501')
  const one = await make('2026-03-14')
  await sell(1000n, { batch: '502' })
  await close('502')

  const two = await make('2026-04-13')

  assert.deepEqual(one.lines[1]?.['gross'], '-11.96')
  assert.deepEqual(shown(two), [
    'sale 10.00 9.86',
    'fee 0.00 -10.00',
    'reserve_release 11.96 11.96',
    'reserve_hold -0.50 -0.50',
    'payout -11.32 -11.32',
  ])
  assert.equal(two.lines[1]?.['period'], '2026-03')
})

test('lines of disputes are in the next file', async (t) => {
  const { make, settlement } = await aSettlingBank(t)
  const chain = { merchant: MERCHANT, currency: '840' }
  const keys = { case: 'C-1', order: '400001/TERM0001/000001/0314120000' }
  await settlement.addDisputeLine(chain, {
    kind: 'chargeback',
    ...keys,
    reason: '10.4',
    gross: '-6000',
  })
  await settlement.addDisputeLine(chain, {
    kind: 'dispute_fee',
    ...keys,
    gross: '0',
    fees: { dispute: '-1500' },
  })

  const file = await make()

  assert.deepEqual(shown(file), ['chargeback -60.00 -60.00', 'dispute_fee 0.00 -15.00'])
  assert.equal(file.trailer['closing'], '-75.00')
})

test('files of a day are made once the day ends at the bank or at a test site of the merchant', async (t) => {
  const { bank, close, sell, settlement } = await aSettlingBank(t)
  await sell(1000n)
  await close()
  assert.deepEqual(await settlement.makeDue(), [])
  await bank.send(anAuthorization({ tags: { BD: '20280301080000' } }))

  const made = await settlement.makeDue()

  assert.deepEqual(
    made.map(({ businessDate }) => businessDate),
    ['2028-02-29'],
  )
  await sell(1000n, { batch: '502' })
  await close('502')
  assert.deepEqual(await settlement.makeDue(), [])
  const days = await settlement.reachDay(MERCHANT, '2028-03-02')
  assert.deepEqual(
    days.map(({ businessDate }) => businessDate),
    ['2028-03-01'],
  )
})

for (const how of ['snapshot', 'journal'] as const) {
  test(`a file that was decided and not finished has the same bytes after a start from the ${how}`, async (t) => {
    const folder = await aFolder(t)
    const before = await aSettlingBank(t, folder)
    for (let at = 0; at < 30; at += 1) await before.sell(BigInt(1000 + at))
    await before.close()
    const whole = await before.make()
    await before.bank.close()
    await cutBehind(join(folder, 'journal.jsonl'), '"step":"decided"')
    await rm(join(folder, SNAPSHOT_NAME))
    await rm(join(folder, 'settlement'), { recursive: true })
    if (how === 'snapshot') {
      await (await aBank(t, folder)).close()
    }

    const after = await aSettlingBank(t, folder)

    const [file] = await after.settlement.list(new Set())
    assert.ok(file)
    assert.equal((await after.read(file)).text, whole.text)
    assert.deepEqual(await after.settlement.makeNow(MERCHANT, null, null), [])
  })
}

/** Cuts the journal behind the first line with a text. */
async function cutBehind(path: string, mark: string): Promise<void> {
  const lines = (await readFile(path, 'latin1')).split('\n')
  const at = lines.findIndex((line) => line.includes(mark))
  assert.ok(at > 0)
  await writeFile(path, `${lines.slice(0, at + 1).join('\n')}\n`, 'latin1')
}

test('a batch that is closed once more after a restart is settled once', async (t) => {
  const folder = await aFolder(t)
  const first = await aSettlingBank(t, folder)
  await first.sell(1000n)
  await first.close()
  await first.bank.close()

  const { close, make, settlement } = await aSettlingBank(t, folder)
  const { lines } = await make()
  await close()

  assert.equal(lines.filter(({ kind }) => kind === 'sale').length, 1)
  assert.deepEqual(await settlement.makeNow(MERCHANT, null, null), [])
})
