import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allTargets, fuzz } from '../../tools/fuzz/fuzz.ts'

/** Few inputs of one target of each kind; fuzz.test.ts has every target and many more inputs. */
const INPUTS: Readonly<Record<string, number>> = { forms: 100, framing: 200, writers: 100 }

const targets = await allTargets()
for (const [name, inputs] of Object.entries(INPUTS)) {
  test(`${name}: nothing is found within ${inputs} inputs`, async (t) => {
    const report = await fuzz({
      seed: '414',
      each: { inputsOf: () => inputs },
      targets: targets.filter((target) => target.name === name),
      tell: (line) => t.diagnostic(line),
    })
    for (const [property, { what, input }] of report.failures) {
      assert.fail(`${property}: ${what}\nThe smallest input that shows it:\n${input}`)
    }
    assert.ok((report.inputs.get(name) ?? 0) >= inputs, 'too few inputs were tried')
  })
}
