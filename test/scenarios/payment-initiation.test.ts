import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ask, codes, monthly, sale } from '../support/memberships.ts'
import { daysUntilExpiry, MASTERCARD, newReference, VISA } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

let gateway: RunningGateway

before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway.stop())

const PAGE = new URL('../../docs/integrators/saved-cards.md', import.meta.url)

/** The rows of the page's table of customer- and merchant-initiated payments. */
function situations(): string[][] {
  const [, rest = ''] = readFileSync(PAGE, 'utf8').split('| Situation |')
  const lines = rest.slice(0, rest.indexOf('\n\n')).split('\n').slice(2)
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** `absent, INITIAL or TRIAL` as three values; null for the one that is not sent. */
function valuesOf(cell = ''): (string | null)[] {
  return cell.split(/, | or /).map((value) => (value === 'absent' ? null : value))
}

/** The last CI that the bank got, or `nothing` if the last payment had none. */
function bankWasTold(): string {
  const text = readFileSync(
    join(gateway.nodeSettings['DATA_DIR'] ?? '', 'bank', 'journal.jsonl'),
    'utf8',
  )
  const payments = text
    .trimEnd()
    .split('\n')
    .filter((line) => line.includes('"kind":"auth'))
  return /"initiation":"(\w+)"/.exec(payments.at(-1) ?? '')?.[1] ?? 'nothing'
}

test('the bank gets the CI that the table of saved-cards.md states, for each combination', async () => {
  const saved = await ask(gateway, sale())
  const rows = situations()
  assert.equal(rows.length, 10)
  let tried = 0
  for (const [situation = '', initiators, rebills, instalments, types, told] of rows) {
    for (const REQUEST_INITATOR of valuesOf(initiators))
      for (const REQUEST_REBILL of valuesOf(rebills))
        for (const REQUEST_INSTALLMENT of valuesOf(instalments))
          for (const TRANS_REBILL_TYPE of valuesOf(types)) {
            tried += 1
            const said = {
              REQUEST_INITATOR,
              REQUEST_REBILL,
              REQUEST_INSTALLMENT,
              TRANS_REBILL_TYPE,
            }
            const answer = await ask(gateway, {
              ...sale({
                LI_VALUE_1: '3.00',
                PMT_KEY: '123',
                MBSHP_ID_XTL: `sub-${tried}`,
                ORIG_CARD_BRAND_TRANSID: '1',
              }),
              ...(situation.includes('saved card')
                ? { PMT_NUMB: null, PMT_EXPIRY: null, CUST_ID: saved['CUST_ID'] ?? '' }
                : {}),
              ...(situation.includes('membership') ? monthly('Gold') : {}),
              ...said,
            })
            const what = `${situation}: ${JSON.stringify(said)}`
            assert.equal(codes(answer), 'APPROVED 0/100', what)
            assert.equal(bankWasTold(), told, what)
          }
  }
  assert.ok(tried >= 40)
})

test('a subscription begins once under its id, and is renewed under no other', async () => {
  const form = (type: string, id: string, more = {}) =>
    sale({ PMT_KEY: '123', TRANS_REBILL_TYPE: type, MBSHP_ID_XTL: id, ...more })
  assert.equal(codes(await ask(gateway, form('REBILL', 'own-1'))), '- 113/0 MBSHP_ID_XTL')
  assert.equal(
    (await ask(gateway, form('INITIAL', 'own-1', { LI_VALUE_1: '6.35' })))['TRANS_STATUS_NAME'],
    'DECLINED',
  )
  const once = form('INITIAL', 'own-1', { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID: '2' })
  const first = await ask(gateway, once)
  assert.equal(codes(first), 'APPROVED 0/100')
  assert.equal((await ask(gateway, once))['TRANS_ID'], first['TRANS_ID'])
  assert.equal(codes(await ask(gateway, form('TRIAL', 'own-1'))), '- 113/0 MBSHP_ID_XTL')
  assert.equal(codes(await ask(gateway, form('REBILL', 'own-1'))), 'APPROVED 0/100')
  assert.equal(
    codes(await ask(gateway, form('REBILL', 'theirs', { PMT_NUMB_COF: '1' }))),
    'APPROVED 0/100',
  )
})

test('after a trial a subscription merchant needs consent and receipts for a Mastercard', async () => {
  await gateway.pool.query(`update merchant_accounts set category_code = '5968' where id = 2003`)
  const form = (type: string, more = {}) => ({
    ...sale({
      PMT_NUMB: '5555555555554444',
      PMT_KEY: '123',
      TRANS_REBILL_TYPE: type,
      MBSHP_ID_XTL: 'trial-1',
    }),
    ...credentials(1003),
    ...more,
  })
  assert.equal(codes(await ask(gateway, form('TRIAL'))), 'APPROVED 0/100')
  const consent = 'TRANS_TRIAL_REBILL_CUSTOMER_CONSENT'
  assert.equal(codes(await ask(gateway, form('REBILL'))), `- 110/0 ${consent}`)
  const renewal = await ask(gateway, form('REBILL', { [consent]: 'I agree' }))
  assert.equal(codes(renewal), 'APPROVED 0/100')
  assert.equal(codes(await ask(gateway, form('REBILL'))), '- 113/0 MBSHP_ID_XTL')
  await ask(gateway, {
    ...credentials(1003),
    REQUEST_ACTION: 'CCTRANSUPDATE',
    REQUEST_REF_PO_ID: renewal['PO_ID'] ?? '',
    TRANS_CUSTOMER_RECEIPT: 'thanks',
  })
  assert.equal(codes(await ask(gateway, form('REBILL'))), 'APPROVED 0/100')
})

test('a strict issuer approves a renewal that names the first payment of a membership, and no other', async () => {
  const card = { PMT_NUMB: '4012889000001101' }
  const first = await ask(gateway, sale({ ...card, ...monthly('Strict') }))
  assert.equal(codes(first), 'APPROVED 0/100')
  const renewal = {
    REQUEST_ACTION: 'CCAUTHCAP',
    CUST_ID: first['CUST_ID'] ?? '',
    REQUEST_REBILL: '1',
    LI_VALUE_1: '19.95',
  }
  const linked = { ...renewal, ORIG_CARD_BRAND_TRANSID: first['CARD_BRAND_TRANSID'] ?? '' }
  assert.equal(codes(await ask(gateway, linked)), 'APPROVED 0/100')
  assert.equal((await ask(gateway, renewal))['TRANS_STATUS_NAME'], 'DECLINED')
})

/** Every way in which requests say who begins a payment, and the days that a Visa card gives it. */
const BEGUN_BY: readonly (readonly [days: number, said: Readonly<Record<string, string>>])[] = [
  [9, {}],
  [9, { REQUEST_INITATOR: 'C' }],
  [9, { TRANS_REBILL_TYPE: 'INITIAL', MBSHP_ID_XTL: 'expiry-1' }],
  [9, { REQUEST_REBILL: '2' }],
  [4, { REQUEST_INITATOR: 'M' }],
  [4, { REQUEST_REBILL: '1' }],
  [4, { REQUEST_REBILL: '1', REQUEST_INSTALLMENT: '1' }],
  [4, { TRANS_REBILL_TYPE: 'REBILL', MBSHP_ID_XTL: 'expiry-1' }],
]

test('a Visa authorization expires after nine days, or after four when the merchant begins it', async () => {
  const saved = await ask(gateway, sale({ PMT_KEY: '123' }))
  for (const [days, said] of BEGUN_BY) {
    const form = { REQUEST_ACTION: 'CCAUTHORIZE', ...said }
    const bySent = await ask(gateway, sale({ PMT_NUMB: VISA, PMT_KEY: '123', ...form }))
    assert.equal(await daysUntilExpiry(gateway, bySent), days, `sent card: ${JSON.stringify(said)}`)
    if ('MBSHP_ID_XTL' in said) continue
    const bySaved = await ask(
      gateway,
      sale({ PMT_NUMB: null, PMT_EXPIRY: null, CUST_ID: saved['CUST_ID'] ?? '', ...form }),
    )
    assert.equal(
      await daysUntilExpiry(gateway, bySaved),
      days,
      `saved card: ${JSON.stringify(said)}`,
    )
  }
})

test('a Mastercard authorization expires after seven days, with either initiator', async () => {
  for (const REQUEST_INITATOR of ['C', 'M']) {
    const form = { REQUEST_ACTION: 'CCAUTHORIZE', PMT_NUMB: MASTERCARD, PMT_KEY: '123' }
    assert.equal(
      await daysUntilExpiry(gateway, await ask(gateway, sale({ ...form, REQUEST_INITATOR }))),
      7,
    )
  }
})
