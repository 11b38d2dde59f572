import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import { verifyJournal } from '../../src/books/verify-journal.ts'
import { GOOD_VISA, aBank, aCapture, aCredit, aFolder } from '../support/test-bank.ts'
import { aPartialReversal, aRefund, aReversal } from '../support/test-bank.ts'
import { anAuthorization, moneyOf, repeated } from '../support/test-bank.ts'

type Movement = 'authorize' | 'capture' | 'refund' | 'credit'

type Kind = Movement | 'reverse' | 'lower' | 'repeat' | 'restart'

interface Step {
  readonly kind: Kind
  /** Which of the messages so far this one is about. */
  readonly pick: number
  readonly minor: bigint
}

/** The effect of one message, in the terms of the contract. */
interface Effect {
  readonly message: IsoMessage
  readonly kind: Movement | 'other'
  readonly order: Effect | null
  approved: bigint
  captured: bigint
  refunded: bigint
  reversed: boolean
  /** The unreversed part of a capture, refund or credit. */
  moved: bigint
  code: string
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom<Kind>(
    ...(['authorize', 'authorize', 'capture', 'capture', 'refund', 'credit'] as const),
    ...(['reverse', 'reverse', 'lower', 'repeat', 'restart'] as const),
  ),
  pick: fc.nat(1000),
  minor: fc.oneof(fc.bigInt(1n, 400n), fc.bigInt(1001n, 2000n)),
})

/** The contract once more, without books: only orders and what is left of them. */
class Model {
  readonly effects: Effect[] = []
  readonly unseenReversed = new Set<IsoMessage>()

  expect(message: IsoMessage, kind: Effect['kind'], order: Effect | null, minor: bigint): Effect {
    const effect: Effect = {
      message,
      kind,
      order,
      code: '00',
      approved: 0n,
      captured: 0n,
      refunded: 0n,
      reversed: false,
      moved: 0n,
    }
    if (this.unseenReversed.has(message)) effect.code = '21'
    else if (kind === 'authorize') effect.approved = minor
    else if (kind === 'credit') effect.moved = minor
    else if (kind === 'capture') this.#capture(effect, order, minor)
    else if (kind === 'refund') this.#refund(effect, order, minor)
    this.effects.push(effect)
    return effect
  }

  #capture(effect: Effect, order: Effect | null, minor: bigint): void {
    const canCapture =
      order !== null &&
      order.kind === 'authorize' &&
      order.code === '00' &&
      !order.reversed &&
      order.captured + minor <= order.approved
    if (!canCapture) effect.code = '76'
    else {
      order.captured += minor
      effect.moved = minor
    }
  }

  #refund(effect: Effect, order: Effect | null, minor: bigint): void {
    const isKnown = order !== null && order.kind === 'authorize' && order.code === '00'
    if (!isKnown || (order.reversed && order.captured === 0n)) effect.code = '76'
    else {
      order.refunded += minor
      effect.moved = minor
    }
  }

  reverse(target: Effect, remains: bigint | null): string {
    if (target.code !== '00' || target.kind === 'other') return '21'
    if (target.kind === 'authorize') {
      if (target.reversed) return '21'
      if (remains !== null && remains < target.captured) return '76'
      if (remains !== null && remains >= target.approved) return '21'
      target.approved = remains ?? target.captured
      target.reversed = remains === null
      return '00'
    }
    const left = remains ?? 0n
    if (left >= target.moved) return '21'
    const voided = target.moved - left
    target.moved = left
    const { order } = target
    if (target.kind === 'capture' && order !== null) {
      order.captured -= voided
      if (order.reversed) order.approved -= voided
    }
    return '00'
  }

  /** Everything is on one card that began with nothing. */
  money() {
    let [held, ledger] = [0n, 0n]
    for (const { approved, captured, kind, moved } of this.effects) {
      if (kind === 'authorize') held += approved - captured
      else if (kind === 'capture') ledger -= moved
      else ledger += moved
    }
    return { available: ledger - held, held, ledger }
  }
}

test('any run of messages leaves the books where the contract says, balanced', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
      const folder = await aFolder(t)
      let bank = await aBank(t, folder)
      const model = new Model()
      const answers = new Map<IsoMessage, IsoMessage>()
      const sendNew = async (message: IsoMessage, code: string) => {
        const answer = await bank.send(message)
        answers.set(message, answer)
        assert.equal(answer.fields[39], code)
      }

      for (const { kind, minor, pick } of steps) {
        // Few orders, so that much happens to each.
        const targets = model.effects.filter((effect) => effect.kind !== 'other').slice(0, 8)
        const target = targets[pick % Math.max(1, targets.length)] ?? null
        const order = target?.kind === 'authorize' ? target : (target?.order ?? null)
        const about = order?.message ?? anAuthorization()
        if (kind === 'restart') {
          await bank.close()
          bank = await aBank(t, folder)
        } else if (kind === 'repeat') {
          const [message, answer] = [...answers][pick % Math.max(1, answers.size)] ?? []
          if (message === undefined || answer === undefined) continue
          assert.deepEqual(await bank.send(repeated(message)), answer)
        } else if (kind === 'reverse' && pick % 5 === 0) {
          // The reversal overtakes its original.
          const late = anAuthorization({ minor })
          await sendNew(aReversal(late), '25')
          model.unseenReversed.add(late)
          await sendNew(late, model.expect(late, 'authorize', null, minor).code)
        } else if (kind === 'reverse' || kind === 'lower') {
          if (target === null) continue
          const message =
            kind === 'reverse' ? aReversal(target.message) : aPartialReversal(target.message, minor)
          await sendNew(message, model.reverse(target, kind === 'reverse' ? null : minor))
          model.expect(message, 'other', null, 0n)
        } else {
          const message = {
            authorize: () => anAuthorization({ minor }),
            capture: () => aCapture(about, minor),
            refund: () => aRefund(about, minor),
            credit: () => aCredit({ minor }),
          }[kind]()
          await sendNew(message, model.expect(message, kind, order, minor).code)
        }
        assert.deepEqual(moneyOf(bank, GOOD_VISA), model.money())
        assert.deepEqual(bank.store.books.findContradictions(), [])
      }
      await bank.close()
      assert.deepEqual((await verifyJournal(folder)).problems, [])
    }),
    { numRuns: 60 },
  )
})
