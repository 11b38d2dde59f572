import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StepFault } from './database.ts'
import type { Request } from './requests.ts'
import { end } from './schedule.ts'
import { FINE, type Weather } from './weather.ts'
import { World } from './world.ts'

/** One sale without faults except those of the named steps, each once, in sequence. */
async function aSale(
  faults: Readonly<Record<string, readonly StepFault[]>>,
  weather: Weather = FINE,
): Promise<Request> {
  const met = new Map<string, number>()
  const world = new World({
    seed: 1,
    weather,
    processes: 1,
    script: {
      stepFault(step) {
        const number = met.get(step) ?? 0
        met.set(step, number + 1)
        return faults[step]?.[number] ?? 'none'
      },
    },
  })
  const lines = [1_000n]
  let sale: Request | undefined
  world.play(async () => {
    sale = await world.pay({
      kind: 'sale',
      lines,
      script: 'approve',
      reference: 'order-1',
      duplicates: 'allow',
      partialAllowed: false,
      cardExpired: false,
      key: '',
    })
  })
  await world.playOut()
  const { broken } = await end(world, 1)
  assert.deepEqual(broken, [])
  assert.ok(sale !== undefined)
  return sale
}

test('an approval that was written and could not be read back at once is reported all the same', async () => {
  const { told } = await aSale({
    conclude: ['answer_lost'],
    'find transaction': ['fails', 'answer_lost'],
  })

  assert.equal(told?.kind === 'told' && told.state, 'approved')
})

test('an approval that cannot be read back at all is uncertain, never something not accepted', async () => {
  const { told } = await aSale({
    conclude: ['answer_lost'],
    'find transaction': Array.from({ length: 100 }, () => 'fails'),
  })

  assert.equal(told?.kind, 'uncertain')
})

test('an approval whose capture could not be numbered at once stays an approval', async () => {
  const ofTheIntent = Array.from({ length: 6 }, () => 'none' as const)

  const { told } = await aSale(
    { 'reserve ids': [...ofTheIntent, 'fails', 'none', 'fails'] },
    { ...FINE, idsRunOut: 100 },
  )

  assert.equal(told?.kind === 'told' && told.state, 'approved')
})
