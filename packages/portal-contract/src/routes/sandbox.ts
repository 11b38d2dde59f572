import { post } from '../route.ts'

/** An operation that has the bank, an issuer or time do something at a test site at once. */
export type ShownOperation =
  | { readonly operation: 'close-batch' | 'settle' }
  | { readonly operation: 'reject'; readonly transaction: string }
  | {
      readonly operation: 'dispute' | 'report-fraud' | 'expire-authorization'
      readonly order: string
    }
  | { readonly operation: 'win-dispute' | 'lose-dispute'; readonly dispute: string }
  | {
      readonly operation: 'answer-dispute'
      readonly dispute: string
      readonly answer: 'accept' | 'contest'
    }
  | {
      readonly operation: 'decide-dispute'
      readonly dispute: string
      readonly issuer: 'accepts' | 'rejects'
    }
  | { readonly operation: 'charge-membership'; readonly membership: string }

/** Operations of the sandbox; the id is that of a test site. In the sandbox alone. */
export const sandboxOperations = {
  perform: post('/developer/operations/:id', 'developer.change').answers<
    { readonly sentence: string },
    { body: ShownOperation }
  >(),
}
