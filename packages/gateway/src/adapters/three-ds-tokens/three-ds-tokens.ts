import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose'
import type { Clock } from '../../base/clock.ts'
import type {
  ThreeDsClaims,
  ThreeDsTokenKind,
  ThreeDsTokens,
} from '../../usecases/three-ds/three-ds-tokens.ts'
import { ALGORITHM, type SigningKeys } from './signing-keys.ts'

const ISSUER = 'tollgate'
/** A longer token is not even parsed. */
export const LONGEST_TOKEN = 4_096
const CLOCK_TOLERANCE_S = 5

interface KindRules {
  readonly typ: string
  readonly lifetimeS: number
  /** Claims of Payload that every token of the kind has beside what it is given. */
  readonly always: Readonly<Record<string, string>>
  readonly audience: (merchantAccountId: string) => string
}

const KINDS: Readonly<Record<ThreeDsTokenKind, KindRules>> = {
  ddc: { typ: 'ddc+jwt', lifetimeS: 600, always: {}, audience: () => 'gw:ddc' },
  step_up: { typ: 'stepup+jwt', lifetimeS: 600, always: {}, audience: () => 'gw:stepup' },
  response: {
    typ: 'p3ds-response+jwt',
    lifetimeS: 1_800,
    // The result is not in the token, so that no shop takes it from there.
    always: { ActionCode: 'COMPLETED' },
    audience: (account) => `gw:merchant:${account}`,
  },
}

/**
 * Left out, in this sequence, of a token that would be too long to be returned. Their values are
 * read from the session instead.
 */
const DISPENSABLE = ['ACSUrl', 'Payload'] as const

/** JSON Web Signatures (ES256) of this installation, for itself. */
export function createThreeDsTokens(keys: SigningKeys, clock: Clock): ThreeDsTokens {
  async function signOnce(kind: ThreeDsTokenKind, claims: ThreeDsClaims): Promise<string> {
    const { typ, lifetimeS, always, audience } = KINDS[kind]
    const { kid, privateKey } = await keys.current()
    const account = String(claims.merchantAccountId)
    const now = Math.floor(clock.now().getTime() / 1_000)
    return new SignJWT({
      OrgUnitId: account,
      ReferenceId: claims.reference,
      ...(claims.returnUrl === undefined ? {} : { ReturnUrl: claims.returnUrl }),
      ObjectifyPayload: true,
      Payload: { ...claims.payload, ...always },
    })
      .setProtectedHeader({ alg: ALGORITHM, typ, kid })
      .setIssuer(ISSUER)
      .setAudience(audience(account))
      .setJti(claims.tokenId)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetimeS)
      .sign(privateKey)
  }

  return {
    async sign(kind, claims) {
      let token = await signOnce(kind, claims)
      const payload: Record<string, string> = { ...claims.payload }
      for (const name of DISPENSABLE) {
        if (token.length <= LONGEST_TOKEN) break
        delete payload[name]
        token = await signOnce(kind, { ...claims, payload })
      }
      return token
    },

    async verify(kind, token) {
      if (!isCompact(token)) return null
      const { typ, lifetimeS, audience } = KINDS[kind]
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => {
            const key = kid === undefined ? null : await keys.find(kid)
            if (key === null) throw new errors.JWKSNoMatchingKey()
            return key
          },
          {
            algorithms: [ALGORITHM],
            typ,
            issuer: ISSUER,
            requiredClaims: ['jti', 'exp', 'iat', 'aud'],
            maxTokenAge: lifetimeS,
            clockTolerance: CLOCK_TOLERANCE_S,
            currentDate: clock.now(),
          },
        )
        const claims = readClaims(payload)
        if (claims === null || payload.aud !== audience(String(claims.merchantAccountId)))
          return null
        return claims
      } catch (error) {
        // Anything else is a fault of ours, the database being away for instance.
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}

/** Three parts in base64url, as the signer wrote them. */
function isCompact(token: string): boolean {
  if (token.length > LONGEST_TOKEN) return false
  const parts = token.split('.')
  return parts.length === 3 && parts.every((part) => part !== '' && isPlain(part))
}

/** Decoders skip what is no base64url; two texts for one value are one too many. */
function isPlain(part: string): boolean {
  return (
    /^[A-Za-z0-9_-]+$/.test(part) && Buffer.from(part, 'base64url').toString('base64url') === part
  )
}

function readClaims(payload: JWTPayload): ThreeDsClaims | null {
  const { jti, OrgUnitId, Payload, ReferenceId, ReturnUrl } = payload
  if (typeof jti !== 'string' || jti === '') return null
  if (typeof OrgUnitId !== 'string' || !/^[0-9]{1,18}$/.test(OrgUnitId)) return null
  if (typeof ReferenceId !== 'string' || !isObject(Payload)) return null
  const texts = Object.entries(Payload).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return {
    tokenId: jti,
    merchantAccountId: BigInt(OrgUnitId),
    reference: ReferenceId,
    ...(typeof ReturnUrl === 'string' ? { returnUrl: ReturnUrl } : {}),
    payload: Object.fromEntries(texts),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
