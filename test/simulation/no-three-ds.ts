import type { ThreeDsDeps } from '../../packages/gateway/src/usecases/three-ds/three-ds-deps.ts'

function notAsked(): never {
  throw new Error('No payment of this world says anything of 3-D Secure.')
}

/** A world without 3-D Secure. */
export const NO_THREE_DS: ThreeDsDeps = {
  server: {
    isSetUp: notAsked,
    findRange: notAsked,
    methodUrls: notAsked,
    authenticate: notAsked,
    refuse: notAsked,
  },
  tokens: { sign: notAsked, verify: notAsked },
  store: {
    findCollection: notAsked,
    takeCollection: notAsked,
    begin: notAsked,
    challenge: notAsked,
    consume: notAsked,
    decline: notAsked,
    findByProcTransId: notAsked,
    findByServerTransId: notAsked,
    keepResult: notAsked,
    countMismatch: notAsked,
    findExpired: notAsked,
    findExpiredAt: notAsked,
    findChallenge: notAsked,
  },
  cavvs: { seal: notAsked, open: notAsked },
  waitingCodes: { seal: notAsked, read: notAsked },
  newServerTransId: notAsked,
  newProcTransId: notAsked,
  newTokenId: notAsked,
  encodeChallenge: notAsked,
  stepUpUrl: '',
  notice: notAsked,
}
