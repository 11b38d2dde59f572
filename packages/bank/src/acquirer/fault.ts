/**
 * One way to misbehave. `silent`, `close`, `torn` and `reset` leave the gateway without an answer;
 * times are in milliseconds.
 */
export type Fault =
  /** Answers this much later. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Answers this long after the gateway has given up. */
  | { readonly kind: 'late'; readonly delayMs: number }
  /** Processes the message only this much later, so that others overtake it. */
  | { readonly kind: 'held_back'; readonly delayMs: number }
  /** Processes the message only this long after the gateway has given up. */
  | { readonly kind: 'late_start'; readonly delayMs: number }
  /** Never answers; `applied` says whether it books the message all the same. */
  | { readonly kind: 'silent'; readonly applied: boolean }
  | { readonly kind: 'twice' }
  /** Closes the connection instead of answering. */
  | { readonly kind: 'close' }
  /** Closes the connection in the middle of the answer. */
  | { readonly kind: 'torn' }
  /** Resets the connection once so many other messages wait on it too, or a second later. */
  | { readonly kind: 'reset'; readonly others: number }
  | { readonly kind: 'wrong_stan' }
  | { readonly kind: 'wrong_amount' }
  | { readonly kind: 'wrong_bitmap' }
  /** Books an advice, and leaves this many of its tries without an answer. */
  | { readonly kind: 'unacknowledged'; readonly tries: number }
  /** Answers with this DE 39 and merchant advice code, whether it books the message or not. */
  | {
      readonly kind: 'code'
      readonly code: string
      readonly advice?: string
      readonly applied: boolean
    }
  /** The network decides an authorization without the issuer. */
  | { readonly kind: 'stand_in'; readonly approves: boolean }
  /** Takes a capture, and marks it to be rejected in the settlement file. */
  | { readonly kind: 'settlement_rejection' }

export type FaultKind = Fault['kind']

/** A fault in a few words, for the journal: its kind, then its parameters. */
export function describeFault({ kind, ...parameters }: Fault): string {
  const texts = Object.entries(parameters).map(([name, value]) => `${name}=${String(value)}`)
  return [kind, ...texts].join(' ')
}
