import type { JsonRecord } from '../../packages/gateway/src/domain/disputes/notice-record.ts'
import type { QueuedAnswer } from '../../packages/gateway/src/usecases/disputes/send-answers.ts'

/** A case as the bank has it; the events that follow its answers, one for each. */
interface BankCase {
  readonly order: string
  readonly amount: string
  readonly after: string[]
  stage: string
  isAnswered: boolean
}

const ENDS = ['won', 'lost', 'accepted', 'withdrawn', 'fraud_report', 'rapid_resolution']

/** A bank of its own, written from docs/dispute-notices.md. It never dies. */
export class DisputeBank {
  readonly notices: JsonRecord[] = []
  readonly cases = new Map<string, BankCase>()
  /** The notice of each answer, by its id. */
  readonly answers = new Map<string, string>()

  /** Opens a case. Its decisions follow its answers. */
  raise(id: string, event: string, order: string, after: readonly string[]): void {
    const opened = { order, amount: '100.00', after: [...after], stage: event, isAnswered: false }
    this.cases.set(id, opened)
    this.#state(id, event)
  }

  /** Decides a contested case. False for none. */
  decide(): boolean {
    for (const [id, each] of this.cases) {
      const next = each.isAnswered ? each.after.shift() : undefined
      if (next === undefined) continue
      Object.assign(each, { stage: next, isAnswered: false })
      this.#state(id, next)
      return true
    }
    return false
  }

  isOver(): boolean {
    return [...this.cases.values()].every(({ stage }) => ENDS.includes(stage))
  }

  /** Takes an answer; a known id is answered from memory. */
  take({
    answer,
    caseId,
    id,
  }: QueuedAnswer): { kind: 'taken' } | { kind: 'refused'; reason: string } {
    const name = id.toString()
    if (this.answers.has(name)) return { kind: 'taken' }
    const found = this.cases.get(caseId)
    if (found === undefined || found.isAnswered || ENDS.includes(found.stage)) {
      return { kind: 'refused', reason: 'The case takes no answer.' }
    }
    if (answer === 'accept') found.stage = 'accepted'
    else found.isAnswered = true
    this.answers.set(name, caseId)
    this.#state(caseId, answer === 'accept' ? 'accepted' : 'representment', name)
    return { kind: 'taken' }
  }

  #state(id: string, event: string, answer?: string): void {
    const { amount, order = '' } = this.cases.get(id) ?? {}
    const n = this.notices.length + 1
    const facts = { order, brand: 'visa', amount, currency: 'USD', reason: '10.4' }
    const at = '2026-11-20T09:00:00Z'
    const named = answer === undefined ? {} : { answer }
    this.notices.push({ n, id: `D${n}`, at, case: id, event, ...facts, ...named })
  }
}
