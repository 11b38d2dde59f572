import { REVEAL_REASONS, type RevealReason } from '../../../usecases/vault/card-vault.ts'

/**
 * The purposes for which gateway processes seal and open texts, by the binding. No
 * binding of a card number is among them: a number comes out with a reason, and on the record.
 */
const PURPOSES: readonly (readonly [purpose: string, binding: RegExp])[] = [
  ['processor link', /^client key of processor link .{1,200}$/su],
  ['token key', /^token key of site \d{1,20}$/],
  ['3-D Secure key', /^3-D Secure signing key [\w-]{1,100}$/],
  ['CAVV', /^CAVV of authentication [\w-]{1,100}$/],
  ['second factor', /^second factor of (?:operator|person) \d{1,20}$/],
  ['webhook secret', /^webhook secret of endpoint \d{1,20}$/],
  ['evidence', /^(?:key of evidence file|text of dispute answer) \d{1,20}$/],
]

/** The purpose of a binding; null for one that nothing in a gateway process has. */
export function purposeOf(binding: string): string | null {
  return PURPOSES.find(([, pattern]) => pattern.test(binding))?.[0] ?? null
}

/** The export is a command with the key-encrypting key, and no reason of a gateway process. */
export function isGatewayReason(reason: string): reason is RevealReason {
  return Object.hasOwn(REVEAL_REASONS, reason) && reason !== ('vault export' satisfies RevealReason)
}

/** The name of a gateway process in the audit log. */
export function isActor(name: string): boolean {
  return /^gateway:[\w.:-]{1,200}$/.test(name)
}

/** How many numbers may be opened. */
export interface OpeningLimit {
  /** Takes one; false when the minute has no more. `isFirst`: the first refusal in it. */
  take(): { readonly allowed: boolean; readonly isFirst: boolean }
}

const MINUTE_MS = 60_000

/** One limit in each minute of the machine, for all gateway processes together. */
export function createOpeningLimit(perMinute: number, monotonicMs: () => number): OpeningLimit {
  let minute = -1
  let taken = 0
  return {
    take() {
      const now = Math.floor(monotonicMs() / MINUTE_MS)
      if (now !== minute) {
        minute = now
        taken = 0
      }
      taken += 1
      return { allowed: taken <= perMinute, isFirst: taken === perMinute + 1 }
    },
  }
}
