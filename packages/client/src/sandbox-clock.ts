import { checkConnection } from './input.ts'
import type { SingleRequestOptions } from './single-requests.ts'

/** The clock of a test site. */
export interface ClockState {
  readonly time: string
  readonly realTime: string
  readonly ownClock: boolean
  /** Multiple of real time; 0: stopped. */
  readonly speed: number
  /** Null unless a move is in progress. */
  readonly movingTo: string | null
  /** Counts of the events of the latest move, by kind. */
  readonly done: Readonly<Record<string, number>>
}

export interface Agenda {
  readonly entries: readonly {
    readonly at: string
    readonly what: string
    readonly object: string
  }[]
  /** Send as `after` for the next page; null: no more entries. */
  readonly next: string | null
}

/** The gateway refused; `code` is one of docs/integrators/test-clock.md. */
export class ClockRefusedError extends Error {
  override readonly name = 'ClockRefusedError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Moves the clock of a test site; events that become due run at their own time. */
export interface SandboxClock {
  show(): Promise<ClockState>
  /** Waits until the clock has arrived, for at most a minute: see `movingTo`. */
  jump(to: Date): Promise<ClockState>
  /** An ISO 8601 duration, such as P1D or P1M. Waits like `jump`. */
  step(by: string): Promise<ClockState>
  setSpeed(speed: number): Promise<ClockState>
  stop(): Promise<ClockState>
  reset(): Promise<ClockState>
  agenda(page?: { readonly limit?: number; readonly after?: string }): Promise<Agenda>
}

const LONGEST_WAIT_S = 60

export function createSandboxClock(options: SingleRequestOptions): SandboxClock {
  checkConnection(options)
  const state = async (action: string, members: object = {}): Promise<ClockState> =>
    (await callClock(options, action, members)) as ClockState
  return {
    show: () => state(''),
    jump: (to) => state('/jump', { to: to.toISOString(), wait: LONGEST_WAIT_S }),
    step: (by) => state('/step', { by, wait: LONGEST_WAIT_S }),
    setSpeed: (speed) => state('/speed', { speed }),
    stop: () => state('/stop'),
    reset: () => state('/reset', { wait: LONGEST_WAIT_S }),
    async agenda(page = {}) {
      const { agenda, next } = (await callClock(options, '/agenda', page)) as {
        readonly agenda: Agenda['entries']
        readonly next: string | null
      }
      return { entries: agenda, next }
    },
  }
}

async function callClock(
  options: SingleRequestOptions,
  action: string,
  members: object,
): Promise<unknown> {
  const { baseUrl, password, siteId, timeoutMs = 120_000, username } = options
  const response = await (options.fetch ?? fetch)(new URL(`/sandbox/clock${action}`, baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, site: Number(siteId), ...members }),
    signal: AbortSignal.timeout(timeoutMs),
    redirect: 'error',
  })
  const answer = (await response.json()) as {
    readonly error?: { readonly code: string; readonly message: string }
  }
  if (answer.error !== undefined)
    throw new ClockRefusedError(answer.error.code, answer.error.message)
  return answer
}
