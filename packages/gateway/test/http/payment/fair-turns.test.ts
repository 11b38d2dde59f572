import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import {
  createFairTurns,
  NoTurnError,
  type FairTurns,
} from '../../../src/http/payment/fair-turns.ts'

/** Begins requests of senders, and keeps what became of them in their sequence. */
function senders(turns: FairTurns<string>) {
  const said: string[] = []
  return {
    said,
    async begin(name: string, sender = name.slice(0, 1)) {
      const waits = turns.begin(sender)
      if (waits === null) return void said.push(name)
      waits.then(
        () => said.push(name),
        (error: unknown) => said.push(error instanceof NoTurnError ? `no ${name}` : String(error)),
      )
      await settle()
    },
    async end() {
      turns.end()
      await settle()
    },
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

suite('turns', () => {
  test('turns go around the senders, however many requests one of them has waiting', async () => {
    const { said, begin, end } = senders(createFairTurns({ places: 1, waiting: 10 }))
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) await begin(name)
    assert.deepEqual(said, ['a1'])
    for (let left = 0; left < 6; left += 1) await end()
    assert.deepEqual(said, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  test('turns are refused to the sender that has most requests waiting, its newest first', async () => {
    const { said, begin, end } = senders(createFairTurns({ places: 1, waiting: 3 }))
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'a6']) await begin(name)
    assert.deepEqual(said, ['a1', 'no a5', 'no a4', 'no b2', 'no a6'])
    await end()
    await end()
    await end()
    assert.deepEqual(said.slice(5), ['a2', 'b1', 'a3'])
  })

  test('turns that wait too long are refused, and the next ones go on', async () => {
    const turns = createFairTurns<string>({ places: 1, waiting: 3, waitAtMostMs: 1 })
    assert.equal(turns.begin('a'), null)
    await assert.rejects(turns.begin('a') ?? Promise.resolve(), NoTurnError)
    turns.end()
    assert.equal(turns.begin('a'), null)
    assert.deepEqual(turns.counts(), { inWork: 1, waiting: 0, refused: 1 })
  })

  test('turns are lent while their request waits for another system', async () => {
    const turns = createFairTurns<string>({ places: 1, waiting: 3 })
    const { said, begin } = senders(turns)
    await begin('a1')
    await begin('b1')
    const bank = Promise.withResolvers<string>()
    const asked = turns.lend(() => bank.promise)
    await settle()
    assert.deepEqual(said, ['a1', 'b1'])
    await begin('c1')
    bank.resolve('approved')
    assert.equal(await asked, 'approved')
    assert.deepEqual(said, ['a1', 'b1'])
    turns.end()
    turns.end()
    await settle()
    assert.deepEqual(said, ['a1', 'b1', 'c1'])
  })

  test('no place stays empty while a request waits, and none is taken twice, in any sequence', async () => {
    const step = fc.oneof(
      fc.constantFrom('a', 'b', 'c').map((sender) => ({ kind: 'begin' as const, sender })),
      fc.constant({ kind: 'end' as const, sender: '' }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const turns = createFairTurns<string>({ places: 2, waiting: 4 })
        let begun = 0
        let ended = 0
        let refused = 0
        for (const { kind, sender } of steps) {
          if (kind === 'begin') {
            const waits = turns.begin(sender)
            if (waits === null) begun += 1
            else
              waits.then(
                () => (begun += 1),
                () => (refused += 1),
              )
          } else if (begun > ended) {
            ended += 1
            turns.end()
          }
          await Promise.resolve()
          await Promise.resolve()
          const { inWork, waiting } = turns.counts()
          assert.equal(inWork, begun - ended)
          assert.ok(inWork <= 2 && waiting <= 4, `${inWork} in work, ${waiting} waiting`)
          assert.ok(waiting === 0 || inWork === 2, `${waiting} wait beside ${inWork} in work`)
          assert.equal(turns.counts().refused, refused)
        }
        for (; begun > ended; ended += 1) {
          turns.end()
          await settle()
        }
      }),
    )
  })
})
