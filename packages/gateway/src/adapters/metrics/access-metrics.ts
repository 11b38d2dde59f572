import { Counter, Histogram, type Registry } from 'prom-client'

/** The kinds of users with a sign-in; a name of a user is never a label. */
export const USER_KINDS = ['api_user', 'portal_user', 'operator'] as const
export type UserKind = (typeof USER_KINDS)[number]

/** The pages with a sign-in of their own. */
export const PAGE_PLACES = ['portal', 'console'] as const
export type PageName = (typeof PAGE_PLACES)[number]

/** The part of a journal that reports what was refused. */
interface FailureJournal<Event, Reason> {
  failed(event: Event, reason: Reason): void
  locked(event: Event, failures: number): void
}

/** The metrics of sign-ins, and of the requests of pages. */
export interface AccessMetrics {
  /** The same journal, its failures and locks counted. */
  watchSignIns<Event, Reason, Journal extends FailureJournal<Event, Reason>>(
    kind: UserKind,
    journal: Journal & FailureJournal<Event, Reason>,
  ): Journal
  /** How to count an answer of the API of the pages: its HTTP status, and its time in seconds. */
  watchPages(place: PageName): (status: number, seconds: number) => void
}

/** Seconds: from a page that is in memory to a file of a whole year. */
const PAGE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const RESULTS = ['done', 'refused', 'failed', 'unavailable'] as const

/** Every series is served from the start: Prometheus sees no increase in the first value. */
export function createAccessMetrics(registers: Registry[]): AccessMetrics {
  const failures = new Counter({
    name: 'tollgate_sign_ins_failed_total',
    help: 'Failed sign-ins and logins, by kind of user: API users, portal users, operators.',
    labelNames: ['kind'],
    registers,
  })
  const locks = new Counter({
    name: 'tollgate_sign_ins_locked_total',
    help: 'Locks after too many failed sign-ins or logins, by kind of user.',
    labelNames: ['kind'],
    registers,
  })
  const requests = new Counter({
    name: 'tollgate_portal_requests_total',
    help: 'Requests to portal or console: done, refused (4xx), failed (500), unavailable (503).',
    labelNames: ['place', 'result'],
    registers,
  })
  const seconds = new Histogram({
    name: 'tollgate_portal_request_seconds',
    help: 'Time from a request to the API of portal or console to the end of its answer.',
    labelNames: ['place'],
    buckets: PAGE_BUCKETS,
    registers,
  })
  for (const kind of USER_KINDS) for (const counter of [failures, locks]) counter.inc({ kind }, 0)
  for (const place of PAGE_PLACES) for (const result of RESULTS) requests.inc({ place, result }, 0)

  return {
    watchSignIns: (kind, journal) => ({
      ...journal,
      failed(event, reason) {
        failures.inc({ kind })
        journal.failed(event, reason)
      },
      locked(event, count) {
        locks.inc({ kind })
        journal.locked(event, count)
      },
    }),
    watchPages: (place) => (status, took) => {
      requests.inc({ place, result: resultOf(status) })
      seconds.observe({ place }, took)
    },
  }
}

function resultOf(status: number): (typeof RESULTS)[number] {
  if (status < 400) return 'done'
  if (status < 500) return 'refused'
  return status === 503 ? 'unavailable' : 'failed'
}
