import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { diskFolder } from '../../packages/tollgate/test/cluster-template.ts'
import type { Entry } from '../../tools/torture/answer-book.ts'
import { printCertificate } from '../../tools/torture/certificate.ts'
import type { HarmCounts } from '../../tools/torture/harm.ts'
import type { HarmKind } from '../../tools/torture/plan.ts'
import { torture } from '../../tools/torture/torture.ts'

type Kill = Extract<HarmKind, `kill ${string}`>
const LEAST: readonly (readonly [kinds: readonly Kill[], least: number])[] = [
  [['kill worker', 'kill bank', 'kill PostgreSQL', 'kill PostgreSQL backend'], 25],
  [['kill worker'], 10],
  [['kill bank'], 5],
  [['kill PostgreSQL'], 1],
  [['kill PostgreSQL backend'], 1],
  [['kill vault'], 1],
]

/** Orders with an approved payment; some are voided afterwards. */
const LEAST_PAID = 450

/** Answers that the outcome is unknown: the bank gets a reversal of each. */
const LEAST_UNKNOWN = 40
/** Done by jobs and commands while everything is killed; the rest is settled at the end. */
const LEAST_SETTLED = { batches: 4, files: 3, deposits: 2 }

/** Cases that jobs record while everything is killed. */
const LEAST_DISPUTED = 8

const isUnknown = ({ heard }: Entry): boolean =>
  heard.kind === 'answer' && heard.status === 'FAILED' && heard.service === '502'

const NOTHING = { batches: 0, cents: -1n, deposits: 0, files: 0, lines: 0, payouts: 0 }

function paidOrders(answers: readonly Entry[]): number {
  return new Set(
    answers.flatMap(({ heard, reference }) =>
      heard.kind === 'answer' && heard.status === 'APPROVED' && reference !== ''
        ? [heard.orderId]
        : [],
    ),
  ).size
}

function killsOf(harms: HarmCounts, kinds: readonly Kill[]): number {
  return kinds.reduce((sum, kind) => sum + harms[kind], 0)
}

test('after kills under traffic, clients, gateway and bank agree to the cent', async (t) => {
  const folder = mkdtempSync(join(diskFolder(), 'tollgate-torture-'))
  const certificate = await torture({
    seed: '414',
    seconds: 40,
    isEnough: (harms, answers, settled, disputed) =>
      LEAST.every(([kinds, least]) => killsOf(harms, kinds) >= least) &&
      paidOrders(answers) >= LEAST_PAID &&
      answers.filter(isUnknown).length >= LEAST_UNKNOWN &&
      settled.batches >= LEAST_SETTLED.batches &&
      settled.files >= LEAST_SETTLED.files &&
      settled.deposits >= LEAST_SETTLED.deposits &&
      disputed.cases >= LEAST_DISPUTED,
    workers: 2,
    clients: 32,
    bankTimeoutMs: 1_000,
    synced: true,
    folder,
    tell: (line) => t.diagnostic(line),
  })
  const { approvedOrders, bankRecords, harms, reversals, unknownOutcomes } = certificate

  assert.deepEqual(certificate.differences, [], `${printCertificate(certificate)}\nSee ${folder}.`)
  for (const [kinds, least] of LEAST) {
    const count = killsOf(harms, kinds)
    assert.ok(count >= least, `only ${count} of ${kinds.join(' and ')}`)
  }
  // The seed fixes the plan, not the timing: this much happens on a slow and busy machine too.
  assert.ok(approvedOrders >= 300, `only ${approvedOrders} orders with money`)
  assert.ok(unknownOutcomes >= 30, `only ${unknownOutcomes} unknown outcomes`)
  assert.ok(reversals >= 50, `only ${reversals} reversals`)
  assert.ok((bankRecords['tombstone'] ?? 0) >= 5, 'too few reversals overtook their originals')
  const { batches, cents, deposits, files, lines, payouts } = certificate.settlement ?? NOTHING
  assert.equal(cents, 0n)
  assert.equal(deposits, payouts)
  assert.ok(batches >= LEAST_SETTLED.batches, `only ${batches} batches closed`)
  assert.ok(files >= LEAST_SETTLED.files && payouts >= LEAST_SETTLED.deposits, 'too few files')
  assert.ok(lines >= approvedOrders / 3, `only ${lines} lines in settlement files`)
  const { disputes } = certificate
  assert.ok(disputes !== null && disputes.cases >= LEAST_DISPUTED, 'too few disputes')
  assert.ok(disputes.answers >= 1, 'no answer to a dispute')
  assert.ok(disputes.lines >= LEAST_DISPUTED / 2, `only ${disputes.lines} lines of disputes`)
  rmSync(folder, { recursive: true, force: true })
})
