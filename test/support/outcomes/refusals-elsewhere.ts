import { TESTS } from './other-tests.ts'

/** Refusals that no request of a sweep can have, with the tests that have them. */
export const REFUSALS_ELSEWHERE = {
  throttled: TESTS.throttled,
  card_unreadable: TESTS.destroyedKey,
  card_removed: TESTS.erasedCard,
} as const
