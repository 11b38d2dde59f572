import type { Change, Purchase } from './merchant.ts'
import { SCRIPTS, type Script } from './network.ts'
import type { Random } from './random.ts'
import type { Request } from './requests.ts'
import { AUTHORIZATION_LIFE_MS, type World } from './world.ts'

/** The clients' requests of one schedule, drawn from its seed, and the outages meanwhile. */
export function playWorkload(world: World): void {
  const { random, weather } = world
  const orders = random.between(1, 3)
  for (let number = 1; number <= orders; number += 1) {
    world.play(() => buyAndChange(world, `order-${number}`))
  }
  for (let closes = random.below(3); closes > 0; closes -= 1) {
    world.play(async () => {
      await world.scheduler.pause(null, random.below(20_000))
      await world.closeBatch()
    })
  }
  if (weather.bankAwayS > 0) world.play(() => outage(world, 'bank', weather.bankAwayS))
  if (weather.databaseAwayS > 0) world.play(() => outage(world, 'database', weather.databaseAwayS))
  if (random.chance(weather.clockJumps)) {
    world.play(async () => {
      await world.scheduler.pause(null, random.below(5_000))
      world.jumpClock(AUTHORIZATION_LIFE_MS)
    })
  }
}

async function outage(world: World, what: 'bank' | 'database', seconds: number): Promise<void> {
  await world.scheduler.pause(null, world.random.below(3_000))
  world.takeAway(what, seconds * 1_000)
}

/**
 * A purchase, perhaps sent several times, and then operations of the shop on its order, many at
 * once.
 */
async function buyAndChange(world: World, reference: string): Promise<void> {
  const { random, scheduler } = world
  await scheduler.pause(null, random.below(2_000))
  const purchase = drawPurchase(random, reference)
  const repeats = purchase.duplicates !== 'allow' || purchase.key !== ''
  const copies = repeats && random.chance(60) ? random.between(2, 3) : 1
  const requests = await atOnce(world, copies, 200, () => payUntilKnown(world, purchase))
  if (purchase.key !== '' && random.chance(20)) {
    // A mistake of the shop: the key was for another payment, or for another mode of the same.
    await world.pay(random.chance(50) ? { ...purchase, lines: [50n] } : drawMode(random, purchase))
  }
  let last = requests[0]
  if (requests.every(({ told }) => told?.kind !== 'told') && random.chance(50)) {
    await scheduler.pause(null, random.below(90_000))
    last = await world.pay(purchase)
  }
  if (last?.told?.kind === 'told' && last.told.state === 'declined' && random.chance(60)) {
    await scheduler.pause(null, random.below(150_000))
    // Under a new key it may be a new attempt, under the old one it is a repeat.
    const key = purchase.key === '' || random.chance(50) ? purchase.key : drawKey(random)
    await atOnce(world, random.between(1, 2), 500, () => world.pay({ ...purchase, key }))
  }
  const orderId = orderOf(world, [...requests, ...(last === undefined ? [] : [last])])
  if (orderId === null) return
  let changes = random.below(5)
  while (changes > 0) {
    const together = random.between(1, changes)
    changes -= together
    await scheduler.pause(null, random.chance(70) ? random.below(300) : random.below(40_000))
    await atOnce(world, together, 50, () => changeUntilTold(world, drawChange(world, orderId)))
  }
}

/** An operation with a key, which is sent again while its outcome is unknown, or twice at once. */
export async function changeUntilTold(world: World, change: Change): Promise<Request> {
  const { random, scheduler } = world
  if (change.key !== '' && random.chance(20)) {
    await atOnce(world, 2, 100, () => world.change(change))
  }
  let request = await world.change(change)
  for (let tries = 0; tries < 4 && change.key !== '' && isUnknown(request); tries += 1) {
    await scheduler.pause(null, random.below(30_000))
    request = await world.change(change)
  }
  return request
}

/** A payment, which is sent again while its outcome is unknown if it has a key. */
export async function payUntilKnown(world: World, purchase: Purchase): Promise<Request> {
  const { random, scheduler } = world
  let request = await world.pay(purchase)
  for (let tries = 0; tries < 3 && purchase.key !== '' && isUnknown(request); tries += 1) {
    await scheduler.pause(null, random.below(30_000))
    request = await world.pay(purchase)
  }
  return request
}

function drawKey(random: Random): string {
  return `pay-${random.below(1_000_000)}`
}

function drawMode(random: Random, purchase: Purchase): Purchase {
  if (purchase.kind === 'refund') return purchase
  return { ...purchase, duplicates: random.pick(['allow', 'refuse', 'replay']) }
}

function isUnknown({ told }: Request): boolean {
  return told?.kind === 'silence' || told?.kind === 'uncertain' || told?.kind === 'unavailable'
}

function atOnce(
  { random, scheduler }: World,
  count: number,
  withinMs: number,
  send: () => Promise<Request>,
): Promise<Request[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      await scheduler.pause(null, random.below(withinMs))
      return send()
    }),
  )
}

function drawPurchase(random: Random, reference: string): Purchase {
  const scripts: readonly [Script, ...Script[]] = [
    'approve',
    'approve',
    'approve',
    'approve',
    ...SCRIPTS,
  ]
  const kind = random.pick([
    'authorization',
    'authorization',
    'authorization',
    'sale',
    'sale',
    'refund',
  ])
  const lines = Array.from({ length: random.between(1, 2) }, () =>
    BigInt(random.between(1, 20) * 100),
  )
  return {
    kind,
    lines: kind === 'authorization' && random.chance(3) ? [0n] : lines,
    script: kind === 'refund' ? random.pick(['approve', 'decline']) : random.pick(scripts),
    reference,
    // An unreferenced credit has none to be the same as.
    duplicates: kind === 'refund' ? 'allow' : random.pick(['allow', 'refuse', 'replay']),
    partialAllowed: random.chance(50),
    cardExpired: random.chance(3),
    key: random.chance(40) ? drawKey(random) : '',
  }
}

function drawChange({ random, store }: World, orderId: bigint): Change {
  const order = store.orders.get(orderId)
  const total = Number(order?.authorizedMinor ?? 0n)
  const lines = order?.lines ?? []
  const kind = random.pick(['capture', 'capture', 'refund', 'void', 'capture_void'])
  return {
    kind,
    orderId,
    lineId: random.chance(25) ? (lines[random.below(lines.length)]?.id ?? null) : null,
    minor: random.chance(40) ? null : BigInt(random.between(1, Math.max(1, total))),
    refundOnFail: kind.startsWith('void') && random.chance(30),
    key: random.chance(60) ? `key-${random.below(1_000_000)}` : '',
  }
}

/** The order that a client knows: from an answer, or by querying its request. */
function orderOf({ store }: World, requests: readonly Request[]): bigint | null {
  for (const { id, told } of requests) {
    if (told?.kind === 'told') return store.transactions.get(told.transactionId)?.order.id ?? null
    for (const row of store.transactions.values()) if (row.requestId === id) return row.order.id
  }
  return null
}
