import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ask, codes, monthly, sale } from '../support/memberships.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway

before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway.stop())

const PAGE = new URL('../../docs/integrators/interface.md', import.meta.url)

/** The rows of the page's table of who begins a payment. */
function situations(): string[][] {
  const [, rest = ''] = readFileSync(PAGE, 'utf8').split('| Situation |')
  const lines = rest.slice(0, rest.indexOf('\n\n')).split('\n').slice(2)
  return lines.map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()))
}

/** `absent, INITIAL or TRIAL` as three values; null for the one that is not sent. */
function valuesOf(cell = ''): (string | null)[] {
  return cell.split(/, | or /).map((value) => (value === 'absent' ? null : value))
}

/** The last CI that the bank was told, or `nothing` if the last payment had none. */
function bankWasTold(): string {
  const text = readFileSync(join(gateway.nodeSettings['DATA_DIR'] ?? '', 'bank', 'journal.jsonl'), 'utf8')
  const payments = text.trimEnd().split('\n').filter((line) => line.includes('"kind":"auth'))
  return /"initiation":"(\w+)"/.exec(payments.at(-1) ?? '')?.[1] ?? 'nothing'
}

test('the bank is told what the table of interface.md says, for each of its combinations', async () => {
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
            const said = { REQUEST_INITATOR, REQUEST_REBILL, REQUEST_INSTALLMENT, TRANS_REBILL_TYPE }
            const answer = await ask(gateway, {
              ...sale({ LI_VALUE_1: '3.00', PMT_KEY: '123', MBSHP_ID_XTL: `sub-${tried}` }),
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
