import { CardNumber } from '../../packages/gateway/src/domain/payments/card-number.ts'
import type { AuthorizationRequest } from '../../packages/gateway/src/usecases/banks/processor.ts'
import type { NamedAdjustmentResult } from '../../packages/gateway/src/usecases/payments/adjust-named-order.ts'
import { OutcomeUncertainError } from '../../packages/gateway/src/usecases/payments/learn-truth.ts'
import type { PaymentResult } from '../../packages/gateway/src/usecases/payments/payment-command.ts'
import { Bank, type BankRules } from './bank.ts'
import { Database, DatabaseAwayError, type StepFault } from './database.ts'
import { DurableStore } from './durable-store.ts'
import { GatewayProcess, type Ports } from './gateway-process.ts'
import {
  ACCOUNT,
  adjustmentCommand,
  PAN,
  paymentCommand,
  type Change,
  type Purchase,
} from './merchant.ts'
import { drawJourney, Network, type Journey } from './network.ts'
import { Random } from './random.ts'
import { describe, tellResult, type Request, type Told } from './requests.ts'
import { Scheduler, type Owner } from './scheduler.ts'
import { FINE, type Weather } from './weather.ts'

export interface WorldOptions {
  readonly seed: number
  readonly weather: Weather
  readonly processes: number
  readonly bank?: Partial<BankRules>
  /** Wraps a process's ports, to leave out a rule. */
  readonly breakRule?: (world: World, ports: Ports, owner: Owner) => Ports
  readonly lateApproval?: (world: World, request: AuthorizationRequest, owner: Owner) => void
  /** Replaces randomness where a test forces an event. */
  readonly script?: {
    readonly stepFault?: (step: string, number: number) => StepFault
    readonly journey?: (message: string) => Journey
    readonly crashes?: (point: number) => boolean
  }
  readonly trace?: (text: string) => void
}

const BEGIN = Date.UTC(2026, 0, 5, 9)
const DAY_MS = 86_400_000
export const AUTHORIZATION_LIFE_MS = 9 * DAY_MS
const MOST_STEPS = 60_000
const REST_WITHIN_MS = 3_600_000

/** One merchant, one bank, one database, a few gateway processes, and the weather. */
export class World {
  readonly random: Random
  readonly scheduler = new Scheduler()
  readonly store = new DurableStore(ACCOUNT, new CardNumber(PAN))
  readonly bank: Bank
  readonly database: Database
  readonly network: Network
  readonly requests: Request[] = []
  /** A sentence for each event that must never happen and did. */
  readonly faults: string[] = []
  readonly lateApproval: (request: AuthorizationRequest, owner: Owner) => void
  weather: Weather
  /**
   * The number of moments so far at which a process could have died, or a step could have failed.
   */
  crashPoints = 0
  databaseSteps = 0
  readonly #options: WorldOptions
  readonly #processes: GatewayProcess[] = []
  readonly #waiting = new Map<(told: Told) => void, Owner>()
  /** Clients and outages that are still running. */
  #parts = 0
  #crashes = 0
  #started = 0
  #clockAheadMs = 0
  #bankBackAt = 0
  #databaseBackAt = 0
  #lastId = 1_000n

  constructor(options: WorldOptions) {
    this.#options = options
    const { weather, seed, lateApproval } = options
    this.weather = weather
    this.random = new Random(seed)
    this.bank = new Bank({
      tombstones: true,
      memory: true,
      laterBatchesOnly: true,
      ...options.bank,
    })
    this.lateApproval = (request, owner) => lateApproval?.(this, request, owner)
    const trace = this.#tracer()
    this.database = new Database(this.store, this.scheduler, this.random, {
      faultOf: (step) => this.#stepFault(step),
      answerDelayMs: () =>
        this.random.chance(this.weather.stalls)
          ? this.random.between(5_000, 180_000)
          : this.random.between(1, 8),
      isAway: () => this.scheduler.now < this.#databaseBackAt,
      now: () => this.time(),
      trace,
    })
    this.network = new Network(this.bank, this.scheduler, {
      journeyOf: (message) =>
        options.script === undefined
          ? drawJourney(this.random, this.weather)
          : (options.script.journey?.(message) ?? {}),
      isBankAway: () => this.scheduler.now < this.#bankBackAt,
      trace,
    })
    this.scheduler.crashRule = () => this.#crashesNow()
    this.scheduler.onCrash = (owner) => this.#bury(owner)
    for (let started = 0; started < options.processes; started += 1) this.#start()
  }

  /** The time on the clock: whole milliseconds, and ahead by its jumps. */
  time(): Date {
    return new Date(BEGIN + this.#clockAheadMs + Math.floor(this.scheduler.now))
  }

  jumpClock(byMs: number): void {
    this.#tracer()?.(`the clock jumps by ${byMs / DAY_MS} days`)
    this.#clockAheadMs += byMs
  }

  /** The bank, or the database, is unreachable for so long. */
  takeAway(what: 'bank' | 'database', forMs: number): void {
    this.#tracer()?.(`the ${what} is away for ${forMs / 1_000} s`)
    const back = this.scheduler.now + forMs
    if (what === 'bank') this.#bankBackAt = back
    else this.#databaseBackAt = back
  }

  nextId(): bigint {
    this.#lastId += 1n
    return this.#lastId
  }

  idsRunOut(): boolean {
    return this.random.chance(this.weather.idsRunOut)
  }

  breakRule(ports: Ports, owner: Owner): Ports {
    return this.#options.breakRule?.(this, ports, owner) ?? ports
  }

  pay(purchase: Purchase): Promise<Request> {
    return this.#send(purchase, (process, id) => process.takePayment(paymentCommand(id, purchase)))
  }

  change(change: Change): Promise<Request> {
    return this.#send(change, (process, id) => process.adjustOrder(adjustmentCommand(id, change)))
  }

  /** Closes the open batch as a command does, which ends with its process. */
  async closeBatch(): Promise<void> {
    const alive = this.#processes.filter((process) => process.alive)
    if (alive.length === 0) return
    const process = alive[this.random.below(alive.length)] as GatewayProcess
    this.#tracer()?.(`an operator closes the batch with ${process.name}`)
    await new Promise<void>((resolve) => {
      const ended = (): void => {
        this.#waiting.delete(ended)
        resolve()
      }
      this.#waiting.set(ended, process)
      process.closeBatch().then(ended, ended)
    })
  }

  /** An actor of a schedule besides the gateway: a client, an outage. */
  play(part: () => Promise<void>): void {
    this.#parts += 1
    part().then(
      () => {
        this.#parts -= 1
      },
      (error: unknown) => {
        this.#parts -= 1
        this.faults.push(`A part of the schedule failed: ${String(error)}`)
      },
    )
  }

  /** Runs until all parts have been played, in the weather of this world. */
  async playOut(): Promise<void> {
    await this.#run(() => this.#parts === 0)
  }

  /** Runs good weather until nothing is left to do; reports it if that does not come. */
  async drain(): Promise<void> {
    this.weather = FINE
    this.#bankBackAt = 0
    this.#databaseBackAt = 0
    const limit = this.scheduler.now + REST_WITHIN_MS
    const { store, scheduler } = this
    const rests = await this.#run(
      () =>
        scheduler.pending === 0 &&
        this.#parts === 0 &&
        this.#waiting.size === 0 &&
        store.running.size === 0 &&
        store.queued.size === 0 &&
        !store.batches.hasWork(this.time()).isOpen &&
        store.findExpired(this.time(), 1).length === 0,
      limit,
    )
    if (rests) return
    this.faults.push(
      `No rest after an hour of good weather: ${store.running.size} transactions are running, ` +
        `${store.queued.size} advices are queued, ${this.#waiting.size} requests wait.`,
    )
  }

  #run(done: () => boolean, now = Infinity): Promise<boolean> {
    return this.scheduler.runUntil(
      () =>
        done() ||
        this.faults.length > 0 ||
        this.bank.faults.length > 0 ||
        this.database.brokenConstraints.length > 0,
      { steps: MOST_STEPS, now },
    )
  }

  async #send(
    what: Purchase | Change,
    ask: (process: GatewayProcess, id: bigint) => Promise<PaymentResult | NamedAdjustmentResult>,
  ): Promise<Request> {
    this.#lastId += 1n
    const request: Request = { id: this.#lastId, what, told: null }
    this.requests.push(request)
    let alive = this.#processes.filter((process) => process.alive)
    while (alive.length === 0) {
      await this.scheduler.pause(null, 500)
      alive = this.#processes.filter((process) => process.alive)
    }
    const process = alive[this.random.below(alive.length)] as GatewayProcess
    this.#tracer()?.(`client: request ${request.id} to ${process.name}: ${describe(what)}`)
    request.told = await new Promise<Told>((resolve) => {
      this.#waiting.set(resolve, process)
      const answer = (told: Told): void => {
        this.#waiting.delete(resolve)
        resolve(told)
      }
      ask(process, request.id).then(
        (result) => answer(tellResult(result)),
        (error: unknown) => answer(this.#tellError(error)),
      )
    })
    this.#tracer()?.(`client: request ${request.id} is told ${describe(request.told)}`)
    return request
  }

  #tellError(error: unknown): Told {
    if (error instanceof OutcomeUncertainError) return { kind: 'uncertain' }
    if (error instanceof DatabaseAwayError) return { kind: 'unavailable' }
    this.faults.push(`A request ended with ${String(error)}`)
    return { kind: 'uncertain' }
  }

  #stepFault(step: string): StepFault {
    this.databaseSteps += 1
    const scripted = this.#options.script?.stepFault
    if (scripted !== undefined) return scripted(step, this.databaseSteps - 1)
    const { stepFails, stepAnswerLost, stepComesLate } = this.weather
    if (this.random.chance(stepFails)) return 'fails'
    if (this.random.chance(stepAnswerLost)) return 'answer_lost'
    return this.random.chance(stepComesLate) ? 'comes_late' : 'none'
  }

  #crashesNow(): boolean {
    const scripted = this.#options.script?.crashes
    if (scripted !== undefined) return scripted(this.crashPoints++)
    if (this.weather.crashes === 0 || this.#crashes >= this.weather.mostCrashes) return false
    if (!this.random.chance(this.weather.crashes)) return false
    this.#crashes += 1
    return true
  }

  /** Its continuations never run; a new process starts a little later. */
  #bury(owner: Owner): void {
    this.#tracer()?.(`${owner.name} dies`)
    const isScripted = this.#options.script !== undefined
    this.database.lose(owner, () => !isScripted && this.random.chance(50))
    for (const [resolve, whose] of this.#waiting) {
      if (whose !== owner) continue
      this.#waiting.delete(resolve)
      this.scheduler.resumed = true
      resolve({ kind: 'silence' })
    }
    const delayMs = isScripted ? 1_000 : this.random.between(100, 20_000)
    this.scheduler.after(delayMs, null, () => this.#start())
  }

  #start(): void {
    this.#started += 1
    this.#processes.push(new GatewayProcess(`gateway ${this.#started}`, this))
  }

  #tracer(): ((text: string) => void) | null {
    const { trace } = this.#options
    if (trace === undefined) return null
    return (text) => trace(`${this.scheduler.steps} @${Math.floor(this.scheduler.now)} ms  ${text}`)
  }
}
