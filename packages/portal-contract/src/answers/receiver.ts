/** A receiver of the sandbox, and how it answers next. */
export interface WebhookReceiver {
  readonly id: string
  readonly endpointId: string
  readonly url: string
  readonly answer: {
    readonly manner: ReceiverManner
    readonly status: number
    readonly retryAfterS: number | null
    readonly delayMs: number
    /** Requests that are answered so; null: all. */
    readonly left: number | null
  }
}

/** How a receiver ends a request. */
export type ReceiverManner = 'answer' | 'trickle' | 'hang' | 'close'

/** A fault that events of an endpoint meet. */
export interface WebhookFault {
  readonly kind: WebhookFaultKind
  /** A type of events, or its beginning; '' for all. */
  readonly type: string
  /** Of a hundred such events. */
  readonly share: number
  readonly seconds: number
  /** Events that still meet it; null: all. */
  readonly left: number | null
}

export type WebhookFaultKind = 'delay' | 'double' | 'reorder' | 'lose' | 'forge' | 'stale'

/** The receivers of a site, and the faults of all its endpoints. */
export interface ReceiverState {
  readonly receivers: readonly WebhookReceiver[]
  readonly endpoints: readonly {
    readonly endpointId: string
    readonly url: string
    readonly faults: readonly WebhookFault[]
  }[]
}

/** A receiver right after it was added; the secret is shown this once. */
export interface AddedReceiver {
  readonly id: string
  readonly url: string
  readonly endpointId: string
  readonly secret: string
}

/** A request that a receiver caught. */
export interface CaughtWebhook {
  readonly id: string
  readonly receiverId: string
  readonly at: string
  readonly siteAt: string
  readonly eventId: string
  readonly eventType: string
  readonly verdict: 'current' | 'previous' | 'wrong' | 'missing' | 'too_old'
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly body: string
  readonly bodyBytes: number
  readonly manner: ReceiverManner
  readonly status: number
}

/** The caught requests of a site, the newest first. */
export interface CaughtWebhooks {
  readonly rows: readonly CaughtWebhook[]
  /** To be sent as `before` for older ones; null: there is none. */
  readonly next: string | null
}
