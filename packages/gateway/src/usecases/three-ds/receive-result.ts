import type { Clock } from '../../base/clock.ts'
import { findInconsistency, valueByteCount } from '../../domain/three-ds/issuer-answer.ts'
import type { SiteClocks } from '../clocks/site-clocks.ts'
import type { AuthenticationStore, StoredAuthentication } from './authentication-store.ts'
import { PENDING_MS, type CavvSeal, type ThreeDsNotice } from './three-ds-deps.ts'
import type { ChallengeResult, ReceiveResult } from './three-ds-server.ts'

export interface ReceiveResultDeps {
  readonly store: Pick<AuthenticationStore, 'findByServerTransId' | 'keepResult'>
  readonly cavvs: Pick<CavvSeal, 'seal'>
  /** The machine's. */
  readonly clock: Clock
  readonly siteClocks: SiteClocks
  readonly notice: (notice: ThreeDsNotice) => void
}

/**
 * The first result of an open challenge is kept, and nothing changes it. One that contradicts
 * itself is kept as a failure: the customer was challenged, so it permits nothing.
 */
export function createReceiveResult(deps: ReceiveResultDeps): ReceiveResult {
  const { store, cavvs, clock, notice } = deps
  return async (result) => {
    const { serverTransId, status, cavv, digest } = result
    const open = await store.findByServerTransId(serverTransId)
    if (open === null || !isAbout(result, open)) return 'unknown'
    if (open.resultDigest !== null) return judgeSecond(open)
    const now = (await deps.siteClocks.of(open.siteId)).now()
    if (open.state !== 'challenge' || open.expiresAt <= now) return 'unknown'
    if (result.version !== open.version) {
      return { kind: 'invalid', errorCode: '203', detail: 'messageVersion' }
    }
    if (result.messageCategory !== categoryOf(open)) {
      return { kind: 'invalid', errorCode: '203', detail: 'messageCategory' }
    }
    const valueBytes = cavv === null ? null : valueByteCount(cavv.reveal())
    const fault = findInconsistency(
      { status, eci: result.eci, valueBytes },
      open.brand,
      open.amountMinor > 0n,
    )
    const kept = await store.keepResult({
      serverTransId,
      status: fault === null ? status : 'N',
      reason: result.reason,
      eci: fault === null ? result.eci : '',
      cavv: fault === null && cavv !== null ? await cavvs.seal(cavv, serverTransId) : null,
      challengeCancel: result.challengeCancel,
      digest,
      cause: fault?.errorCode ?? '',
      at: clock.now(),
      expiresAt: new Date(now.getTime() + PENDING_MS),
    })
    if (!kept) {
      const meanwhile = await store.findByServerTransId(serverTransId)
      return meanwhile === null ? 'unknown' : judgeSecond(meanwhile)
    }
    if (fault === null) return 'stored'
    notice({ kind: 'answer_refused', serverTransId, element: fault.element })
    return { kind: 'invalid', errorCode: fault.errorCode, detail: fault.element }

    function judgeSecond({ resultDigest }: StoredAuthentication): 'stored' | 'unknown' {
      if (resultDigest === digest) return 'stored'
      if (resultDigest !== null)
        notice({ kind: 'contradicted', serverTransId, what: 'two results' })
      return 'unknown'
    }
  }
}

function isAbout(result: ChallengeResult, authentication: StoredAuthentication): boolean {
  const { brand } = authentication
  return (
    result.mode === authentication.mode &&
    (result.brands === null || (brand !== null && result.brands.includes(brand))) &&
    result.dsTransId === authentication.dsTransId &&
    result.acsTransId === authentication.acsTransId
  )
}

/** 01 payment, 02 none: the AReq of nothing to pay is none. */
function categoryOf({ amountMinor }: StoredAuthentication): string {
  return amountMinor === 0n ? '02' : '01'
}
