import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  makeNextComparison,
  type ReconQueue,
} from '../../../../src/portal/reconciliation/usecases/recon.ts'
import type { ComparisonProgress } from '../../../../src/usecases/books/reconcile.ts'

/** The end of a comparison whose books are read by `compare`. */
async function made(
  compare: (tell: (progress: ComparisonProgress) => void, stop: () => void) => Promise<never>,
): Promise<readonly string[]> {
  const stopping = new AbortController()
  const done: string[] = []
  const queue: ReconQueue = {
    requestDue: async () => undefined,
    take: async () => ({ id: 301n, merchantId: 1n }),
    reportProgress: async () => undefined,
    finish: async () => void done.push('finished'),
    fail: async (_, fault) => void done.push(fault),
    requeue: async () => void done.push('queued again'),
  }
  const goesOn = await makeNextComparison({
    queue,
    compare: (_, tell) => compare(tell, () => stopping.abort()),
    explain: (error) => (error as Error).message,
    monotonicMs: () => 0,
    now: () => new Date(0),
    signal: stopping.signal,
  })
  return [...done, goesOn ? 'looks for another' : 'leaves off']
}

suite('a comparison of the books', () => {
  test('is broken off where its process is to stop, and released for another process', async () => {
    const seen: string[] = []
    const became = await made(async (tell, stop) => {
      stop()
      tell({ doing: 'comparing', orders: 1_000 })
      seen.push('went on')
      throw new Error('unreachable')
    })
    assert.deepEqual([became, seen], [['queued again', 'leaves off'], []])
  })

  test('that could not be made has failed, with the text of the error', async () => {
    const became = await made(async () => {
      throw new Error('The bank is away.')
    })
    assert.deepEqual(became, ['The bank is away.', 'looks for another'])
  })
})
