import { decodePrivateData, encodePrivateData, encodeTotals, messageKey } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { linkTo } from '../support/bank-process.ts'
import { ask, startTestBank } from '../support/running-bank.ts'
import { aCapture, aFolder, anAuthorization } from '../support/test-bank.ts'
import { schemaFaults } from './settlement-schema.ts'
import { MERCHANT, aSettlingBank, parsed, shown } from './settling.ts'

const CHAIN = { merchant: MERCHANT, currency: '840' }

/** A bank in this process whose batch 501 has sales of these amounts, and is closed. */
async function aSoldBank(t: TestContext, amounts: readonly bigint[]) {
  const { bank, url } = await startTestBank(t)
  const link = await linkTo(t, bank.port)
  for (const minor of amounts) {
    const order = anAuthorization({ minor })
    for (const message of [order, inBatch(aCapture(order, minor))]) {
      assert.equal((await ask(link, message)).fields[39], '00')
    }
  }
  const header = { 7: '0314120000', 11: '900001', 32: '400001', 41: 'TERM0001', 42: MERCHANT }
  const { fields } = encodeTotals([])
  const close = { ...header, ...fields, 48: encodePrivateData({ BN: '501' }), 50: '840' }
  await ask(link, { mti: '0500', fields: close })
  const call = async (path: string, body?: object) => {
    const init = { method: 'POST', body: JSON.stringify(body) }
    const headers = { 'content-type': 'application/json' }
    const address = new URL(`/books/settlement${path}`, url)
    const answer = await fetch(address, body === undefined ? {} : { ...init, headers })
    return { status: answer.status, text: await answer.text() }
  }
  const names = (text: string) =>
    (JSON.parse(text) as { files: { name: string }[] }).files.map(({ name }) => name)
  return { call, names }
}

function inBatch(message: IsoMessage): IsoMessage {
  const tags = decodePrivateData(message.fields[48] ?? '')
  const data = encodePrivateData({ ...tags, BN: '501', BR: 'VISA' })
  return { ...message, fields: { ...message.fields, 48: data } }
}

test('the control API makes, lists and sends a file, as JSON Lines and as CSV', async (t) => {
  const { call, names } = await aSoldBank(t, [1000n, 911_205n])

  const made = await call('', { merchant: MERCHANT })

  assert.equal(made.status, 201)
  const name = 'TGS-bank-demo-MERCHANT0001-USD-000001.jsonl'
  assert.deepEqual(names(made.text), [name])
  assert.deepEqual(names((await call('?merchant=OTHER')).text), [])
  assert.deepEqual(names((await call(`?merchant=${MERCHANT}`)).text), [name])
  const { text } = await call(`/file?name=${name}`)
  assert.deepEqual(schemaFaults(text), [])
  assert.deepEqual(shown(parsed(text)), [
    'sale 10.00 9.86',
    'reject 0.00 0.00',
    'payout -9.86 -9.86',
  ])
  assert.deepEqual(parsed(text).lines[1]?.['orig'], { amount: '9112.05', currency: 'USD' })
  const csv = (await call(`/file?name=${name.replace('.jsonl', '.csv')}`)).text.split('\r\n')
  assert.equal(csv.length, 5)
  assert.match(csv[3] ?? '', /^"3","MERCHANT0001-840-1-3","payout",.*"-9\.86"$/)
})

test('the control API plants a difference, corrects it, and takes a dispute and a reserve', async (t) => {
  const { call, names } = await aSoldBank(t, [10_000n])
  assert.equal((await call('/plants', { ...CHAIN, kind: 'changed_digit' })).status, 201)
  assert.equal((await call('/reserve', { ...CHAIN, percent: 5, days: 30 })).status, 200)
  const dispute = { ...CHAIN, kind: 'chargeback', minor: '2500', case: 'C-7', reason: '13.1' }
  assert.equal((await call('/disputes', dispute)).status, 201)
  const [name = ''] = names((await call('', { merchant: MERCHANT })).text)
  const damaged = (await call(`/file?name=${name}`)).text

  assert.equal((await call('/correct', { name })).status, 200)

  const sound = parsed((await call(`/file?name=${name}`)).text)
  assert.notEqual(damaged, sound.text)
  assert.deepEqual(shown(sound), [
    'sale 100.00 99.51',
    'chargeback -25.00 -25.00',
    'reserve_hold -5.00 -5.00',
    'payout -69.51 -69.51',
  ])
})

test('the next file rejects a capture and a refund that the control API names, also after a restart', async (t) => {
  const folder = await aFolder(t)
  const first = await aSettlingBank(t, folder)
  const order = await first.sell(1000n)
  const kept = await first.sell(2000n)
  await first.refund(kept, 500n)
  const keys = [...first.bank.store.books.messages.all()]
    .filter(([, { kind }]) => kind === 'capture' || kind === 'refund')
    .map(([key]) => key)
  const [capture = '', , refund = ''] = keys
  for (const key of [capture, refund, capture]) await first.settlement.reject(MERCHANT, key)
  await first.close()
  await first.bank.close()

  const { make, settlement } = await aSettlingBank(t, folder)

  const file = await make()
  const sold = file.lines.find(({ kind }) => kind === 'sale')
  assert.deepEqual(shown(file), [
    'reject 0.00 0.00',
    'sale 20.00 19.82',
    'reject 0.00 0.00',
    'payout -19.82 -19.82',
  ])
  assert.deepEqual(file.lines[2]?.['orig'], { amount: '5.00', currency: 'USD' })
  const sale = String(sold?.['ref'])
  const refusals: readonly [merchant: string, key: string, why: RegExp][] = [
    ['OTHER', capture, /Merchant OTHER has no capture or refund/],
    [MERCHANT, messageKey(order), /has no capture or refund/],
    [MERCHANT, sale, /is in settlement file 1 already, so no file can reject it/],
  ]
  for (const [merchant, key, why] of refusals) {
    await assert.rejects(settlement.reject(merchant, key), why)
  }
})

test('the control API refuses what it does not understand, with the reason', async (t) => {
  const { call } = await aSoldBank(t, [])
  const cases: readonly [path: string, body: object, status: number, reason: RegExp][] = [
    [
      '/plants',
      { ...CHAIN, kind: 'no_such' },
      400,
      /kind is .*no_such.*; it must be one of cent_less/,
    ],
    ['/plants', { ...CHAIN, kind: 'cut_off', name: 'TGS-none.jsonl' }, 404, /no settlement file/],
    [
      '/plants',
      { name: 'TGS-none.jsonl', kind: 'cent_less' },
      400,
      /cannot be given to a finished/,
    ],
    ['/disputes', { ...CHAIN, kind: 'chargeback', minor: '-1', case: 'C-1' }, 400, /above zero/],
    [
      '/reserve',
      { ...CHAIN, percent: 5 },
      400,
      /days is missing; it must be a whole number from 1/,
    ],
    [
      '',
      { merchant: MERCHANT, businessDate: '2026-13-01' },
      400,
      /businessDate is .*2026-13-01.*; it must be a day/,
    ],
    ['/nothing', {}, 404, /docs\/settlement-file.md/],
  ]
  for (const [path, body, status, reason] of cases) {
    const answer = await call(path, body)
    assert.equal(answer.status, status, path)
    assert.match(answer.text, reason)
  }
})
