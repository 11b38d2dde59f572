/** The result of each kind of test card. docs/test-bank.md prints these texts. */
export const HABITS = {
  success: 'authenticated without a challenge (`Y`)',
  failed: 'not authenticated (`N`, reason 01)',
  attempt: 'attempted: the network stands in for the issuer (`A`)',
  unavailable: 'the issuer cannot authenticate now (`U`)',
  rejected: 'the issuer rejects the payment (`R`, reason 11)',
  outside_ranges: 'in a range, but the DS knows no issuer for it (Erro 305)',
  lookup_error: 'the DS has a fault (Erro 403)',
  lookup_silent: 'the DS never answers',
  challenge: 'challenge: the code decides',
  challenge_fails: 'challenge: every code is wrong',
  challenge_unavailable: 'challenge: the ACS cannot show it (RReq `U`)',
  challenge_error: 'challenge: the ACS posts an Erro in place of a CRes (RReq `U`)',
  data_only: '`I` where ChallengeInd is 06, otherwise `U`',
  informed: 'authenticated without a challenge (`Y`), with a text for the cardholder',
  informed_failure: 'not authenticated (`N`, reason 01), with a text for the cardholder',
} as const

/** The fault that each kind of fault card produces. */
export const FAULTS = {
  old_version: 'its range speaks 2.1.0 only; `Y`',
  no_method: 'its range has no method URL: `Y` where compInd is `U`, otherwise `N`',
  method_silent: 'for a method page that never notifies: `Y` where compInd is `N`, otherwise `N`',
  method_wrong_id:
    'for a method page that notifies a wrong id: `Y` where compInd is `N`, otherwise `N`',
  ares_decoupled: 'ARes `D`, which the AReq did not request',
  ares_informational: 'ARes `I`, which the AReq did not request',
  ares_without_value: 'ARes `Y` without authenticationValue',
  ares_foreign_id: 'ARes with a foreign threeDSServerTransID',
  ares_other_version: 'ARes with another messageVersion',
  ares_without_url: 'ARes `C` without acsURL',
  ds_erro_203: 'Erro 203 that names browserLanguage',
  ds_http_500: 'HTTP 500 with HTML',
  ds_reset: 'the connection is reset after the request',
  ds_slow: '`Y`, 8 seconds late',
  rreq_never: 'challenge: the CRes says `Y`, and there is no RReq',
  rreq_late: 'challenge: the RReq comes 1 second after the CRes',
  rreq_says_n: 'challenge: the CRes says `Y`, the RReq `N`',
  rreq_twice: 'challenge: the same RReq `Y` comes twice',
  rreq_contradicts: 'challenge: an RReq `Y`, then an RReq `N`',
  rreq_wrong_id: 'challenge: an RReq with a wrong acsTransID, then the right one',
  rreq_without_value: 'challenge: RReq `Y` without authenticationValue',
  page_503: 'challenge: the page answers 503',
  page_dead: 'challenge: the page has nothing to do on it',
  cres_says_n: 'challenge: the CRes says `N`, the RReq `Y`',
  ares_wrong_eci: 'ARes `Y` with the ECI of another brand',
} as const

export type FaultHabit = keyof typeof FAULTS
export type Habit = keyof typeof HABITS | FaultHabit

export const FAULT_HABITS = Object.keys(FAULTS) as readonly FaultHabit[]

export function isFaultHabit(name: string): name is FaultHabit {
  return Object.hasOwn(FAULTS, name)
}

/** Whether the answer is a challenge, for any card. */
export function isChallenge(habit: Habit): boolean {
  return /^(challenge|rreq_|cres_|page_)/.test(habit)
}
