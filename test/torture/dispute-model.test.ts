import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  compareDisputes,
  type DisputeCase,
  type DisputeNotice,
  type DisputeRecords,
  type GatewayDisputes,
} from '../../tools/torture/dispute-model.ts'

const LOST: DisputeCase = {
  account: 'A',
  id: 'C-1',
  state: 'lost',
  order: 'key-1',
  minor: 1_000n,
  brand: 'mastercard',
  reason: '4853',
}
const RAPID: DisputeCase = { ...LOST, id: 'C-2', order: 'key-2', minor: 300n }
const CASES = [LOST, RAPID]

function notice(n: number, caseId: string, event: string, minor: bigint, answer = '') {
  return { account: 'A', n, id: `A-D${n}`, caseId, event, minor, answer }
}

const NOTICES: readonly DisputeNotice[] = [
  notice(1, 'C-1', 'chargeback', 1_000n),
  notice(2, 'C-1', 'representment', 1_000n, '7'),
  notice(3, 'C-2', 'rapid_resolution', 300n),
  notice(4, 'C-1', 'lost', 1_000n),
]

function movement(caseId: string, kind: string, taken: bigint, fee = 0n) {
  return { caseId, kind, taken, fee }
}

const MOVEMENTS = [
  movement('C-1', 'chargeback', 1_000n),
  movement('C-1', 'dispute_fee', 0n, 1_500n),
  movement('C-1', 'dispute_reversal', -1_000n),
  movement('C-2', 'chargeback', 300n),
  movement('C-2', 'dispute_fee', 0n, 1_500n),
  movement('C-1', 'chargeback_again', 1_000n),
]

const GATEWAY: GatewayDisputes = {
  cases: CASES,
  notices: NOTICES,
  movements: MOVEMENTS,
  disputedOrders: new Map([
    ['key-1', 1_000n],
    ['key-2', 300n],
  ]),
  answers: [{ id: '7', disputeId: '1', state: 'acknowledged' }],
}

const ANSWER = GATEWAY.answers[0]

function filesOf(movements: typeof MOVEMENTS): DisputeRecords['files'] {
  const lines = movements.map(({ caseId, fee, kind, taken }) => ({
    kind,
    order: 'key',
    gross: -taken,
    fees: {},
    net: -taken - fee,
    trace: '',
    case: caseId,
  }))
  return [{ account: 'A', seq: 1, opening: 0n, closing: 0n, lines }]
}

function compare(
  gateway: Partial<GatewayDisputes>,
  more: Partial<Omit<DisputeRecords, 'gateway'>> = {},
) {
  const bank = { cases: CASES, notices: NOTICES }
  const files = filesOf(MOVEMENTS)
  return compareDisputes({
    bank,
    files,
    given: ['1'],
    gateway: { ...GATEWAY, ...gateway },
    ...more,
  })
}

function found(...given: Parameters<typeof compare>): string {
  return compare(...given).differences.join('\n')
}

suite('the model that follows every dispute', () => {
  test('finds nothing where bank, gateway and files agree, and knows the losses of their ends', () => {
    const { differences, lines, outcomes } = compare({})
    assert.deepEqual(differences, [])
    assert.equal(lines, 6)
    assert.deepEqual(Object.fromEntries(outcomes), {
      chargeback_loss: 1_000n,
      merchant_refunds: 300n,
      disputes_open: -1_300n,
    })
  })

  test('finds a notice that is lost here, and one that is here twice', () => {
    assert.match(found({ notices: NOTICES.slice(1) }), /"A 1 A-D1: C-1 chargeback .* missing here/)
    assert.match(found({ notices: [...NOTICES, ...NOTICES.slice(3)] }), /A-D4.* is too often here/)
  })

  test('finds a case with another state or amount, and one that only one side has', () => {
    for (const change of [{ state: 'won' }, { minor: 999n }, { order: 'key-3' }]) {
      assert.match(found({ cases: [{ ...LOST, ...change }, RAPID] }), /case .* is missing here/)
    }
    assert.match(found({ cases: [LOST] }), /case "A C-2: .*" is missing here/)
    assert.match(found({ cases: [...CASES, RAPID] }), /case "A C-2: .*" is too often here/)
  })

  test('finds a line of a file that is booked twice, never, or with another cent', () => {
    const [first, ...others] = MOVEMENTS
    assert.ok(first !== undefined)
    assert.match(found({ movements: [first, ...MOVEMENTS] }), /line "C-1 chargeback 1000 0" is too/)
    assert.match(found({ movements: others }), /line "C-1 chargeback 1000 0" is missing here/)
    const wrong = [{ ...first, taken: 1_001n }, ...others]
    assert.match(found({ movements: wrong }), /line "C-1 chargeback 1001 0" is too often here/)
  })

  test('finds a step of the bank without its money, and money without a step', () => {
    for (const movements of [MOVEMENTS.slice(0, 5), [...MOVEMENTS, ...MOVEMENTS.slice(2, 3)]]) {
      assert.match(
        found({ movements }, { files: filesOf(movements) }),
        /line of C-1 by its notices/,
      )
    }
    const stray = [...MOVEMENTS, movement('C-3', 'chargeback', 5n)]
    assert.match(
      found({ movements: stray }, { files: filesOf(stray) }),
      /case C-3, which nobody has/,
    )
  })

  test('finds an order of which another amount is in dispute than its cases have', () => {
    const disputedOrders = new Map([...GATEWAY.disputedOrders, ['key-1', 999n]])
    assert.match(found({ disputedOrders }), /order key-1 .*: 1000 and 999/)
    const freed = { cases: [{ ...LOST, state: 'won' }, RAPID], notices: NOTICES }
    assert.match(found({ cases: freed.cases }, { bank: freed }), /order key-1 .*: 0 and 1000/)
  })

  test('finds an answer that the bank never got, one that it got alone, and one that is gone', () => {
    assert.ok(ANSWER !== undefined)
    const sent = [ANSWER, { id: '8', disputeId: '1', state: 'sent' }]
    assert.match(found({ answers: sent }), /answer 8 is still sent/)
    assert.match(found({ answers: [] }), /answer "7" is missing here/)
    const refused = [ANSWER, { id: '8', disputeId: '1', state: 'refused' }]
    assert.equal(found({ answers: refused }), '')
    assert.match(found({}, { given: ['1', '1'] }), /has 1 answers, and 2 were reported as stored/)
  })

  test('expects a credit with the answer of some cases only', () => {
    const cases = [{ ...LOST, brand: 'visa', reason: '10.4' }, RAPID]
    const movements = MOVEMENTS.filter(({ kind }) => !/again|reversal/.test(kind))
    const bank = { cases, notices: NOTICES }
    assert.equal(found({ cases, movements }, { bank, files: filesOf(movements) }), '')
    assert.match(found({ cases }, { bank }), /line of C-1 by its notices/)
  })
})
