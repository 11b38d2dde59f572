import { formatMinor, readQueue, type Queue } from '@tollgate/gateway/books'
import { AGREES, booksCommand } from './books-command.ts'

/** How many advices are listed one by one. */
const LISTED = 20

/** Queued advices. Exits with 0 if they could be read, else with 2. */
export const queue = booksCommand(
  'queue',
  'list advices that the bank has not acknowledged; --json for programs',
  async ({ write, databaseUrl, json }) => {
    const waiting = await readQueue(databaseUrl, LISTED)
    write(json ? queueJson(waiting) : describeQueue(waiting))
    return AGREES
  },
)

/** How many wait, since when, and the ones that have waited longest. */
export function describeQueue({ advices, running, longest }: Queue): string {
  const count = advices.reduce((sum, kind) => sum + kind.count, 0)
  const lines = [
    `transactions without an outcome  ${String(running.count).padStart(6)}${since(running)}`,
    ...advices.map(
      (queued) =>
        `${queued.kind} advices`.padEnd(33) +
        String(queued.count).padStart(6) +
        since(queued) +
        (queued.count === 0 ? '' : `, sent ${times(queued.mostTries)} at most`),
    ),
  ]
  if (count === 0) return [...lines, '', 'No advice is queued.', ''].join('\n')
  const rows = longest.map((advice) => {
    const { amountMinor, currency, orderId, kind, ageSeconds, tries, nextTryAt, responseCode } =
      advice
    const amount = `${formatMinor(amountMinor, currency)} ${currency.code}`
    const code = responseCode === null ? '' : `, last answer of the bank: ${responseCode}`
    return (
      `  order ${orderId}: ${kind} of ${amount}, ${duration(ageSeconds)} old, ` +
      `sent ${times(tries)}${code}, next try ${nextTryAt.toISOString()}`
    )
  })
  const more = count > longest.length ? [`  and ${count - longest.length} more`] : []
  return [...lines, '', 'The oldest:', ...rows, ...more, ''].join('\n')
}

function since({ count, oldestSeconds }: { count: number; oldestSeconds: number }): string {
  return count === 0 ? '' : `, the oldest ${duration(oldestSeconds)} old`
}

function times(tries: number): string {
  return tries === 1 ? 'once' : `${tries} times`
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`
  return `${Math.floor(seconds / 3_600)} h`
}

function queueJson({ advices, running, longest }: Queue): string {
  const listed = longest.map(({ orderId, amountMinor, currency, ...rest }) => ({
    ...rest,
    orderId: orderId.toString(),
    amountMinor: amountMinor.toString(),
    currency: currency.code,
  }))
  return `${JSON.stringify({ running, advices, longest: listed })}\n`
}
