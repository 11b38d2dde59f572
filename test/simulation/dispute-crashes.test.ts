import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { playDisputes, type BrokenRule } from './dispute-world.ts'

/** The schedules, and how many moments apart their deaths are: of the first, each moment. */
const STRIDES = { 1: 1, 2: 9, 3: 11 } as const
const SEEDS = Object.keys(STRIDES).map(Number)
const MANY_DEATHS = 60

const BROKEN = {
  notices_in_one_transaction: 'notices are recorded statement by statement',
  sent_after_sending: 'an answer counts as sent before it is sent',
  answers_keep_their_id: 'an answer is sent again under another id',
  notices_behind_the_last: 'a notice is left out',
} as const satisfies Readonly<Record<BrokenRule, string>>

/** The first schedule with a death that a broken rule does not survive; null for none. */
async function firstFind(broken: BrokenRule): Promise<readonly string[] | null> {
  for (const seed of SEEDS) {
    const { moments } = await playDisputes({ seed, deaths: [] })
    for (let death = 0; death < moments; death += 3) {
      const played = await playDisputes({ seed, deaths: [death], broken })
      if (played.broken.length > 0) return played.broken
    }
  }
  return null
}

suite('disputes of every way, by two processes at once', () => {
  test('come to their ends on both sides alike', async () => {
    for (const seed of SEEDS) {
      const { broken, moments } = await playDisputes({ seed, deaths: [] })
      assert.deepEqual(broken, [], `seed ${seed}`)
      assert.ok(moments > 100, `only ${moments} moments`)
    }
  })

  test('do so with a death between any two statements and messages', async () => {
    for (const [name, stride] of Object.entries(STRIDES)) {
      const seed = Number(name)
      const { moments } = await playDisputes({ seed, deaths: [] })
      for (let death = 0; death < moments; death += stride) {
        const { broken } = await playDisputes({ seed, deaths: [death] })
        assert.deepEqual(broken, [], `seed ${seed}, death ${death}`)
      }
    }
  })

  test('do so with many deaths', async () => {
    for (let seed = 100; seed < 100 + MANY_DEATHS; seed += 1) {
      const deaths = Array.from({ length: 6 }, (_, at) => (seed * 37 + at * 53) % 400)
      const { broken } = await playDisputes({ seed, deaths })
      assert.deepEqual(broken, [], `seed ${seed}, deaths ${deaths.join()}`)
    }
  })

  for (const [rule, sentence] of Object.entries(BROKEN)) {
    test(`would be found out where ${sentence}`, async () => {
      assert.notEqual(await firstFind(rule as BrokenRule), null)
    })
  }
})
