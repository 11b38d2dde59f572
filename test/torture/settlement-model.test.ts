import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { goldenText } from '../../packages/gateway/test/domain/settlement/file-text.ts'
import type { Entry } from '../../tools/torture/answer-book.ts'
import type { GatewayOrder } from '../../tools/torture/gateway-books.ts'
import { readSettledFile, type SettledFile } from '../../tools/torture/settled-file.ts'
import { compareSettlement, type SettlementRecords } from '../../tools/torture/settlement-model.ts'

const ORDER: GatewayOrder = {
  id: '1',
  kind: 'payment',
  reference: 'a',
  key: 'key-1',
  authorized: 1_000n,
  captured: 1_000n,
  voided: 0n,
  refunded: 300n,
}
const LINE = { order: 'key-1', fees: {}, trace: '', case: '' }
const SALE = { ...LINE, kind: 'sale', gross: 1_000n, fees: { acquirer: -10n }, net: 990n }
const REFUND = { ...LINE, kind: 'refund', gross: -300n, net: -300n }
const PAYOUT = { ...LINE, kind: 'payout', order: '', gross: -690n, net: -690n, trace: 'TG1' }
const FILE: SettledFile = {
  account: 'A',
  seq: 1,
  opening: 0n,
  closing: 0n,
  lines: [SALE, REFUND, PAYOUT],
}

function answered(n: number, action: string, minor: string): Entry {
  const place = { n, atMs: 0, tookMs: 1, client: 0, worker: 0, key: '', replay: false }
  const heard = { status: 'APPROVED', service: '100', orderId: '1', valueMinor: minor } as const
  return {
    ...place,
    action,
    reference: action === 'sale' ? 'a' : '',
    orderId: action === 'sale' ? '' : '1',
    heard: { kind: 'answer', transactionId: String(n), ...heard },
  }
}

const RECORDS: SettlementRecords = {
  entries: [answered(1, 'sale', '1000'), answered(2, 'refund', '300')],
  orders: [ORDER],
  bank: new Map([
    ['key-1', { approved: 1_000n, captured: 1_000n, refunded: 300n, unreferenced: 0n }],
  ]),
  files: [FILE],
  deposits: [{ trace: 'TG1', minor: 690n }],
  balances: new Map([
    ['merchant_payable', -1_000n],
    ['merchant_refunds', 300n],
    ['fee_acquirer', 10n],
    ['bank', 690n],
  ]),
  outcomes: new Map(),
}

function compare(changes: Partial<SettlementRecords>) {
  return compareSettlement({ ...RECORDS, ...changes })
}

function withLines(lines: SettledFile['lines'], closing = 0n): Partial<SettlementRecords> {
  return { files: [{ ...FILE, lines, closing }] }
}

suite('the model that follows every cent of settlement', () => {
  test('finds nothing in answers, books, files, ledger and deposits that agree', () => {
    assert.deepEqual(compare({}), { differences: [], cents: 0n })
  })

  test('finds a cent that a line, an answer, the bank, the ledger or a deposit has too much', () => {
    const bank = { approved: 1_000n, captured: 1_001n, refunded: 300n, unreferenced: 0n }
    const changes: readonly Partial<SettlementRecords>[] = [
      { entries: [answered(1, 'sale', '1001'), answered(2, 'refund', '300')] },
      { bank: new Map([['key-1', bank]]) },
      { balances: new Map([...RECORDS.balances, ['bank', 691n]]) },
      { balances: new Map([...RECORDS.balances, ['suspense', 1n]]) },
      { files: [{ ...FILE, closing: 1n }] },
      { files: [{ ...FILE, opening: 1n }] },
    ]
    for (const change of changes) {
      const { cents, differences } = compare(change)
      assert.equal(differences.length, 1, JSON.stringify(differences))
      assert.equal(cents, 1n)
    }
  })

  test('finds a capture that is in two files, and one that is in none', () => {
    const twice = compare(
      withLines([SALE, SALE, REFUND, { ...PAYOUT, gross: -1_680n, net: -1_680n }]),
    )
    assert.match(
      twice.differences.join('\n'),
      /order 1 captured in files and by the bank: 2000 and 1000/,
    )
    const never = compare(withLines([REFUND], -300n))
    assert.match(
      never.differences.join('\n'),
      /order 1 captured in files and by answers: 0 and 1000/,
    )
  })

  test('finds a line without an order, and a payout without a deposit', () => {
    const stray = { ...SALE, order: 'key-2' }
    const found = compare(withLines([SALE, stray, REFUND, PAYOUT], 990n))
    assert.match(found.differences.join('\n'), /message key-2 is in files and in no order/)
    const missing = compare({ deposits: [] })
    assert.match(
      missing.differences.join('\n'),
      /payout TG1 in its file and in statements: 690 and 0/,
    )
    const strange = compare({ deposits: [...RECORDS.deposits, { trace: 'TG2', minor: 5n }] })
    assert.match(strange.differences.join('\n'), /deposit TG2 without a payout: 5 and 0/)
  })

  test('finds a file that is missing, and one whose line does not add up', () => {
    const second = { ...FILE, seq: 3, lines: [] }
    assert.equal(compare({ files: [FILE, second] }).differences.length, 1)
    const wrong = { ...SALE, fees: { acquirer: -11n } }
    const { differences } = compare(withLines([wrong, REFUND, PAYOUT]))
    assert.ok(differences.some((text) => text.includes('gross and fees of a line')))
  })

  test('leaves an order alone whose clients lost an answer, unless the bank has another amount', () => {
    const lost: Entry = {
      ...answered(3, 'capture', '1'),
      heard: { kind: 'nothing', why: 'broken' },
    }
    const entries = [answered(1, 'sale', '900'), answered(2, 'refund', '300'), lost]
    assert.deepEqual(compare({ entries }).differences, [])
    assert.equal(compare({ entries: entries.slice(0, 2) }).differences.length, 1)
  })

  test('takes voids off what is not captured first, and then off captures', () => {
    const before = [answered(1, 'sale', '1200'), answered(2, 'refund', '300')]
    const { differences } = compare({ entries: [...before, answered(3, 'void', '200')] })
    assert.deepEqual(differences, [])
    const captureVoid = compare({ entries: [...before, answered(3, 'captureVoid', '200')] })
    assert.deepEqual(captureVoid.differences, [])
    assert.equal(compare({ entries: before }).cents, 200n)
  })

  test('counts the answers to repeats of one request once', () => {
    const again = { ...answered(1, 'sale', '1000'), n: 9 }
    assert.deepEqual(compare({ entries: [...RECORDS.entries, again] }).differences, [])
  })

  test('reads the published example of the format to the cent', () => {
    const file = readSettledFile(goldenText())
    assert.equal(file.lines.length, 13)
    assert.equal(
      file.lines.reduce((sum, { net }) => sum + net, 0n),
      0n,
    )
    assert.equal(file.lines[0]?.fees['interchange'], -24n)
    assert.equal(file.lines.at(-1)?.trace, 'TG417EUR20261120')
  })
})
