/** Outcomes of a request in the request log. */
export const REQUEST_OUTCOMES = [
  'approved',
  'declined',
  'failed',
  'pending',
  'refused',
  'answered',
] as const

export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number]
