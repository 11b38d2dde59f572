import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  adviceOf,
  REFUSALS,
  type WireRefusal,
} from '../../packages/gateway/src/http/payment/refusals.ts'
import { createPublishedSites } from '../../packages/gateway/src/wiring/published-sites.ts'
import { codes } from '../support/memberships.ts'
import { type Answer } from '../support/outcomes/answer.ts'
import {
  askTheUpdater,
  authenticateEveryBrand,
  payWithEveryBrand,
} from '../support/outcomes/card-recipes.ts'
import { disputeInEveryWay } from '../support/outcomes/dispute-recipes.ts'
import { GROUPS, type GroupName } from '../support/outcomes/groups.ts'
import { askEveryIssuer } from '../support/outcomes/issuer-recipes.ts'
import { inLanes } from '../support/outcomes/lanes.ts'
import { endEveryMembership, readEveryRow } from '../support/outcomes/life-recipes.ts'
import { judgeGroup, type OutcomeGroup } from '../support/outcomes/outcome-group.ts'
import { REFUSAL_RECIPES } from '../support/outcomes/refusal-recipes.ts'
import { readSettlementEvents, settleEverything } from '../support/outcomes/settlement-recipes.ts'
import { siteDifferences } from '../support/outcomes/site-trials.ts'
import { startSweep, type Sweep } from '../support/outcomes/sweep.ts'
import { tableOf } from '../support/outcomes/table.ts'
import { askForTokens } from '../support/outcomes/token-recipes.ts'
import { trialDifferences } from '../support/outcomes/value-trials.ts'
import { sendEveryCode, sendEveryLetter, sendEveryWord } from '../support/outcomes/word-recipes.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { untilCardRanges } from '../support/three-ds.ts'

let gateway: RunningGateway
let sweep: Sweep
before(async () => {
  const settings = { BANK_TIMEOUT_MS: '3000' }
  gateway = await startRunningGateway(settings, undefined, {}, { timeScale: 50 })
  await untilCardRanges(gateway)
  sweep = startSweep(gateway)
})
after(() => gateway?.stop())

/** The fields that differ from the refusal's row of docs/codes.md; '' for none. */
function differenceOf(refusal: WireRefusal, { fields, status }: Answer): string {
  const { code, httpStatus, layout, tier } = refusal
  const isApi = tier === 'api'
  const expected = {
    HTTP: String(httpStatus),
    TRANS_STATUS_NAME: layout === 'adjustment' ? 'DECLINED' : '',
    [isApi ? 'API_RESPONSE' : 'SERVICE_RESPONSE']: String(code),
    [isApi ? 'API_ADVICE' : 'SERVICE_ADVICE']: adviceOf(refusal),
  }
  const found: Readonly<Record<string, string>> = { ...fields, HTTP: String(status) }
  return Object.entries(expected)
    .filter(([name, value]) => (found[name] ?? '') !== value)
    .map(([name, value]) => `${name} is ${found[name]} and not ${value}`)
    .join(', ')
}

suite('every documented outcome', () => {
  test('every payment that /sandbox/values publishes has the published answer', async () => {
    assert.deepEqual(await trialDifferences(sweep), [])
  })

  test('each published site and user gives each answer that it is published with', async () => {
    assert.deepEqual(await siteDifferences(sweep), [])
  })

  test('each of forty concurrent sales gets the response code that it asks for, for every code', async () => {
    assert.deepEqual(await sendEveryCode(sweep), [])
  })

  test('each of forty concurrent sales gets the AVS and CVV results that it asks for', async () => {
    assert.deepEqual(await sendEveryLetter(sweep), [])
  })

  test('each refusal of a payment request has the tier, code, text, status and HTTP status of its row', async () => {
    const wrong: string[] = []
    const send = async (name: keyof typeof REFUSAL_RECIPES): Promise<void> => {
      const difference = differenceOf(REFUSALS[name], await REFUSAL_RECIPES[name](sweep))
      if (difference === '') sweep.see('refusals', name)
      else wrong.push(`${name}: ${difference}`)
    }
    const names = Object.keys(REFUSAL_RECIPES) as (keyof typeof REFUSAL_RECIPES)[]
    // The others void captures of the batch that it closes.
    const last = 'batch_closed'
    await inLanes(
      names.filter((name) => name !== last),
      send,
    )
    await send(last)
    assert.deepEqual(wrong, [])
  })

  test('each refusal of the token service has its code, text and HTTP status', async () => {
    assert.deepEqual(await askForTokens(sweep), [])
  })

  test('each card of 3-D Secure has the answer of its issuer, or its challenge', async () => {
    assert.deepEqual(await askEveryIssuer(sweep), [])
  })

  test('each group of outcomes is whole: produced here, by a named test, or an exception with its reason', async (t) => {
    await Promise.all([
      sendEveryWord(sweep),
      payWithEveryBrand(sweep),
      authenticateEveryBrand(sweep),
      askTheUpdater(sweep),
      endEveryMembership(sweep),
      disputeInEveryWay(sweep),
      readEveryRow(sweep),
    ])
    await settleEverything(sweep)
    await readSettlementEvents(sweep)
    const results = Object.entries<OutcomeGroup>(GROUPS).map(([name, group]) =>
      judgeGroup(group, sweep.seen(name as GroupName)),
    )
    for (const line of tableOf(results).split('\n')) t.diagnostic(line)
    assert.deepEqual(
      results.flatMap(({ faults }) => faults),
      [],
    )
  })
})

suite('published sites', () => {
  test('the next start puts a changed published site back, and takes no foreign merchant for its own', async () => {
    await gateway.pool.query(`update merchant_accounts set brands = null where id = 9105`)
    await gateway.pool.query(`update sites set catalogue = 'open' where id = 9001`)
    await createPublishedSites(gateway.pool)
    const { rows } = await gateway.pool.query(
      `select catalogue, brands from sites s, merchant_accounts a where s.id = 9001 and a.id = 9105`,
    )
    assert.deepEqual(rows, [{ catalogue: 'strict', brands: ['Visa'] }])
    await gateway.pool.query(`update merchants set name = 'Corner Shop' where id = 80`)
    assert.deepEqual(await createPublishedSites(gateway.pool), [])
    await gateway.pool.query(`update merchants set name = 'Situations' where id = 80`)
  })

  test('the published sites belong to a merchant of their own, so the demo user cannot use them', async () => {
    const { fields } = await sweep.send({ REQUEST_ACTION: 'TESTGW', SITE_ID: '9001' })
    assert.equal(codes(fields), '- 103/0 SITE_ID')
  })
})
