import type { IdempotencyKey } from '../../packages/gateway/src/domain/payments/idempotency-key.ts'
import type {
  AdjustmentPlan,
  LockedOrder,
} from '../../packages/gateway/src/usecases/payments/adjustment-store.ts'
import { KeyTakenError } from '../../packages/gateway/src/usecases/payments/idempotency-key.ts'
import type { TransactionView } from '../../packages/gateway/src/usecases/payments/transaction-view.ts'
import type { DurableStore } from './durable-store.ts'
import type { Random } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import { viewOf } from './transaction-views.ts'

/** The database was unreachable, or was lost before it answered. */
export class DatabaseAwayError extends Error {
  override readonly name = 'DatabaseAwayError'
  /** Whether the caller can be sure that the step was not taken, and never will be. */
  readonly nothingWritten: boolean

  constructor(step: string, nothingWritten: boolean) {
    super(`The database went away during: ${step}.`)
    this.nothingWritten = nothingWritten
  }
}

export type StepFault = 'none' | 'fails' | 'answer_lost' | 'comes_late'

export interface DatabaseConditions {
  /** Drawn once for each step. */
  readonly faultOf: (step: string) => StepFault
  /**
   * How long until the answer of a step that was taken is read: long when the process stands still.
   */
  readonly answerDelayMs: () => number
  readonly isAway: () => boolean
  readonly now: () => Date
  readonly trace: ((text: string) => void) | null
}

interface Adjustment {
  readonly owner: Owner
  readonly siteId: bigint
  readonly orderId: bigint
  readonly plan: (order: LockedOrder | null) => Promise<AdjustmentPlan | null>
  readonly key: IdempotencyKey | null
  readonly fault: StepFault
  readonly resolve: (view: TransactionView | null) => void
  readonly reject: (error: unknown) => void
}

interface Lock {
  owner: Owner
  readonly waiting: Adjustment[]
}

const NOBODY: Owner = { name: 'a lost connection', alive: true }
const NOTHING_HELD = { failed: () => undefined, late: () => undefined }

/** The access to the durable data: takes time, fails, and loses answers. */
export class Database {
  readonly #store: DurableStore
  readonly #scheduler: Scheduler
  readonly #random: Random
  readonly #conditions: DatabaseConditions
  readonly #locks = new Map<bigint, Lock>()
  /** Violations that the store refused; a sound gateway never causes one. */
  readonly brokenConstraints: string[] = []
  /** Steps that were sent and not taken yet, and whose they are. */
  readonly #sent = new Map<() => void, Owner>()

  constructor(
    store: DurableStore,
    scheduler: Scheduler,
    random: Random,
    conditions: DatabaseConditions,
  ) {
    this.#store = store
    this.#scheduler = scheduler
    this.#random = random
    this.#conditions = conditions
  }

  /** One durable step, or one read. */
  step<Result>(owner: Owner, name: string, take: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const fault = this.#conditions.faultOf(name)
      this.#send(owner, name, fault, take, resolve, reject)
    })
  }

  adjust(
    owner: Owner,
    siteId: bigint,
    orderId: bigint,
    plan: Adjustment['plan'],
    key: IdempotencyKey | null,
  ): Promise<TransactionView | null> {
    return new Promise((resolve, reject) => {
      const fault = this.#conditions.faultOf('adjust')
      const adjustment = { owner, siteId, orderId, plan, key, fault, resolve, reject }
      this.#scheduler.after(this.#travel(), owner, () => {
        if (this.#conditions.isAway())
          return this.#answer(owner, () => reject(new DatabaseAwayError('lock', true)))
        const lock = this.#locks.get(orderId)
        if (lock !== undefined) lock.waiting.push(adjustment)
        else {
          this.#locks.set(orderId, { owner, waiting: [] })
          this.#decide(adjustment)
        }
      })
    })
  }

  /**
   * Closes the open batch. Adjustments hold it shared until they commit, so this waits for them.
   */
  async cutOff(owner: Owner): Promise<bigint | null> {
    for (;;) {
      const closed = await this.step(owner, 'cut off', () =>
        this.#locks.size > 0 ? 'held' : this.#store.batches.cutOff(this.#conditions.now()),
      )
      if (closed !== 'held') return closed
      await this.#scheduler.pause(owner, this.#random.between(1, 20))
    }
  }

  /**
   * Releases the locks of a dead process. A step that it had sent may have been on the wire:
   * `happens` decides whether it was.
   */
  lose(owner: Owner, happens: () => boolean): void {
    for (const [take, whose] of this.#sent) {
      if (whose !== owner) continue
      this.#sent.delete(take)
      if (happens()) this.#take(take)
    }
    for (const [orderId, lock] of this.#locks) {
      const alive = lock.waiting.filter((waiting) => waiting.owner !== owner)
      lock.waiting.splice(0, lock.waiting.length, ...alive)
      if (lock.owner === owner) this.#release(orderId)
    }
  }

  /** The lock is held now, so a read includes its last holder's changes. */
  #decide(adjustment: Adjustment): void {
    const { owner, siteId, orderId, plan, key } = adjustment
    const scheduler = this.#scheduler
    scheduler.resumed = true
    if (key !== null && this.#store.keys.has(key.key)) {
      this.#release(orderId)
      return this.#answer(owner, () => adjustment.reject(new KeyTakenError()))
    }
    const order = this.#store.readLocked(siteId, orderId, this.#conditions.now())
    plan(order).then(
      (decided) => {
        if (decided === null) {
          this.#release(orderId)
          this.#answer(owner, () => adjustment.resolve(null))
        } else this.#commit(adjustment, decided)
      },
      (error: unknown) => {
        this.#release(orderId)
        this.#answer(owner, () => adjustment.reject(error))
      },
    )
  }

  #commit(adjustment: Adjustment, plan: AdjustmentPlan): void {
    const { owner, orderId, key, fault, resolve, reject } = adjustment
    const take = (): TransactionView | 'key_taken' | null => {
      const isFree = plan.transaction === null || this.#store.takeKey(key, plan.transaction.id)
      if (isFree) this.#store.applyPlan(orderId, plan)
      this.#release(orderId)
      if (!isFree) return 'key_taken'
      const row =
        plan.transaction === null ? undefined : this.#store.transactions.get(plan.transaction.id)
      return row === undefined ? null : viewOf(row)
    }
    const answer = (view: TransactionView | 'key_taken' | null): void =>
      view === 'key_taken' ? reject(new KeyTakenError()) : resolve(view)
    this.#send(owner, 'adjust', fault, take, answer, reject, {
      failed: () => this.#release(orderId),
      // The process has lost its connection, which holds the lock until it commits.
      late: () => {
        const lock = this.#locks.get(orderId)
        if (lock !== undefined) lock.owner = NOBODY
      },
    })
  }

  #send<Result>(
    owner: Owner,
    name: string,
    fault: StepFault,
    take: () => Result,
    resolve: (result: Result) => void,
    reject: (error: unknown) => void,
    onFault: { readonly failed: () => void; readonly late: () => void } = NOTHING_HELD,
  ): void {
    const { isAway, trace } = this.#conditions
    this.#sent.set(take, owner)
    this.#scheduler.after(this.#travel(), owner, () => {
      this.#sent.delete(take)
      if (fault === 'fails' || isAway()) {
        trace?.(`${owner.name}: ${name} fails`)
        onFault.failed()
        return this.#answer(owner, () => reject(new DatabaseAwayError(name, true)))
      }
      if (fault === 'comes_late') {
        trace?.(`${owner.name}: ${name} fails, and will be taken late`)
        onFault.late()
        this.#scheduler.after(this.#random.between(1, 3_000), null, () => {
          trace?.(`${owner.name}: ${name} is taken late`)
          this.#take(take)
        })
        return this.#answer(owner, () => reject(new DatabaseAwayError(name, false)))
      }
      const result = this.#take(take)
      trace?.(`${owner.name}: ${name}${fault === 'answer_lost' ? ', its answer is lost' : ''}`)
      this.#answer(owner, () => {
        if (fault === 'answer_lost') reject(new DatabaseAwayError(name, false))
        else if (result.kind === 'broken') reject(result.error)
        else resolve(result.value)
      })
    })
  }

  /** A step that breaks a constraint rejects its caller, and is kept as a broken invariant. */
  #take<Result>(
    take: () => Result,
  ): { kind: 'taken'; value: Result } | { kind: 'broken'; error: unknown } {
    try {
      return { kind: 'taken', value: take() }
    } catch (error) {
      this.brokenConstraints.push(String(error))
      return { kind: 'broken', error }
    }
  }

  #answer(owner: Owner, go: () => void): void {
    this.#scheduler.after(this.#conditions.answerDelayMs(), owner, () => {
      this.#scheduler.resumed = true
      go()
    })
  }

  #release(orderId: bigint): void {
    const lock = this.#locks.get(orderId)
    const next = lock?.waiting.shift()
    if (lock === undefined) return
    if (next === undefined) this.#locks.delete(orderId)
    else {
      lock.owner = next.owner
      // In an event of its own: a dead or committing owner must not run the next owner's code.
      this.#scheduler.after(0, next.owner, () => this.#decide(next))
    }
  }

  #travel(): number {
    return this.#random.between(1, 8)
  }
}
