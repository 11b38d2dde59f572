import type { TestValueFound } from '../../../domain/banks/test-bank.ts'

/** Everything that is looked at, in the sequence in which it is looked at. */
export const WHY_STEPS = {
  form: 'Request is well-formed',
  login: 'Credentials accepted',
  action: 'Action and version are valid',
  parameters: 'Parameters are valid',
  references: 'References are valid',
  duplicate: 'Order reference is new',
  subscription: 'Membership allows it',
  operation: 'Portal user can do this',
  order_state: 'Order state allows it',
  card: 'Check digit, expiry and amount',
  browser_data: '3-D Secure data is complete',
  card_testing: 'Velocity rules',
  limits: 'Demands and limits of the account',
  issuer: '3-D Secure: authentication result',
  bank: 'Bank decision',
  partial: 'Full amount approved',
  address: 'AVS rule',
  security_code: 'CVV rule',
  result: 'Result',
} as const

export type WhyKey = keyof typeof WHY_STEPS

/** A refusal by its name in the table of refusals. */
export interface WhyRefusal {
  readonly name: string
  readonly text: string
  readonly meaning: string
  /** `API 113`. */
  readonly code: string
}

export interface WhyRequest {
  readonly action: string
  /** As the log has them: masked. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly username: string
  readonly refField: string
  /** The expected value of the parameter at fault; null if unknown. */
  readonly expected: string | null
  readonly refusal: WhyRefusal | null
  readonly warnings: readonly string[]
}

export interface WhySite {
  readonly id: bigint
  readonly mode: 'test' | 'live'
  readonly avsMode: string
  readonly cvvMode: string
  readonly avsMatchSet: string
  readonly cvvMatchSet: string
  readonly cardTestingMode: string
  readonly threeDsRequired: boolean
  readonly threeDsUnavailable: string
}

export interface WhyTransaction {
  readonly kind: 'authorization' | 'sale' | 'capture' | 'refund' | 'void' | 'capture_void'
  readonly state: 'running' | 'pending' | 'approved' | 'declined' | 'failed'
  readonly isUnreferencedCredit: boolean
  readonly amount: string
  readonly value: string
  readonly currency: string
  readonly serviceCode: number
  readonly serviceText: string
  /** DE 39; '' where no bank answered. */
  readonly responseCode: string
  /** The code's meaning in words; '' where it has none. */
  readonly bankSays: string
  readonly reason: string
  readonly advice: string
  readonly avsCode: string
  readonly avsMeaning: string
  readonly cvvCode: string
  readonly cvvMeaning: string
  readonly processorName: string
  /** The saved card was used without its code. */
  readonly withoutCode: boolean
  /** First six and last four as far as they are known. */
  readonly card: string
  readonly orderReference: string
}

export interface WhyThreeDs {
  readonly state: string
  readonly stateMeaning: string
  readonly status: string
  readonly statusMeaning: string
  readonly reason: string
  readonly cause: string
  readonly version: string
}

/** The known facts of a request and its result. */
export interface WhyFacts {
  /** Null for what the gateway did of its own accord, and where the request is kept no longer. */
  readonly request: WhyRequest | null
  readonly transaction: WhyTransaction | null
  readonly site: WhySite | null
  readonly threeDs: WhyThreeDs | null
  /** The finding of the velocity rules; null for none. */
  readonly cardTesting: { readonly rule: string; readonly refused: boolean } | null
  /** The published test value that decided at the bundled bank. */
  readonly testValue: TestValueFound | null
}

/** `decided` is what made the answer; exactly one step has it. */
export type WhyVerdict = 'passed' | 'decided' | 'skipped' | 'not_reached'

export interface WhyStep {
  readonly key: WhyKey
  readonly title: string
  readonly verdict: WhyVerdict
  readonly inputs: readonly (readonly [name: string, value: string])[]
  readonly says: string
  /** The condition for an approval, in plain words; on the step that decided against it. */
  readonly approve: string | null
}
