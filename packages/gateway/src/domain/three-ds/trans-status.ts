/**
 * An issuer's result of an authentication (EMV 3-D Secure `transStatus`). Y: authenticated; A:
 * attempted (the network stood in); N: not authenticated; R: rejected; U: could not be done; C:
 * challenge required; I: for information only.
 */
export type TransStatus = 'Y' | 'A' | 'N' | 'R' | 'U' | 'C' | 'I'

/** The possible results of a challenge. */
export type ResultStatus = Exclude<TransStatus, 'C' | 'I'>

/** Versions that this gateway speaks, the lowest first. */
export const MESSAGE_VERSIONS = ['2.1.0', '2.2.0'] as const
export type MessageVersion = (typeof MESSAGE_VERSIONS)[number]

/**
 * `threeDSCompInd`: whether the 3DS Method of the issuer was completed, was not, or does not exist.
 */
export type MethodCompletion = 'Y' | 'N' | 'U'

/** 01 250x400, 02 390x400, 03 500x600, 04 600x400, 05 full page. */
export type ChallengeWindow = '01' | '02' | '03' | '04' | '05'
