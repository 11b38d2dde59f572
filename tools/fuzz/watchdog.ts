import { credentials } from '../../test/support/running-gateway.ts'

/** Another client, which sends a simple request all the time and must always be answered. */
export interface Watchdog {
  /**
   * Resolves when so many of its questions were answered after this call, or never after `until`.
   */
  afterAnswers(count: number, until: Promise<unknown>): Promise<void>
  /** A sentence when one of its questions was not answered as it should be. */
  wrong(): string | null
  stop(): Promise<void>
}

const BETWEEN_MS = 50
const NO_ANSWER_MS = 20_000

/** Asks TESTGW over and over, each time over a connection of its own or an old one. */
export function startWatchdog(port: number): Watchdog {
  let stopped = false
  let wrong: string | null = null
  const waiting = new Set<{ left: number; resolve: () => void }>()
  const ask = async (): Promise<void> => {
    const form = { ...credentials(), REQUEST_ACTION: 'TESTGW', REQUEST_RESPONSE_FORMAT: 'JSON' }
    try {
      const response = await fetch(`http://127.0.0.1:${port}/payment/pmt_service.cfm`, {
        method: 'POST',
        body: new URLSearchParams(form),
        signal: AbortSignal.timeout(NO_ANSWER_MS),
      })
      const answer = (await response.json()) as Record<string, unknown>
      if (answer['SERVICE_RESPONSE'] === 101) return
      wrong ??= `Another client asked TESTGW and got ${response.status} ${JSON.stringify(answer)}.`
    } catch (error) {
      wrong ??= `Another client asked TESTGW and had no answer: ${String(error)}.`
    }
  }
  const run = async (): Promise<void> => {
    while (!stopped) {
      await ask()
      for (const patient of waiting) {
        patient.left -= 1
        if (patient.left > 0) continue
        waiting.delete(patient)
        patient.resolve()
      }
      await new Promise((wake) => setTimeout(wake, BETWEEN_MS))
    }
  }
  const running = run()
  return {
    afterAnswers(count, until) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const patient = { left: count, resolve }
      waiting.add(patient)
      void until.then(() => waiting.delete(patient))
      return promise
    },
    wrong: () => wrong,
    async stop() {
      stopped = true
      await running
    },
  }
}
