import type { Clock } from '../../base/clock.ts'
import type { SiteClocks } from '../clocks/site-clocks.ts'
import { challengeRequestText, encodeText, readChallengeReturn } from './challenge-messages.ts'
import type { Challenge, ChallengeStore } from './challenge-store.ts'
import type { ThreeDsTokens } from './three-ds-tokens.ts'

/** The form that takes the customer back to the shop. */
export interface ReturnForm {
  readonly url: string
  readonly fields: {
    readonly TransactionId: string
    /** Signed; '' where the customer goes back without the issuer's word. */
    readonly Response: string
    readonly MD: string
  }
}

export type StepUpPage =
  /** The first load: the issuer's page is opened in a frame. */
  | {
      readonly kind: 'challenge'
      readonly handle: string
      readonly acsUrl: string
      readonly fields: { readonly creq: string; readonly threeDSSessionData: string }
      readonly window: Challenge['window']
      readonly test: boolean
      /** For a customer who gives up. */
      readonly leave: ReturnForm
    }
  /** A later load: the issuer takes a CReq only once. */
  | { readonly kind: 'in progress'; readonly handle: string; readonly leave: ReturnForm }
  | { readonly kind: 'over'; readonly form: ReturnForm }

export interface ChallengePages {
  /** Null for what is no token of a challenge. */
  open(token: string, merchantData: string): Promise<StepUpPage | null>
  /** The way back once the issuer or the time is through; `unknown` for a handle of no page. */
  status(handle: string): Promise<'waiting' | 'unknown' | ReturnForm>
  /** The customer comes from the issuer; null when the challenge is unknown. */
  comeBack(cres: string, sessionHandle: string): Promise<ReturnForm | null>
}

const HANDLE = /^[A-Za-z0-9_-]{22}$/
/** More than any shop has; a longer one is not its own. */
const LONGEST_MERCHANT_DATA = 2_048
/** The customer leaves a challenge that is not over. */
const NO_RESPONSE = ''
/** The issuer reports to the gateway before it lets the browser go, which is then on its way. */
const ON_ITS_WAY_MS = 5_000

/** The pages of the challenge, without their looks. */
export function createChallengePages(deps: {
  readonly challenges: ChallengeStore
  readonly tokens: ThreeDsTokens
  /** The machine's. */
  readonly clock: Clock
  readonly siteClocks: SiteClocks
  readonly newHandle: () => string
}): ChallengePages {
  function leaveForm(
    { merchantData, procTransId, returnUrl }: Challenge,
    response: string,
  ): ReturnForm {
    return {
      url: returnUrl,
      fields: { TransactionId: procTransId, Response: response, MD: merchantData },
    }
  }

  async function returnForm(challenge: Challenge): Promise<ReturnForm> {
    const response = await deps.tokens.sign('response', {
      tokenId: deps.newHandle(),
      merchantAccountId: challenge.merchantAccountId,
      reference: challenge.reference,
      payload: { TransactionId: challenge.procTransId },
    })
    return leaveForm(challenge, response)
  }

  /** Whether the customer has nothing more to wait for. */
  async function isOver({
    expiresAt,
    resultAt,
    returnedAt,
    siteId,
    startedAt,
    state,
  }: Challenge): Promise<boolean> {
    if (state === 'over' || returnedAt !== null) return true
    if (expiresAt <= (await deps.siteClocks.of(siteId)).now()) return true
    const now = deps.clock.now().getTime()
    if (resultAt !== null && startedAt === null) return true
    return resultAt !== null && now - resultAt.getTime() > ON_ITS_WAY_MS
  }

  return {
    async open(token, merchantData) {
      const claims = await deps.tokens.verify('step_up', token)
      const found = claims === null ? null : await deps.challenges.find(claims.tokenId)
      if (claims === null || found === null) return null
      const isItsOwn =
        found.merchantAccountId === claims.merchantAccountId &&
        found.reference === claims.reference &&
        (claims.returnUrl === undefined || found.returnUrl === claims.returnUrl)
      if (!isItsOwn) return null
      if (await isOver(found)) return { kind: 'over', form: await returnForm(found) }
      // It was checked when the issuer gave it; nothing else is ever sent to a browser.
      if (!/^https:\/\//i.test(found.acsUrl))
        return { kind: 'over', form: leaveForm(found, NO_RESPONSE) }

      const request = challengeRequestText(found)
      const started =
        found.startedAt !== null
          ? null
          : await deps.challenges.start(claims.tokenId, {
              pageHandle: deps.newHandle(),
              sessionHandle: deps.newHandle(),
              merchantData: merchantData.length > LONGEST_MERCHANT_DATA ? '' : merchantData,
              request,
              at: deps.clock.now(),
            })
      if (started !== null) {
        return {
          kind: 'challenge',
          handle: started.pageHandle,
          acsUrl: started.acsUrl,
          fields: { creq: encodeText(request), threeDSSessionData: started.sessionHandle },
          window: started.window,
          test: started.mode === 'test',
          leave: leaveForm(started, NO_RESPONSE),
        }
      }
      // Another load was first.
      const current = found.startedAt === null ? await deps.challenges.find(claims.tokenId) : found
      if (current === null) return null
      return (await isOver(current))
        ? { kind: 'over', form: await returnForm(current) }
        : {
            kind: 'in progress',
            handle: current.pageHandle,
            leave: leaveForm(current, NO_RESPONSE),
          }
    },

    async status(handle) {
      const found = HANDLE.test(handle) ? await deps.challenges.findByPage(handle) : null
      if (found === null) return 'unknown'
      return (await isOver(found)) ? returnForm(found) : 'waiting'
    },

    async comeBack(cres, sessionHandle) {
      const found = HANDLE.test(sessionHandle)
        ? await deps.challenges.findBySession(sessionHandle)
        : null
      if (found === null) return null
      const { brought, message } = readChallengeReturn(cres, found)
      await deps.challenges.keepReturn(sessionHandle, brought, message, deps.clock.now())
      return returnForm(found)
    },
  }
}
