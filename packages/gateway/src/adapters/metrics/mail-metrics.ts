import { Counter, Gauge, type Registry } from 'prom-client'

/** The mails that wait. */
export interface MailBacklog {
  readonly waiting: number
  /** How late the latest is; 0 where none is due. */
  readonly overdueSeconds: number
}

/** Reads the backlog whenever the metrics are asked for; returns the counter of attempts. */
export function watchMail(
  registry: Registry,
  readBacklog: () => Promise<MailBacklog>,
): (outcome: 'sent' | 'failed' | 'caught' | 'waiting') => void {
  const overdue = new Gauge({
    name: 'tollgate_mail_overdue_seconds',
    help: 'How long the oldest due mail waits, in seconds; 0 without one.',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      try {
        const backlog = await readBacklog()
        this.set(backlog.overdueSeconds)
        waiting.set(backlog.waiting)
      } catch {
        // Unknown while the database is away.
        this.reset()
        waiting.reset()
      }
    },
  })
  void overdue
  const waiting: Gauge = new Gauge({
    name: 'tollgate_mail_waiting',
    help: 'Mails that are neither sent nor failed.',
    aggregator: 'max',
    registers: [registry],
  })
  const attempts = new Counter({
    name: 'tollgate_mail_attempts_total',
    help: 'Attempts to send a mail, by what became of the mail.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return (outcome) => attempts.inc({ outcome })
}
