import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankOrder } from '../support/bank-books.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { moneyOf, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { fc } from '../support/properties.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway.stop())

type Kind = 'capture' | 'refund' | 'void' | 'captureVoid'

interface Step {
  readonly kind: Kind
  /** In cents; null for all there is, where the action allows that. */
  readonly cents: number | null
}

/** An order of one line in open batches, as a bookkeeper would keep it on paper. */
class PaperOrder {
  open: number
  captured = 0
  voided = 0
  refunded = 0
  isReversed = false

  constructor(authorized: number) {
    this.open = authorized
  }

  /** How much the step moves; null when it must be refused. */
  apply({ kind, cents }: Step): number | null {
    if (this.isReversed) return null
    const refundable = this.captured - this.refunded
    if (kind === 'capture') return this.#move(cents, this.open, (moved) => this.#capture(moved))
    if (kind === 'refund') {
      return this.#move(cents, refundable, (moved) => (this.refunded += moved))
    }
    if (kind === 'captureVoid') {
      return this.#move(cents, refundable, (moved) => this.#void(moved))
    }
    if (cents !== null) return this.#move(cents, this.open, (moved) => this.#release(moved))
    const voided = this.refunded === 0 ? this.captured : 0
    const all = this.open + voided
    if (all === 0) return null
    this.#release(this.open)
    this.#void(voided)
    this.isReversed = this.captured === 0
    return all
  }

  #move(cents: number | null, available: number, book: (moved: number) => void): number | null {
    const wanted = cents ?? available
    if (wanted === 0 || wanted > available) return null
    const total = this.open + this.captured + this.voided
    book(wanted)
    // One void that undid all there ever was reverses the order, named amount or not.
    if (this.voided === total && wanted === total) this.isReversed = true
    if (this.voided === total && cents === null) this.isReversed = true
    return wanted
  }

  #capture(moved: number): void {
    this.open -= moved
    this.captured += moved
  }

  #release(moved: number): void {
    this.open -= moved
    this.voided += moved
  }

  #void(moved: number): void {
    this.captured -= moved
    this.voided += moved
  }
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom<Kind>('capture', 'refund', 'void', 'captureVoid'),
    cents: fc.integer({ min: 1, max: 6_000 }),
  }),
  fc.record({ kind: fc.constantFrom<Kind>('void', 'captureVoid'), cents: fc.constant(null) }),
)

test('any sequence of captures, refunds and voids ends as on paper, here and at the bank', async () => {
  const authorized = 10_000
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 3, maxLength: 12 }),
    async (steps) => {
      const client = gateway.client()
      const { orderId } = await client.authorize(payment('100.00'))
      const paper = new PaperOrder(authorized)
      for (const { kind, cents } of steps) {
        const amount = cents === null ? {} : { amount: (cents / 100).toFixed(2) }
        const answer = await client[kind]({ orderId: String(orderId), amount: '', ...amount })
        const moved = paper.apply({ kind, cents })

        assert.equal(answer.status, moved === null ? 'DECLINED' : 'APPROVED', `${kind} ${cents}`)
        if (moved !== null) {
          assert.equal(Math.round(Math.abs(Number(answer.raw['TRANS_VALUE'])) * 100), moved)
        }
        assert.equal(
          await moneyOf(gateway, String(orderId)),
          `authorized ${authorized}, captured ${paper.captured}, voided ${paper.voided}, ` +
            `refunded ${paper.refunded}`,
        )
      }
      await untilNoAdviceIsQueued(gateway)
      const atBank = await bankOrder(gateway, String(orderId))
      assert.deepEqual(
        [atBank?.capturedMinor, atBank?.refundedMinor, atBank?.heldMinor],
        [BigInt(paper.captured), BigInt(paper.refunded), BigInt(paper.open)],
      )
    },
  )
  await fc.assert(property, { numRuns: 40, seed: 414 })
  await assertBooksAreClean(gateway)
})
