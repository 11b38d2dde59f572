import type { StepFault } from './database.ts'
import type { Change, Purchase } from './merchant.ts'
import type { Journey } from './network.ts'
import { end, type Outcome } from './schedule.ts'
import { FINE } from './weather.ts'
import { changeUntilTold, payUntilKnown } from './workload.ts'
import { World, type WorldOptions } from './world.ts'

/** A short scenario that is played many times, each time with a fault at another moment. */
export interface Scenario {
  readonly play: (world: World) => Promise<void>
  /** The faults of a bank message; none by default. */
  readonly journey?: (message: string) => Journey
}

/** The faults of one play of a scenario. */
export interface Misfortune {
  /** Deaths, by the number of the moment: before each event that a process would go on with. */
  readonly deaths: readonly number[]
  /** One step of the database, by its number. */
  readonly step?: { readonly number: number; readonly fault: StepFault }
}

/** Plays a scenario without any randomness. */
export async function tellScenario(
  { play, journey }: Scenario,
  { deaths, step }: Misfortune,
  trace?: WorldOptions['trace'],
): Promise<{ readonly world: World; readonly outcome: Outcome }> {
  const world = new World({
    seed: 1,
    weather: FINE,
    processes: 2,
    script: {
      crashes: (moment) => deaths.includes(moment),
      stepFault: (_, number) => (number === step?.number ? step.fault : 'none'),
      ...(journey === undefined ? {} : { journey }),
    },
    ...(trace === undefined ? {} : { trace }),
  })
  world.play(() => play(world))
  await world.playOut()
  return { world, outcome: await end(world, 1) }
}

/** The names are those of the operation under fault; the steps before it are included. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  authorize: { play: (world) => buy(world, { kind: 'authorization' }) },
  sale: { play: (world) => buy(world, { kind: 'sale' }) },
  'unreferenced credit': {
    play: (world) => buy(world, { kind: 'refund', duplicates: 'allow' }),
  },
  'approval that the address rule refuses': {
    play: (world) => buy(world, { kind: 'sale', script: 'wrong address' }),
  },
  capture: {
    play: (world) => buy(world, { kind: 'authorization' }, [{ kind: 'capture', minor: 600n }]),
  },
  void: { play: (world) => buy(world, { kind: 'authorization' }, [{ kind: 'void' }]) },
  'void of a sale': { play: (world) => buy(world, { kind: 'sale' }, [{ kind: 'void' }]) },
  refund: { play: (world) => buy(world, { kind: 'sale' }, [{ kind: 'refund', minor: 400n }]) },
  'captures and a void at once': {
    play: (world) =>
      buy(world, { kind: 'authorization' }, [
        { kind: 'capture', minor: 600n },
        { kind: 'capture', minor: 300n },
        // The rest, so that each is allowed in any sequence.
        { kind: 'void', minor: 100n },
      ]),
  },
  'two requests of one reference': {
    async play(world) {
      await Promise.all([buy(world, { kind: 'sale' }), buy(world, { kind: 'sale' })])
    },
  },
  'refund with a key, repeated until it is answered': {
    play: (world) => buy(world, { kind: 'sale' }, [{ kind: 'refund', minor: 400n, key: 'k' }]),
  },
  'sale with a key, repeated until it is answered': {
    play: (world) => buy(world, { kind: 'sale', duplicates: 'allow', key: 'k' }),
  },
  'two sales of one key': {
    async play(world) {
      const sale: Partial<Purchase> = { kind: 'sale', duplicates: 'allow', key: 'k' }
      await Promise.all([buy(world, sale), buy(world, sale)])
    },
  },
  'two sales of one key and one reference': {
    async play(world) {
      await Promise.all([
        buy(world, { kind: 'sale', key: 'k' }),
        buy(world, { kind: 'sale', key: 'k' }),
      ])
    },
  },
  'two captures of one key': {
    play: (world) =>
      buy(world, { kind: 'authorization' }, [
        { kind: 'capture', minor: 400n, key: 'k' },
        { kind: 'capture', minor: 400n, key: 'k' },
      ]),
  },
  'close of a batch, while a capture is on its way': {
    async play(world) {
      await buy(world, { kind: 'sale' })
      await Promise.all([
        buy(world, { reference: 'order-2' }, [{ kind: 'capture', minor: 600n }]),
        world.closeBatch(),
      ])
      await world.closeBatch()
    },
  },
  'unknown outcome, then the late answer': {
    play: (world) => buy(world, { kind: 'authorization' }),
    journey: (message) => (message.startsWith('authorize') ? { answerMs: 26_000 } : {}),
  },
  'unknown outcome, and a request that comes after its reversal': {
    play: (world) => buy(world, { kind: 'sale' }),
    journey: (message) => (message.startsWith('sale') ? { requestMs: 90_000 } : {}),
  },
  'link lost, and the request arrives twice': {
    play: (world) => buy(world, { kind: 'authorization' }),
    journey: (message) =>
      message.startsWith('authorize') ? { linkLostMs: 1, againMs: 40_000 } : {},
  },
}

const PURCHASE: Purchase = {
  kind: 'authorization',
  lines: [700n, 300n],
  script: 'approve',
  reference: 'order-1',
  duplicates: 'replay',
  partialAllowed: false,
  cardExpired: false,
  key: '',
}

async function buy(
  world: World,
  purchase: Partial<Purchase>,
  changes: readonly Partial<Change>[] = [],
): Promise<void> {
  const { id } = await payUntilKnown(world, { ...PURCHASE, ...purchase })
  const row = [...world.store.transactions.values()].find(({ requestId }) => requestId === id)
  if (row === undefined) return
  const orderId = row.order.id
  await Promise.all(
    changes.map((change) =>
      changeUntilTold(world, {
        kind: 'void',
        orderId,
        lineId: null,
        minor: null,
        refundOnFail: false,
        key: '',
        ...change,
      }),
    ),
  )
}
