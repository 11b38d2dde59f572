import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openAnswerBook } from '../../tools/torture/answer-book.ts'
import { setStage, type StageOptions } from '../../tools/torture/stage.ts'
import { conclude, NO_HARM } from '../../tools/torture/torture.ts'
import { PROVOCATIONS, type Provocation } from './provocations.ts'

/** Provokes one after the other on a stage of its own; what the three records differ in. */
async function differencesAfter(
  provocations: readonly Provocation[],
  breaks: Pick<StageOptions, 'gatewayBreaks' | 'bankBreaks'>,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-rules-'))
  try {
    const stage = await setStage({ folder, workers: 1, bankTimeoutMs: 1_000, ...breaks })
    try {
      const book = openAnswerBook(join(folder, 'answers.jsonl'))
      for (const { provoke } of provocations) {
        await stage.heal()
        await provoke({ stage, book })
      }
      await book.close()
      const run = { seed: '', seconds: 0, harms: NO_HARM, tell: () => undefined }
      return (await conclude(stage, book, run)).differences
    } finally {
      await stage.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('with all six rules kept, nothing that provokes one leaves a difference', async () => {
  assert.equal(PROVOCATIONS.length, 6)
  assert.deepEqual(await differencesAfter(PROVOCATIONS, {}), [])
})

for (const provocation of PROVOCATIONS) {
  const { rule, side, without } = provocation
  test(`the comparison finds out ${without}`, async () => {
    const breaks = side === 'gateway' ? { gatewayBreaks: rule } : { bankBreaks: rule }
    const differences = await differencesAfter([provocation], breaks)
    assert.equal(differences.length, 1, differences.join('\n'))
    assert.match(differences[0] ?? '', /^(order \d+: gateway .*; bank|message \S+ is in no order)/)
  })
}
