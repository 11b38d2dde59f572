import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  RETENTION_KIND_NAMES,
  type RetentionDays,
  type RetentionKindName,
} from '../../../src/domain/retention/retention-kinds.ts'
import { createEraseDue } from '../../../src/usecases/retention/erase-due.ts'

const [FIRST, SECOND, ...OTHERS] = RETENTION_KIND_NAMES

/** The kinds that the job asks for a step, until it finds none due; each has that many steps. */
async function asked(stepsOf: (kind: RetentionKindName) => number) {
  const left = new Map(RETENTION_KIND_NAMES.map((kind) => [kind, stepsOf(kind)]))
  const kinds: RetentionKindName[] = []
  const unused = () => assert.fail('the job only makes steps')
  const eraseDue = createEraseDue({
    store: {
      countPage: unused,
      readPasses: unused,
      step({ kind }) {
        kinds.push(kind)
        const steps = left.get(kind) ?? 0
        left.set(kind, Math.max(steps - 1, 0))
        return Promise.resolve(steps === 0 ? null : { erased: 1, isEnd: steps === 1 })
      },
    },
    clock: { now: () => new Date(0) },
    days: Object.fromEntries(RETENTION_KIND_NAMES.map((kind) => [kind, 1])) as RetentionDays,
    actor: 'test',
    monotonicMs: () => 0,
    pause: () => Promise.resolve(),
    onErased: () => undefined,
  })
  while (await eraseDue());
  return kinds
}

suite('the job that erases what is due', () => {
  test('asks each kind for its one step, and once more whether anything is left', async () => {
    const kinds = await asked(() => 1)

    assert.deepEqual(kinds, [...RETENTION_KIND_NAMES, ...RETENTION_KIND_NAMES])
  })

  test('goes on with a kind until its pass ends, without a look at those before it', async () => {
    const kinds = await asked((kind) => (kind === SECOND ? 3 : 1))

    assert.deepEqual(kinds, [FIRST, SECOND, SECOND, SECOND, ...OTHERS, ...RETENTION_KIND_NAMES])
  })

  test('comes back to a kind that had nothing before', async () => {
    const kinds = await asked((kind) => (kind === SECOND ? 1 : 0))

    assert.deepEqual(kinds, [FIRST, SECOND, ...OTHERS, FIRST, SECOND])
  })
})
