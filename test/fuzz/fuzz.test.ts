import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { allTargets, fuzz, type FuzzReport } from '../../tools/fuzz/fuzz.ts'

/** Enough to meet every kind of input; `npm run fuzz` goes on for as long as one likes. */
const INPUTS: Readonly<Record<string, number>> = {
  'bank-link': 12,
  'field-page': 400,
  forms: 900,
  framing: 1_000,
  http: 500,
  iso8583: 60,
  'three-ds': 250,
  tokens: 400,
  writers: 600,
}
const SEED = '414'

const targets = await allTargets()

const inputsOf = (target: string): number => INPUTS[target] ?? 100

// One Tollgate for all targets, as in `npm run fuzz`: to start one costs as much as to fuzz it.
let report: FuzzReport
const said: string[] = []
before(async () => {
  const tell = (line: string) => void said.push(line)
  report = await fuzz({ seed: SEED, each: { inputsOf }, targets, tell })
})

test('the run finds nothing in any target, and its books agree at the end', (t) => {
  for (const line of said) t.diagnostic(line)
  for (const [name, { what, input }] of report.failures) {
    assert.fail(`${name}: ${what}\nThe smallest input that shows it:\n${input}`)
  }
})

for (const target of targets) {
  test(`${target.name}: nothing is found in a short run`, () => {
    assert.equal(report.failures.get(target.name), undefined)
    const tried = report.inputs.get(target.name) ?? 0
    assert.ok(tried >= inputsOf(target.name), 'too few inputs were tried')
    const heard = report.answers.get(target.name) ?? new Map<string, number>()
    if (target.name === 'forms') {
      // Without approvals, the run would test only how requests are refused.
      for (const action of ['CCAUTHORIZE', 'CCAUTHCAP', 'CCCAPTURE', 'CCCREDIT', 'CCREVERSE']) {
        assert.ok((heard.get(`${action} APPROVED`) ?? 0) > 0, `no ${action} was approved`)
      }
      assert.ok((heard.get('the events of an order') ?? 0) > 0, 'no order was shown')
    }
    if (target.name === 'field-page') {
      for (const told of ['GET 200', 'GET 404', 'POST 204', 'POST 415']) {
        assert.ok((heard.get(told) ?? 0) > 0, `nothing was answered with ${told}`)
      }
    }
    if (target.name === 'tokens') {
      assert.ok((heard.get('a token') ?? 0) > 0, 'no token was given')
    }
    if (target.name === 'three-ds') {
      for (const page of ['Collect', 'StepUp']) {
        for (const status of [200, 400]) {
          assert.ok(
            (heard.get(`/V2/Cruise/${page} ${status}`) ?? 0) > 0,
            `${page} never answered ${status}`,
          )
        }
      }
    }
    if (target.name === 'http') {
      for (const status of [200, 400, 404, 405, 413, 431]) {
        const met = [...heard.keys()].some((what) => what.endsWith(`: ${status}`))
        assert.ok(met, `no answer had the status ${status}`)
      }
    }
  })
}

test('every target is known by the name of its file', () => {
  assert.deepEqual(
    targets.map(({ name }) => name),
    [
      'bank-link',
      'field-page',
      'forms',
      'framing',
      'http',
      'iso8583',
      'three-ds',
      'tokens',
      'writers',
    ],
  )
})
