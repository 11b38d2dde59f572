import { createHash } from 'node:crypto'
import type { Books } from '../books/books.ts'
import type { DisputeCase, DisputeNote, Notice, Verdict } from '../books/dispute-note.ts'
import { isOpen } from '../books/disputes.ts'
import type { DisputeAccount } from '../books/disputes.ts'
import type { RecordDraft } from '../books/journal-record.ts'
import { settledIn } from '../books/settled-amounts.ts'
import { ControlRefusal } from '../control/control-request.ts'
import { contest, decide, dueStep, toEnd, toStage, verdictOf } from './case-steps.ts'
import type { Step } from './case-steps.ts'
import { disputableOf } from './disputable.ts'
import { noticesOf } from './notices.ts'
import { planSteps, raiseStep } from './raise-case.ts'
import type { RaiseRequest } from './raise-case.ts'

export interface DisputeParts {
  readonly books: Books
  /** Books a record; resolves when it is on the disk. */
  readonly book: (draft: RecordDraft) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The merchant's answer to a stage of a case. */
export interface AnswerRequest {
  readonly merchant: string
  readonly case: string
  readonly id: string
  readonly answer: 'accept' | 'contest'
  readonly text: string
  /** The facts of the evidence files; only their digest is kept. */
  readonly files: readonly object[]
}

/** The places to which a case can be moved at once. */
export const MOVES = ['pre_arbitration', 'arbitration', 'won', 'lost', 'withdrawn'] as const

export type Move = (typeof MOVES)[number]

const PAGE = 500

/**
 * Opens, answers and decides disputes. Each step is one record of the journal with its notices and
 * its money. It is decided and booked in one turn, so no step sees another one half done.
 */
export class DisputeDesk {
  readonly #parts: DisputeParts

  constructor(parts: DisputeParts) {
    this.#parts = parts
  }

  /** Up to 500 notices of a merchant behind a number. They may not be on the disk yet. */
  list(merchant: string, after: number): readonly Notice[] {
    return this.#parts.books.disputes.find(merchant)?.notices.slice(after, after + PAGE) ?? []
  }

  /** Opens a case, or makes an inquiry a chargeback. Throws ControlRefusal. */
  async raise(request: RaiseRequest): Promise<Notice> {
    const { merchant } = request
    await this.#takeDueOf(merchant)
    const { books } = this.#parts
    const account = books.disputes.find(merchant)
    return this.#take(merchant, raiseStep(books, account, request, this.#dayOf(merchant)))
  }

  /**
   * Takes the merchant's answer. An id that is known is answered with its first notice. Throws
   * ControlRefusal where the case takes no answer, or where the id had another content.
   */
  async answer(request: AnswerRequest): Promise<Notice> {
    const { answer, case: caseId, files, id, merchant, text } = request
    await this.#takeDueOf(merchant)
    const account = this.#parts.books.disputes.find(merchant)
    const digest = digestOf([caseId, answer, text, files])
    const known = account?.answers.get(id)
    const before = known && account?.notices[known.n - 1]
    if (known && before) {
      if (known.digest === digest) return before
      throw new ControlRefusal(
        409,
        `The answer ${id} was given to ${before.case} with another content. Use a new id.`,
      )
    }
    const disputed = caseOf(account, merchant, caseId)
    refuseAnswer(disputed, answer)
    const day = this.#dayOf(merchant)
    const step =
      answer === 'accept'
        ? toEnd(disputed, 'accepted', day, id)
        : contest(disputed, verdictOf(text), day, id)
    const n = (account?.notices.length ?? 0) + 1
    return this.#take(merchant, step, { answer: { id, digest, n } })
  }

  /** Moves a case on at once, as the issuer or the network would. Throws ControlRefusal. */
  async move(merchant: string, caseId: string, to: Move): Promise<Notice> {
    await this.#takeDueOf(merchant)
    const disputed = caseOf(this.#parts.books.disputes.find(merchant), merchant, caseId)
    const { answered, stage } = disputed
    const isStage = to === 'pre_arbitration' || to === 'arbitration'
    const isNext = to === 'pre_arbitration' ? stage === 'chargeback' : stage === 'pre_arbitration'
    const isPossible = isStage
      ? isNext && answered !== null
      : isOpen(disputed) && (stage !== 'inquiry' || to === 'withdrawn')
    if (!isPossible) {
      throw new ControlRefusal(
        409,
        `The case ${caseId} is ${describe(disputed)} and cannot become ${to}. ` +
          'docs/dispute-notices.md lists the moves.',
      )
    }
    const day = this.#dayOf(merchant)
    return this.#take(merchant, isStage ? toStage(disputed, to, day) : toEnd(disputed, to, day))
  }

  /** Decides about an answered case at once, instead of the next day. Throws ControlRefusal. */
  async decide(merchant: string, caseId: string, verdict: Verdict): Promise<Notice> {
    await this.#takeDueOf(merchant)
    const { books } = this.#parts
    const disputed = caseOf(books.disputes.find(merchant), merchant, caseId)
    if (!isOpen(disputed) || disputed.answered === null) {
      throw new ControlRefusal(
        409,
        `The case ${caseId} is ${describe(disputed)} and has no answer to decide about. ` +
          'Contest it first.',
      )
    }
    const limit = disputableOf(books, merchant, disputed.order, caseId)?.left ?? null
    return this.#take(merchant, decide(disputed, verdict, this.#dayOf(merchant), limit))
  }

  /** Opens the cases of disputed captures in finished files, and does what the days bring. */
  async takeDue(): Promise<void> {
    const { disputes, settlements } = this.#parts.books
    const merchants = new Set([...disputes.all()].map(({ merchant }) => merchant))
    for (const { merchant } of settlements.all()) merchants.add(merchant)
    await Promise.all([...merchants].map((merchant) => this.#takeDueOf(merchant)))
  }

  async #takeDueOf(merchant: string): Promise<void> {
    const { books } = this.#parts
    const day = this.#dayOf(merchant)
    const booked: Promise<unknown>[] = []
    for (const chain of books.settlements.all()) {
      if (chain.merchant !== merchant) continue
      for (const [key, amount] of chain.disputes) {
        const steps = planSteps(books, merchant, key, amount, day)
        booked.push(this.#book(merchant, chain.currency, steps, { planned: key }))
      }
    }
    for (const disputed of books.disputes.find(merchant)?.cases.values() ?? []) {
      const { id, order } = disputed
      const limit = disputableOf(books, merchant, order, id)?.left ?? null
      const step = isOpen(disputed) ? dueStep(disputed, day, limit) : null
      if (step !== null) booked.push(this.#take(merchant, step))
    }
    await Promise.all(booked)
  }

  async #take(
    merchant: string,
    step: Step,
    more: Pick<DisputeNote, 'answer'> = {},
  ): Promise<Notice> {
    const { conversion, currency } = step.after
    const [notice] = await this.#book(merchant, settledIn(conversion, currency), [step], more)
    if (notice === undefined) throw new RangeError('A step has no notice.')
    return notice
  }

  /** Books steps as one record. The currency is that of the settlement file, ISO 4217 numeric. */
  async #book(
    merchant: string,
    currency: string,
    steps: readonly Step[],
    more: Pick<DisputeNote, 'answer' | 'planned'>,
  ): Promise<readonly Notice[]> {
    const { book, books, now } = this.#parts
    const known = books.disputes.find(merchant)?.notices ?? []
    const at = new Date(now()).toISOString()
    const notices = noticesOf(merchant, known, steps, noticeTime(at, this.#dayOf(merchant), known))
    const cases = steps.map(({ after }) => after)
    const lines = steps.flatMap((step) => step.lines)
    const dispute: DisputeNote = { notices, cases, lines, ...more }
    await book({ kind: 'dispute', at, merchant, currency, dispute, postings: [] })
    return notices
  }

  #dayOf(merchant: string): string {
    const bankDay = new Date(this.#parts.now()).toISOString().slice(0, 10)
    return this.#parts.books.settlements.dayOf(merchant, bankDay)
  }
}

/** The bank's time, or the beginning of the site's day where that is later; never back in time. */
function noticeTime(bankTime: string, day: string, known: readonly Notice[]): string {
  const time = day > bankTime.slice(0, 10) ? `${day}T00:00:00.000Z` : bankTime
  const last = known.at(-1)?.at ?? ''
  return last > time ? last : time
}

function caseOf(account: DisputeAccount | undefined, merchant: string, id: string): DisputeCase {
  const found = account?.cases.get(id)
  if (found !== undefined) return found
  throw new ControlRefusal(
    404,
    `Merchant ${merchant} has no case ${id}. GET /books/disputes lists its notices with cases.`,
  )
}

function refuseAnswer(disputed: DisputeCase, answer: AnswerRequest['answer']): void {
  const { answered, id, stage } = disputed
  if (!isOpen(disputed)) {
    throw new ControlRefusal(409, `The case ${id} is ${stage} and takes no answer any more.`)
  }
  if (answered !== null) {
    throw new ControlRefusal(
      409,
      `The case ${id} is ${describe(disputed)}. It takes the next answer at its next stage.`,
    )
  }
  if (stage === 'inquiry' && answer === 'accept') {
    throw new ControlRefusal(
      409,
      `The case ${id} is an inquiry and has moved no money, so there is nothing to accept. ` +
        'Contest it, or refund the order.',
    )
  }
}

function describe({ answered, stage }: DisputeCase): string {
  return answered === null ? `at ${stage}` : `at ${stage} and contested since ${answered.on}`
}

function digestOf(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}
