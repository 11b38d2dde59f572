/**
 * There is no usable answer. `accepted` is 'no' if it is certain that the gateway accepted nothing:
 * the message states the reason, and sending again is safe. Otherwise it is 'unknown': money may
 * have moved. Repeat the same call, with the same reference, or ask `status`.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly accepted: 'no' | 'unknown'
  /** Tollgate-Request-Id of an answer that was no payment's; '' if there was none. */
  readonly httpRequestId: string

  constructor(
    message: string,
    accepted: 'no' | 'unknown',
    options: ErrorOptions & { readonly httpRequestId?: string } = {},
  ) {
    super(message, options)
    this.accepted = accepted
    this.httpRequestId = options.httpRequestId ?? ''
  }
}

/**
 * `status()` could not find out what happened: the gateway refused the question, or gave no answer.
 * It has no `accepted`, because a question that failed says nothing about the payment.
 */
export class StatusUnknownError extends Error {
  override readonly name = 'StatusUnknownError'
  /** API_RESPONSE, '' if there was no answer. */
  readonly apiCode: string

  constructor(message: string, apiCode: string, options?: ErrorOptions) {
    super(message, options)
    this.apiCode = apiCode
  }
}
