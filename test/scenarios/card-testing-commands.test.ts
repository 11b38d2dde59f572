import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { EXPIRY, outcome, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { numbersOf } from '../support/stolen-cards.ts'

let gateway: RunningGateway
let folder: string
before(async () => {
  gateway = await startRunningGateway()
  folder = mkdtempSync(join(tmpdir(), 'tollgate-card-testing-'))
})
after(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const tollgate = (...args: readonly string[]): Promise<Ran> =>
  runHere(['card-testing', ...args], operatorSettings(gateway, folder))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

test('an operator goes from the first rules over watch to enforce by commands alone', async () => {
  const first = await tollgate('show', '1001')
  const early = await tollgate('mode', '1001', 'watch')
  const defaults = await tollgate('defaults')
  const rules = file('rules.json', defaults.output)
  const put = await tollgate('put', '1001', rules)
  const watch = await tollgate('mode', '1001', 'watch')
  const again = await tollgate('mode', '1001', 'watch')
  const sell = async (cardNumber: string) =>
    gateway.client().sale({
      cardNumber,
      expiry: EXPIRY,
      amount: '3.00',
      customer: { ipAddress: '203.0.113.4' },
    })
  const answers = []
  for (const card of numbersOf('411111', 15)) answers.push(await sell(card))
  await untilRow(gateway, 'five are kept', 'select 1 from card_testing_hits having count(*) = 5')
  await untilRow(
    gateway,
    'all are logged',
    `select 1 from requests where state = 'APPROVED' having count(*) = 15`,
  )
  const shown = await tollgate('show', '1001')
  const tried = await tollgate('try', '1001', rules)
  const enforce = await tollgate('mode', '1001', 'enforce')

  assert.deepEqual(first, { code: 0, output: 'Site 1001: off, no rules.\n' })
  assert.equal(early.code, 1)
  assert.match(
    early.output,
    /^Site 1001 has no rules yet\. "tollgate card-testing defaults > rules\.json" writes/,
  )
  assert.equal(put.code, 0)
  assert.match(
    put.output,
    /^Site 1001 has the rules of revision 1; its mode is off\.\nCounting starts with /,
  )
  assert.match(
    watch.output,
    /^Card testing at site 1001: watch \(was: off\); running gateways apply it/,
  )
  assert.deepEqual(again, {
    code: 1,
    output: 'Site 1001 has it on watch already.\nNothing was changed.\n',
  })
  assert.deepEqual(new Set(answers.map(outcome)), new Set(['APPROVED 0/100']))
  assert.match(
    shown.output,
    /^Site 1001: watch, rules of revision 1\.\n {2}card-declines: 5 declines of each card in 3600 s, else SERVICE 215\n {4}no hits/,
  )
  assert.match(
    shown.output,
    /\n {2}address-cards: .*\n {4}5 hits in the last hour, 5 in the last 24 \(0 refused, 5 watched\), the last at \S+Z, TRANS_ID \d+\n/,
  )
  assert.match(
    tried.output,
    /^Site 1001, last 7 days: 15 payments; the rules apply to 15 of them\.\nThe rules would have refused 5, of which the bank approved 5\.\n/,
  )
  assert.match(tried.output, /\n {2}address-cards: 5, of which the bank approved 5\n/)
  assert.equal(enforce.code, 0)
})

test('an invalid file changes nothing, and a misspelt command prints the usage', async () => {
  const bad = file(
    'bad.json',
    '{"rules": [{"name": "a", "subject": "card", "counts": "cards", "limit": 1, "windowSeconds": 60}]}',
  )

  assert.deepEqual(await tollgate('put', '1002', bad), {
    code: 1,
    output:
      'rules.0 ("a") counts the cards of one card, which is always 1.\nNothing was changed.\n',
  })
  assert.deepEqual(await tollgate('show', '1002'), {
    code: 0,
    output: 'Site 1002: off, no rules.\n',
  })
  assert.deepEqual(await tollgate('show', '999'), { code: 1, output: 'Site 999 does not exist.\n' })
  for (const args of [
    [],
    ['mode', '1001', 'on'],
    ['put', '1001'],
    ['show', 'x'],
    ['try', '1001', bad, '0'],
  ]) {
    const { code, output } = await tollgate(...args)
    assert.deepEqual(
      [code, output.split('\n')[0]],
      [1, 'Usage: tollgate card-testing show <SITE_ID>'],
    )
  }
})
