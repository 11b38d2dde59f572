import { defineStates } from '../states.ts'

export type AuthenticationState = keyof typeof AUTHENTICATION_STATES

export const AUTHENTICATION_STATES = defineStates({
  asking: {
    meaning: 'The AReq is on its way to the Directory Server.',
    start: 'A payment asked for 3-D Secure.',
    next: {
      challenge: 'The issuer wants a challenge.',
      consumed: 'The issuer authenticated without a challenge, or the site pays without it.',
      failed: 'The issuer refused, or the site requires an authentication and none came.',
      expired: 'The process died, and the time of the authentication passed.',
    },
  },
  challenge: {
    meaning: 'The cardholder has to complete a challenge.',
    start: null,
    next: {
      result: 'The RReq of the issuer arrived.',
      failed: 'The final call came without a result, or its content differed too often.',
      expired: 'The final call did not come in time.',
    },
  },
  result: {
    meaning: 'The result of the challenge is stored.',
    start: null,
    next: {
      consumed: 'The final call came, and the result authorizes.',
      failed: 'The result does not authorize, or the final call differed too often.',
      expired: 'The final call did not come in time.',
    },
  },
  consumed: {
    meaning: 'The payment went to the bank. The CAVV is erased.',
    start: null,
    next: {},
  },
  failed: {
    meaning: 'The payment is declined, and the bank was not asked.',
    start: null,
    next: {},
  },
  expired: {
    meaning: 'The payment is declined because its time passed; the bank was not asked.',
    start: null,
    next: {},
  },
})
