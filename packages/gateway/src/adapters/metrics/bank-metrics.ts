import { Counter, Histogram, type Registry } from 'prom-client'
import type { Processor } from '../../usecases/banks/processor.ts'

/** Seconds: from a bank on the same machine to one past its timeout. */
export const BANK_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25,
]

/** The same processor, its answers counted and timed. */
export type WatchProcessor = <Watched extends Processor>(processor: Watched) => Watched

/**
 * The metrics of messages to banks, by link.
 * @param linkName the name of a link; null for the bundled bank
 */
export function createBankMetrics(
  registers: Registry[],
  linkName: (linkId: bigint | null) => string,
): WatchProcessor {
  const outcomes = new Counter({
    name: 'tollgate_bank_outcomes_total',
    help: 'Messages to the bank, by link and outcome. Unknown authorizations are reversed.',
    labelNames: ['link', 'message', 'outcome'],
    registers,
  })
  const codes = new Counter({
    name: 'tollgate_bank_answers_total',
    help: 'Answers of the bank to authorizations, by link and response code (DE 39).',
    labelNames: ['link', 'code'],
    registers,
  })
  const seconds = new Histogram({
    name: 'tollgate_bank_seconds',
    help: 'Time from a message to the bank to its answer or timeout.',
    labelNames: ['link', 'message'],
    buckets: BANK_BUCKETS,
    registers,
  })

  async function counted<Outcome extends { readonly kind: string }>(
    link: string,
    message: 'authorization' | 'advice',
    send: () => Promise<Outcome>,
  ): Promise<Outcome> {
    const observe = seconds.startTimer({ link, message })
    const outcome = await send()
    observe()
    outcomes.inc({ link, message, outcome: outcome.kind })
    return outcome
  }

  return (processor) => ({
    ...processor,
    async authorize(request, timeoutMs) {
      const link = linkName(request.account.linkId)
      const outcome = await counted(link, 'authorization', () =>
        processor.authorize(request, timeoutMs),
      )
      if ('answer' in outcome) codes.inc({ link, code: codeLabel(outcome.answer.responseCode) })
      return outcome
    },
    deliver: (advice, timeoutMs) =>
      counted(linkName(advice.account.linkId), 'advice', () =>
        processor.deliver(advice, timeoutMs),
      ),
  })
}

/** A bank may send anything as DE 39, and each value would be a label. */
function codeLabel(code: string): string {
  return /^[0-9A-Z]{2}$/.test(code) ? code : 'other'
}
