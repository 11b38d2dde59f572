import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import { isOpen } from '../../src/books/disputes.ts'
import { ControlRefusal } from '../../src/control/control-request.ts'
import { MOVES } from '../../src/disputes/dispute-desk.ts'
import { RAISED } from '../../src/disputes/raise-case.ts'
import { MERCHANT } from '../settlement/settling.ts'
import { aFolder } from '../support/test-bank.ts'
import { aDisputingBank } from './disputing.ts'

const which = fc.nat({ max: 5 })
const step = fc.oneof(
  fc.record({ do: fc.constant('raise' as const), which, event: fc.constantFrom(...RAISED) }),
  fc.record({ do: fc.constant('escalate' as const), which }),
  fc.record({
    do: fc.constant('answer' as const),
    which,
    text: fc.constantFrom('winning_evidence', 'losing_evidence', 'escalate_evidence', '', 'accept'),
  }),
  fc.record({ do: fc.constant('move' as const), which, to: fc.constantFrom(...MOVES) }),
  fc.record({ do: fc.constant('pass' as const), days: fc.constantFrom(1, 1, 3, 46) }),
  fc.record({ do: fc.constantFrom('refund' as const, 'make' as const, 'restart' as const), which }),
)

/** Brand, amount and reason of the orders; the last two are disputed by their amounts. */
const ORDERS = [
  ['VISA', 1000n, '10.4'],
  ['VISA', 1001n, '13.1'],
  ['MASTERCARD', 1002n, '4853'],
  ['AMERICANEXPRESS', 1003n, 'F29'],
  ['VISA', 911_312n, '13.1'],
  ['MASTERCARD', 911_322n, '4837'],
] as const

test('the lines of a case add up to nothing when it is won or withdrawn, and to its amount when lost or accepted', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const folder = await aFolder(t)
      let parts = await aDisputingBank(t, folder)
      let day = 0
      const orders: Awaited<ReturnType<typeof parts.sell>>[] = []
      for (const [brand, minor] of ORDERS) {
        orders.push(await parts.sell(minor, { brand }))
      }
      await parts.close()
      await parts.make()
      for (const each of steps) {
        const { desk, notices } = parts
        const caseId = 'which' in each ? (notices().at(-1 - each.which)?.case ?? 'C-0') : ''
        const order = 'which' in each ? (orders[each.which] ?? null) : null
        const [, , reason] = ORDERS['which' in each ? each.which : 0] ?? ORDERS[0]
        try {
          if (each.do === 'raise') await parts.raise(order, each.event, { reason })
          else if (each.do === 'escalate') await parts.raise(null, 'chargeback', { case: caseId })
          else if (each.do === 'move') await desk.move(MERCHANT, caseId, each.to)
          else if (each.do === 'answer') {
            const answer = each.text === 'accept' ? 'accept' : 'contest'
            const id = `A-${notices().length}`
            await parts.answer(caseId, each.text, { answer, id })
          } else if (each.do === 'pass') {
            day += each.days
            await parts.pass(each.days)
          } else if (each.do === 'make') await parts.settlement.makeNow(MERCHANT, null, null)
          else if (each.do === 'refund' && order !== null) await parts.refund(order, 300n, '')
          else if (each.do === 'restart') {
            await parts.bank.close()
            parts = await aDisputingBank(t, folder)
            await parts.pass(day)
          }
        } catch (error) {
          if (!(error instanceof ControlRefusal)) throw error
        }
      }
      await parts.settlement.makeNow(MERCHANT, null, null)
      const sums = new Map<string, number>()
      for (const file of await parts.settlement.list(new Set())) {
        for (const { case: id, gross } of (await parts.read(file)).lines) {
          if (id === undefined) continue
          const cents = Math.round(Number(gross) * 100)
          sums.set(String(id), (sums.get(String(id)) ?? 0) + cents)
        }
      }
      const account = parts.bank.store.books.disputes.find(MERCHANT)
      for (const disputed of account?.cases.values() ?? []) {
        const { id, minor, stage } = disputed
        const sum = sums.get(id) ?? 0
        const cost = -Number(minor)
        if (stage === 'lost' || stage === 'accepted') assert.equal(sum, cost, id)
        else if (!isOpen(disputed) || stage === 'inquiry') assert.equal(sum, 0, id)
        else assert.ok(sum === 0 || sum === cost, id)
      }
      const numbers = parts.notices().map(({ n }) => n)
      assert.deepEqual(
        numbers,
        [...numbers.keys()].map((at) => at + 1),
      )
      await parts.bank.close()
    }),
    { numRuns: 40 },
  )
})
