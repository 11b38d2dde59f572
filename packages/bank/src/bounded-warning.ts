import type { LinkServerOptions } from '@tollgate/iso8583'

/** At most one line in this time, however often the event occurs. */
const SILENCE_MS = 60_000

/**
 * A warning about an event that any peer can cause. The first one is written at once. Later ones
 * are counted, and the next line after a minute states their number. So no peer fills a disk.
 * @param now milliseconds since 1970
 */
export function createBoundedWarning(
  warn: (sentence: string) => void,
  now: () => number,
): (sentence: string) => void {
  let lastMs: number | null = null
  let left = 0
  return (sentence) => {
    const at = now()
    // A clock that was set back must not silence the bank.
    const isQuiet = lastMs !== null && at >= lastMs && at - lastMs < SILENCE_MS
    if (isQuiet) {
      left += 1
      return
    }
    warn(left === 0 ? sentence : `${sentence} Before it, ${left} more such lines were left out.`)
    lastMs = at
    left = 0
  }
}

/** The warnings of a link server, each with a limit of its own. */
export function linkWarnings(
  warn: (sentence: string) => void,
  now: () => number,
): Pick<LinkServerOptions, 'onBadFrame' | 'onSignOnRefused' | 'onTlsRefused'> {
  const frames = createBoundedWarning(warn, now)
  const signOns = createBoundedWarning(warn, now)
  const handshakes = createBoundedWarning(warn, now)
  return {
    onBadFrame: (error) =>
      frames(`A link sent what is no message and was closed. ${error.message}`),
    onTlsRefused: (reason) =>
      handshakes(`A link was refused, since TLS was not agreed on: ${reason}.`),
    onSignOnRefused: ({ fields }) =>
      signOns(
        `The sign-on of institution ${fields[32] ?? 'without a number'} was refused: another ` +
          "institution is expected, or the sender does not know the bank's secret (BANK_SECRET).",
      ),
  }
}
