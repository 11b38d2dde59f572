export type WebhookEndpointState = 'enabled' | 'paused' | 'disabled'

/** An address that events of a site are posted to; never with its secret. */
export interface WebhookEndpoint {
  readonly id: string
  readonly siteId: string
  readonly url: string
  /** Types, or beginnings of types that end with a full stop; empty for all. */
  readonly types: readonly string[]
  readonly state: WebhookEndpointState
  /** Why it is paused or disabled; '' while it is enabled. */
  readonly reason: '' | 'requested' | 'failing' | 'gone'
  /** Attempts that failed since the last success, and when the first of them was. */
  readonly failures: number
  readonly failingSince: string | null
  /** Nothing is sent before it. */
  readonly waitUntil: string | null
  readonly createdAt: string
  /** When its secrets were made, the newest first; two sign while there are two. */
  readonly secretsMadeAt: readonly string[]
  readonly pending: number
  readonly failed: number
}

export interface WebhookEndpoints {
  /** Site by site. */
  readonly endpoints: readonly WebhookEndpoint[]
  /** The types of events that an endpoint may choose. */
  readonly types: readonly { readonly type: string; readonly when: string }[]
  /** Endpoints that a site may have. */
  readonly most: number
}

export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed'

/** An event on its way to an endpoint. */
export interface WebhookDelivery {
  readonly id: string
  readonly endpointId: string
  readonly siteId: string
  readonly url: string
  readonly eventId: string
  readonly type: string
  readonly object: { readonly type: string; readonly id: string }
  readonly state: WebhookDeliveryState
  readonly attempts: number
  /** The next attempt of a pending delivery, by the site's clock. */
  readonly dueAt: string
  readonly createdAt: string
  readonly endedAt: string | null
  /** The latest attempt; null before the first. */
  readonly last: WebhookResult | null
}

/** How an attempt ended. */
export interface WebhookResult {
  readonly at: string
  /** Null where no whole answer came. */
  readonly status: number | null
  /** A sentence; '' for success. */
  readonly fault: string
}

export interface WebhookDeliveries {
  /** Of the newest events first. */
  readonly deliveries: readonly WebhookDelivery[]
  /** Null on the last page. */
  readonly next: string | null
}

/** One request to an endpoint, and its answer. */
export interface WebhookAttempt extends WebhookResult {
  readonly durationMs: number
  /** Name and value of each; empty where nothing was sent. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** The beginning of the answer, with card numbers masked. */
  readonly answer: string
}

export interface WholeWebhookDelivery extends WebhookDelivery {
  /** The body of each attempt; null where the event is no longer kept. */
  readonly body: string | null
  /** The newest first. */
  readonly log: readonly WebhookAttempt[]
}
