import type { DetailEntry } from '../../packages/gateway/src/domain/books/batch-agreement.ts'
import type {
  AdviceOutcome,
  AuthorizationOutcome,
} from '../../packages/gateway/src/domain/payments/processor-outcome.ts'
import type {
  AuthorizationRequest,
  Processor,
} from '../../packages/gateway/src/usecases/banks/processor.ts'
import type {
  BatchProcessor,
  DetailOutcome,
  TotalsOutcome,
} from '../../packages/gateway/src/usecases/books/batch-processor.ts'
import { NO_BANK_FACTS } from '../../packages/gateway/src/usecases/payments/payment-ending.ts'
import { keyOf, type Bank, type Verdict } from './bank.ts'
import type { Random } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import type { Weather } from './weather.ts'

/** The faults of one message's journey, set by a test; without them, all goes well. */
export interface Journey {
  readonly requestLost?: boolean
  readonly requestMs?: number
  readonly answerLost?: boolean
  readonly answerMs?: number
  /** The same message arrives once more after so long. */
  readonly againMs?: number
  /** The link breaks after so long; messages that were sent still arrive. */
  readonly linkLostMs?: number
  readonly bankBusy?: boolean
}

export interface NetworkConditions {
  readonly journeyOf: (message: string) => Journey
  readonly isBankAway: () => boolean
  readonly trace: ((text: string) => void) | null
}

/** Callers that wait for authorizations may receive approvals that came after the wait. */
export type LateApproval = (request: AuthorizationRequest) => void

/** The link to the bank, with messages that are lost, slow, doubled and overtaken. */
export class Network {
  readonly #bank: Bank
  readonly #scheduler: Scheduler
  readonly #conditions: NetworkConditions

  constructor(bank: Bank, scheduler: Scheduler, conditions: NetworkConditions) {
    this.#bank = bank
    this.#scheduler = scheduler
    this.#conditions = conditions
  }

  /** The port of one process; `onLate` receives approvals that no caller waits for any more. */
  portOf(owner: Owner, onLate: LateApproval): Processor {
    return {
      retrievalReference: keyOf,
      entryMode: () => '812',
      authorize: (request, timeoutMs) =>
        this.#exchange<Verdict, AuthorizationOutcome>(owner, timeoutMs, {
          name: `${request.kind} ${keyOf(request.message)}`,
          apply: () => this.#bank.authorize(request, verdictOf(request)),
          read: (verdict) => outcomeOf(verdict, request),
          busy: { kind: 'declined', serviceCode: 530, answer: answerWith('96', '') },
          late: (outcome) => {
            if (outcome.kind === 'approved') onLate(request)
          },
        }),
      deliver: (advice, timeoutMs) =>
        this.#exchange<string, AdviceOutcome>(owner, timeoutMs, {
          name: `${advice.kind} advice ${keyOf(advice.message)}`,
          apply: () => this.#bank.advise(advice),
          read: (responseCode) => {
            const finished = advice.kind !== 'reversal' || responseCode !== '76'
            if (!finished) return { kind: 'refused', responseCode }
            const agreed = advice.kind === 'reversal' || responseCode === '00'
            return { kind: 'acknowledged', responseCode, agreed }
          },
          busy: { kind: 'refused', responseCode: '96' },
          late: () => undefined,
        }),
    }
  }

  /** The port of one process for batches. */
  batchPortOf(owner: Owner): BatchProcessor {
    const busy = { kind: 'refused', responseCode: '96' } as const
    return {
      agreeTotals: (request, timeoutMs) =>
        this.#exchange<ReturnType<Bank['reconcile']>, TotalsOutcome>(owner, timeoutMs, {
          name: `totals of batch ${request.batchId}`,
          apply: () => this.#bank.reconcile(request),
          read: (answer) => ({ kind: 'answered', ...answer }),
          busy,
          late: () => undefined,
        }),
      readDetail: (request, timeoutMs) =>
        this.#exchange<DetailEntry[], DetailOutcome>(owner, timeoutMs, {
          name: `detail of batch ${request.batchId}`,
          apply: () => this.#bank.listBatch(request.batchId),
          read: (rows) => ({ kind: 'answered', rows, total: rows.length }),
          busy,
          late: () => undefined,
        }),
    }
  }

  #exchange<Answer, Outcome>(
    owner: Owner,
    timeoutMs: number,
    message: {
      readonly name: string
      readonly apply: () => Answer
      readonly read: (answer: Answer) => Outcome
      readonly busy: Outcome
      readonly late: (outcome: Outcome) => void
    },
  ): Promise<
    | Outcome
    | { kind: 'not_sent'; reason: 'link_down' }
    | { kind: 'unknown'; reason: 'timeout' | 'link_lost' }
  > {
    const { isBankAway, journeyOf, trace } = this.#conditions
    const scheduler = this.#scheduler
    return new Promise((resolve) => {
      let waits = true
      const finish = (outcome: Parameters<typeof resolve>[0]): void => {
        if (!waits) return
        waits = false
        scheduler.resumed = true
        resolve(outcome)
      }
      if (isBankAway()) {
        trace?.(`${owner.name}: ${message.name} is not sent`)
        scheduler.after(1, owner, () => finish({ kind: 'not_sent', reason: 'link_down' }))
        return
      }
      const journey = journeyOf(message.name)
      const arrive = (): void => {
        if (isBankAway()) return
        const outcome = journey.bankBusy === true ? message.busy : message.read(message.apply())
        trace?.(`bank: ${message.name} ${JSON.stringify(outcome, withBigints)}`)
        if (journey.answerLost === true) return
        scheduler.after(journey.answerMs ?? 5, owner, () => {
          if (!waits) message.late(outcome)
          finish(outcome)
        })
      }
      trace?.(`${owner.name}: ${message.name} leaves`)
      if (journey.requestLost !== true) scheduler.after(journey.requestMs ?? 5, null, arrive)
      if (journey.againMs !== undefined) scheduler.after(journey.againMs, null, arrive)
      const giveUp = (afterMs: number, reason: 'timeout' | 'link_lost'): void =>
        scheduler.after(
          afterMs,
          owner,
          () => {
            // Only a wait that ends here counts as a moment at which a process may continue or die.
            if (waits) scheduler.after(0, owner, () => finish({ kind: 'unknown', reason }))
          },
          true,
        )
      giveUp(timeoutMs, 'timeout')
      if (journey.linkLostMs !== undefined) giveUp(journey.linkLostMs, 'link_lost')
    })
  }
}

/** The faults of a message in this weather. */
export function drawJourney(random: Random, weather: Weather): Journey {
  const slowly = (): number =>
    random.chance(weather.slow) ? random.between(1_000, 120_000) : random.between(2, 40)
  return {
    requestLost: random.chance(weather.requestLost),
    requestMs: slowly(),
    answerLost: random.chance(weather.answerLost),
    answerMs: slowly(),
    ...(random.chance(weather.twice) ? { againMs: random.between(10, 60_000) } : {}),
    ...(random.chance(weather.linkLost) ? { linkLostMs: random.between(1, 100) } : {}),
    bankBusy: random.chance(weather.bankBusy),
  }
}

/** The scripts for the bank: a request's descriptor names one. */
export const SCRIPTS = ['approve', 'part', 'decline', 'wrong address'] as const
export type Script = (typeof SCRIPTS)[number]

function verdictOf({ amountMinor, descriptor }: AuthorizationRequest): Verdict {
  switch (descriptor.name as Script) {
    case 'approve':
      return { kind: 'approve', minor: amountMinor, avs: 'Y' }
    case 'wrong address':
      return { kind: 'approve', minor: amountMinor, avs: 'N' }
    case 'part':
      return { kind: 'approve', minor: (amountMinor * 2n + 2n) / 3n, avs: 'Y' }
    case 'decline':
      return { kind: 'decline', code: '05' }
  }
}

function outcomeOf(verdict: Verdict, { kind }: AuthorizationRequest): AuthorizationOutcome {
  if (verdict.kind === 'decline') {
    return { kind: 'declined', serviceCode: 600, answer: answerWith(verdict.code, '') }
  }
  const answer = answerWith('00', kind === 'refund' ? '' : verdict.avs)
  return { kind: 'approved', approvedMinor: verdict.minor, answer }
}

function answerWith(responseCode: string, avsCode: string) {
  return { ...NO_BANK_FACTS, settled: null, responseCode, avsCode }
}

function withBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
