import { invariant } from '../../base/invariant.ts'
import { respondBy } from '../../domain/disputes/deadline.ts'
import {
  blockedMinor,
  isEnded,
  takesAnswers,
  type DisputeState,
} from '../../domain/disputes/dispute-states.ts'
import { networkLimit } from '../../domain/disputes/network-rules.ts'
import { NoticeRefusedError } from '../../domain/disputes/notice-record.ts'
import { effectOf, type Notice } from '../../domain/disputes/notice.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { CaseChange, DisputedOrder, FeedOwner, NoticeTx, StoredCase } from './notice-store.ts'

/** A notice with its line in a file, or its place in an answer of a bank, from 1 on. */
export interface PlacedNotice {
  readonly notice: Notice
  readonly line: number
}

export interface RecordDeps {
  readonly transact: Transact<NoticeTx & AuditedTx>
  readonly clock: { now(): Date }
  /** The actor in the audit log. */
  readonly by: string
}

export interface Recorded {
  readonly recorded: number
  /** Notices that were there already, with the same content. */
  readonly repeated: number
  /** New cases that no order fits. */
  readonly withoutOrder: number
}

type Tx = NoticeTx & AuditedTx

/**
 * Records notices of one account: all of them or none. The same notices again change nothing.
 * @throws NoticeRefusedError for a gap, a contradiction, or notices of another sender
 */
export async function recordNotices(
  deps: RecordDeps,
  owner: FeedOwner,
  placed: readonly PlacedNotice[],
): Promise<Recorded> {
  return deps.transact(async (tx) => {
    const now = deps.clock.now()
    const feed = await tx.holdFeed(owner, deps.by)
    if (feed.sender !== owner.sender) {
      throw new NoticeRefusedError(1, `The notices of this account come from ${feed.sender}.`)
    }
    const fresh = await withoutRepeated(tx, feed.id, feed.lastN, placed)
    await refuseUsedIds(tx, owner.sender, fresh)
    const work = new Recording(tx, owner, feed.id, { at: now, by: deps.by })
    await work.record(fresh)
    const recorded = fresh.length
    const last = fresh.at(-1)
    if (last !== undefined) {
      await tx.advanceFeed(feed.id, last.notice.n)
      const { merchantAccountId, merchantId } = owner
      const object = `merchant account ${merchantAccountId}`
      const details = { notices: recorded, last: last.notice.n.toString() }
      const author = { actor: deps.by, address: '' }
      await tx.audit([
        {
          ...author,
          operation: 'dispute.notices_recorded',
          object,
          merchantId,
          result: 'done',
          details,
        },
      ])
    }
    return { recorded, repeated: placed.length - recorded, withoutOrder: work.withoutOrder }
  })
}

/** The notices behind the last one, without a gap. */
async function withoutRepeated(
  tx: Tx,
  feedId: bigint,
  lastN: bigint,
  placed: readonly PlacedNotice[],
): Promise<readonly PlacedNotice[]> {
  const old = placed.filter(({ notice }) => notice.n <= lastN)
  const stored = await tx.findStored(
    feedId,
    old.map(({ notice }) => notice.n),
  )
  for (const { line, notice } of old) {
    if (stored.get(notice.n) === notice.contentSha256) continue
    throw new NoticeRefusedError(line, `Notice ${notice.n} was recorded with other content.`)
  }
  const fresh = placed.filter(({ notice }) => notice.n > lastN)
  let expected = lastN
  for (const { line, notice } of fresh) {
    expected += 1n
    if (notice.n === expected) continue
    throw new NoticeRefusedError(line, `Notice ${notice.n} came; expected notice ${expected}.`)
  }
  return fresh
}

async function refuseUsedIds(
  tx: Tx,
  sender: string,
  fresh: readonly PlacedNotice[],
): Promise<void> {
  const used = new Set(
    await tx.findUsedIds(
      sender,
      fresh.map(({ notice }) => notice.id),
    ),
  )
  for (const { line, notice } of fresh) {
    if (used.has(notice.id)) {
      throw new NoticeRefusedError(line, `The id ${notice.id} is that of another notice.`)
    }
    used.add(notice.id)
  }
}

/** Records the new notices of one account in its transaction. */
class Recording {
  withoutOrder = 0
  readonly #tx: Tx
  readonly #owner: FeedOwner
  readonly #feedId: bigint
  readonly #received: { readonly at: Date; readonly by: string }
  #cases = new Map<string, StoredCase>()
  #orders: ReadonlyMap<bigint, DisputedOrder> = new Map()

  constructor(
    tx: Tx,
    owner: FeedOwner,
    feedId: bigint,
    received: { readonly at: Date; readonly by: string },
  ) {
    this.#tx = tx
    this.#owner = owner
    this.#feedId = feedId
    this.#received = received
  }

  async record(fresh: readonly PlacedNotice[]): Promise<void> {
    if (fresh.length === 0) return
    const tx = this.#tx
    const ids = [...new Set(fresh.map(({ notice }) => notice.caseId))]
    this.#cases = new Map(await tx.findCases(this.#feedId, ids))
    const orderOf = await this.#findOrders(fresh)
    // All of them before the first decision, in one sequence: refunds wait, and none deadlocks.
    this.#orders = await tx.lockOrders([...new Set(orderOf.values())])
    const today = await tx.readToday(this.#owner.merchantAccountId, this.#received.at)
    const touched = new Set<bigint>()
    for (const { line, notice } of fresh) {
      touched.add(await this.#recordOne(notice, line, orderOf.get(notice.caseId) ?? null, today))
    }
    const { at, by } = this.#received
    for (const [orderId, order] of this.#orders) {
      const disputed = await tx.sumBlocked(orderId)
      const isExcess = disputed > order.capturedMinor
      await tx.putDisputedOrder(this.#owner.merchantId, orderId, disputed, isExcess)
      await tx.noteExcess(orderId, isExcess, at, by)
    }
    await tx.settleMoney([...touched], at, by)
  }

  /** The order of each case, by its id at the acquirer. */
  async #findOrders(fresh: readonly PlacedNotice[]): Promise<Map<string, bigint>> {
    const orderOf = new Map<string, bigint>()
    for (const [caseId, { orderId }] of this.#cases) {
      if (orderId !== null) orderOf.set(caseId, orderId)
    }
    for (const { notice } of fresh) {
      if (orderOf.has(notice.caseId)) continue
      const orderId = await this.#tx.findOrder(this.#owner, notice)
      if (orderId !== null) orderOf.set(notice.caseId, orderId)
    }
    return orderOf
  }

  async #recordOne(
    notice: Notice,
    line: number,
    orderId: bigint | null,
    today: string,
  ): Promise<bigint> {
    const tx = this.#tx
    const found = this.#cases.get(notice.caseId) ?? null
    const effect = effectOf(notice, found)
    if (effect.kind === 'contradicts') throw new NoticeRefusedError(line, effect.reason)
    const { isCharged, state } = effect
    const order = orderId === null ? null : this.#orders.get(orderId)
    invariant(order !== undefined, 'a disputed order was not locked')
    const change = {
      state,
      isCharged,
      orderId,
      blockedMinor: order === null ? 0n : blockedMinor(state, isCharged, disputedOf(notice, order)),
      ...deadlinesOf(notice, state, today),
      isEnded: isEnded(state),
    } satisfies CaseChange
    let id: bigint
    if (found === null) {
      id = await tx.openCase(this.#owner, this.#feedId, notice, change)
      if (orderId === null) this.withoutOrder += 1
    } else {
      id = found.id
      await tx.changeCase(id, notice, change)
    }
    this.#cases.set(notice.caseId, { id, state, isCharged, orderId })
    const moved = { id, before: found?.state ?? null, after: state }
    await tx.addNotice(this.#owner, this.#feedId, moved, notice, this.#received)
    return id
  }
}

/** An amount in another currency cannot be compared: then nothing captured can be refunded. */
function disputedOf({ amountMinor, currency }: Notice, order: DisputedOrder): bigint {
  return currency === order.currency ? amountMinor : order.capturedMinor
}

function deadlinesOf(
  notice: Notice,
  state: DisputeState,
  today: string,
): Pick<CaseChange, 'networkDue' | 'respondBy'> {
  const stageDay = notice.at.toISOString().slice(0, 10)
  const listed =
    state === 'inquiry' || !takesAnswers(state) ? null : networkLimit(notice.brand, state, stageDay)
  const networkDue = notice.networkDue ?? listed
  // A stage that waits for the other side has nothing to answer.
  if (networkDue === null || !takesAnswers(state)) return { networkDue: null, respondBy: null }
  return { networkDue, respondBy: respondBy(networkDue, today) }
}
