/**
 * Verified if there is no user, or no password, so that a refusal takes as long. Its costs are
 * those of a new hash.
 */
export const DECOY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$dG9sbGdhdGUgbm9ib2R5$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
