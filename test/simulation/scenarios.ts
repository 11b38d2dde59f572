import type { Change, Purchase } from './merchant.ts'
import type { Journey } from './network.ts'
import type { World } from './world.ts'

/** A short story that is told again and again, with a fault at another moment each time. */
export interface Scenario {
  readonly play: (world: World) => Promise<void>
  /** What befalls a bank message; nothing when not given. */
  readonly journey?: (message: string) => Journey
}

/** The names are those of what is under fault; what leads there is too. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  authorize: { play: (world) => buy(world, { kind: 'authorize' }) },
  sale: { play: (world) => buy(world, { kind: 'sale' }) },
  'credit without an order': { play: (world) => buy(world, { kind: 'credit', duplicates: 'allow' }) },
  'approval that the address rule refuses': {
    play: (world) => buy(world, { kind: 'sale', script: 'wrong address' }),
  },
  capture: {
    play: (world) => buy(world, { kind: 'authorize' }, [{ kind: 'capture', minor: 600n }]),
  },
  void: { play: (world) => buy(world, { kind: 'authorize' }, [{ kind: 'void' }]) },
  'void of a sale': { play: (world) => buy(world, { kind: 'sale' }, [{ kind: 'void' }]) },
  credit: { play: (world) => buy(world, { kind: 'sale' }, [{ kind: 'credit', minor: 400n }]) },
  'captures and a void at once': {
    play: (world) =>
      buy(world, { kind: 'authorize' }, [
        { kind: 'capture', minor: 600n },
        { kind: 'capture', minor: 300n },
        { kind: 'void' },
      ]),
  },
  'two requests of one reference': {
    async play(world) {
      await Promise.all([buy(world, { kind: 'sale' }), buy(world, { kind: 'sale' })])
    },
  },
  'unknown outcome, then the late answer': {
    play: (world) => buy(world, { kind: 'authorize' }),
    journey: (message) => (message.startsWith('authorize') ? { answerMs: 26_000 } : {}),
  },
  'unknown outcome, and a request that comes after its reversal': {
    play: (world) => buy(world, { kind: 'sale' }),
    journey: (message) => (message.startsWith('sale') ? { requestMs: 90_000 } : {}),
  },
  'link lost, and the request arrives twice': {
    play: (world) => buy(world, { kind: 'authorize' }),
    journey: (message) => (message.startsWith('authorize') ? { linkLostMs: 1, againMs: 40_000 } : {}),
  },
}

const PURCHASE: Purchase = {
  kind: 'authorize',
  lines: [700n, 300n],
  script: 'approve',
  reference: 'order-1',
  duplicates: 'replay',
  partialAllowed: false,
}

async function buy(
  world: World,
  purchase: Partial<Purchase>,
  changes: readonly Partial<Change>[] = [],
): Promise<void> {
  const { id } = await world.pay({ ...PURCHASE, ...purchase })
  const row = [...world.store.transactions.values()].find(({ requestId }) => requestId === id)
  if (row === undefined) return
  const orderId = row.order.id
  await Promise.all(
    changes.map((change) =>
      world.change({ kind: 'void', orderId, lineId: null, minor: null, creditOnFail: false, ...change }),
    ),
  )
}
