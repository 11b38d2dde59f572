/** At most one line in this time, however often the event occurs. */
const SILENCE_MS = 60_000

/**
 * A warning about an event that any peer can cause. The first one is written at once. Later ones are
 * counted, and the next line after a minute states their number: otherwise a peer could fill a disk.
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

/** The events of links that get such warnings, each with a limit of its own. */
export interface LinkWarnings {
  badFrame(reason: string): void
  signOnRefused(institution: string): void
  tlsRefused(reason: string): void
}

export function createLinkWarnings(
  warn: (sentence: string) => void,
  now: () => number,
): LinkWarnings {
  const [frames, signOns, handshakes] = [warn, warn, warn].map((each) =>
    createBoundedWarning(each, now),
  )
  return {
    badFrame: (reason) => frames?.(`A link sent what is no message and was closed. ${reason}`),
    signOnRefused: (institution) =>
      signOns?.(
        `The sign-on of institution ${institution} was refused: another institution is expected, ` +
          "or the sender does not know the bank's secret (BANK_SECRET).",
      ),
    tlsRefused: (reason) =>
      handshakes?.(`A link was refused, since TLS was not agreed on: ${reason}.`),
  }
}
