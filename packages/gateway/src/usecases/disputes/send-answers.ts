/** An answer that waits to be sent. */
export interface QueuedAnswer {
  readonly id: bigint
  readonly disputeId: bigint
  readonly merchantAccountId: bigint
  /** The acquirer's name of the account, and its id of the case. */
  readonly account: string
  readonly caseId: string
  readonly answer: 'accept' | 'contest'
  readonly text: string
  readonly files: readonly {
    readonly id: bigint
    readonly name: string
    readonly type: string
    readonly sha256: string
    readonly bytes: number
  }[]
}

export interface AnswerQueue {
  /** Answers of test accounts of the bundled bank, or of the others; the oldest first. */
  findQueued(of: 'bundled_bank' | 'acquirers', limit: number): Promise<readonly QueuedAnswer[]>
  /** Changes nothing where a notice acknowledged the answer already. */
  markSent(id: bigint, at: Date): Promise<void>
  markRefused(id: bigint, reason: string): Promise<void>
}

export interface SendAnswersDeps {
  readonly queue: AnswerQueue
  readonly clock: { now(): Date }
  /**
   * Sends an answer to the bundled bank. The same id again is answered from its memory. Rejects
   * while the bank is away.
   */
  readonly send: (
    answer: QueuedAnswer,
  ) => Promise<{ readonly kind: 'taken' } | { readonly kind: 'refused'; readonly reason: string }>
  readonly onRefused: (answer: QueuedAnswer, reason: string) => void
}

const MOST_AT_ONCE = 50

/**
 * Sends the answers of test accounts. A process that dies behind the bank's answer sends the same
 * answer again, under the same id.
 */
export async function sendAnswers(deps: SendAnswersDeps): Promise<void> {
  for (const answer of await deps.queue.findQueued('bundled_bank', MOST_AT_ONCE)) {
    const sent = await deps.send(answer)
    if (sent.kind === 'taken') {
      await deps.queue.markSent(answer.id, deps.clock.now())
    } else {
      await deps.queue.markRefused(answer.id, sent.reason)
      deps.onRefused(answer, sent.reason)
    }
  }
}
