import { readBack, type ClaimedReferenceDeps } from '../payments/claimed-reference.ts'
import type { Patience } from '../payments/learn-truth.ts'
import type { PaymentResult } from '../payments/payment-command.ts'
import type { StoredAuthentication } from './authentication-store.ts'
import { notAuthenticated } from './refuse-final-call.ts'

/** How long a repeat waits for the call that decides. */
const REPEAT_PATIENCE_MS = 10_000
const LOOK_EVERY_MS = 100

/** The payment was decided before: the same call gets the same answer, and no other gets any. */
export async function repeatFinalCall(
  deps: ClaimedReferenceDeps & Patience,
  call: { readonly digest: string; readonly mismatch: string | null },
  seen: StoredAuthentication,
): Promise<PaymentResult> {
  const isOther =
    seen.finalDigest === null ? call.mismatch !== null : seen.finalDigest !== call.digest
  if (isOther) return notAuthenticated(deps, seen)
  const untilMs = deps.monotonicMs() + REPEAT_PATIENCE_MS
  for (;;) {
    const transaction = await readBack(deps, seen.transactionId)
    if (transaction.state !== 'running' || deps.monotonicMs() >= untilMs)
      return { kind: 'done', transaction }
    await deps.pause(LOOK_EVERY_MS)
  }
}
