import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesUnder, read, sourceFiles } from './source-text.ts'
import { idleExceptions, wireBreaches, wireNames } from './wire-names.ts'

const NAMES = wireNames(filesUnder('packages/gateway/src/http', '.ts').map(read))
const USE_CASE = 'packages/gateway/src/usecases/payments/some-rule.ts'

test('behind http no source has a wire name, a status of HTTP or a response code of the bank', () => {
  const breaches = sourceFiles().flatMap((path) => wireBreaches(path, read(path), NAMES))
  assert.deepEqual(breaches, [])
})

test('every exception of the guard of wire names is needed', () => {
  const files = sourceFiles().map((path) => ({ path, text: read(path) }))
  assert.deepEqual(idleExceptions(files, NAMES), [])
})

test('the guard of wire names knows parameters, actions and fields of answers', () => {
  for (const name of ['PMT_L4', 'PMT_LAST4', 'LI_VALUE', 'CCCREDIT', 'CARD_PAN', 'CHKAVS'])
    assert.ok(NAMES.has(name), name)
  for (const name of ['TRANS_STATUS_NAME', 'PO_LI_ID', 'MBSHP_ID', 'REF_FIELD', 'DDC_URL'])
    assert.ok(NAMES.has(name), name)
})

for (const [what, code] of [
  ['a parameter', "const field = 'PMT_L4'"],
  ['a parameter of a line', 'return { LI_VALUE_1: amount }'],
  ['a parameter of any line', 'return `LI_VALUE_${line}`'],
  ['an action', "const action = 'CCCREDIT'"],
  ['a field of an answer', "view['TRANS_STATUS_NAME']"],
  ['a status', 'return { status: 404 }'],
  ['a status of a refusal', "return refusal(409, 'changed')"],
  ['a response code', "if (answer.responseCode === '05') return null"],
  ['a response code in SQL', "`where response_code in ('00', '85')`"],
] as const) {
  test(`the guard reports ${what} in a use case, and not in http`, () => {
    assert.equal(wireBreaches(USE_CASE, code, NAMES).length, 1)
    assert.deepEqual(wireBreaches('packages/gateway/src/http/x/y.ts', code, NAMES), [])
  })
}

test('a name in a comment and a word that only begins like one are left alone', () => {
  const code = "/** PMT_L4 on the wire. */\nconst PMT_L4S = 'PMT'\nconst TRIES = 404"
  assert.deepEqual(wireBreaches(USE_CASE, code, NAMES), [])
})

test('the guard reports a wire name and a response code in routes and words of the portal', () => {
  for (const place of ['portal/order/routes/x.ts', 'portal/words/x.ts', 'portal/shell/x.ts']) {
    const path = `packages/gateway/src/${place}`
    assert.equal(wireBreaches(path, "parameters['CCCREDIT']", NAMES).length, 1, place)
    assert.equal(wireBreaches(path, "row.responseCode !== '00'", NAMES).length, 1, place)
    assert.deepEqual(wireBreaches(path, 'throw new PortalFault(404)', NAMES), [], place)
  }
})

test('the guard reports a wire name and a status in the kernel', () => {
  const path = 'packages/kernel/src/x.ts'
  assert.equal(wireBreaches(path, "const action = 'CCCREDIT'", NAMES).length, 1)
  assert.equal(wireBreaches(path, 'return { status: 404 }', NAMES).length, 1)
})
