import type { WebhookDeliveryState } from '@tollgate/portal-contract/answers/webhooks'

/** The filters of the list, as its address has them. */
export interface DeliverySearch {
  readonly state?: WebhookDeliveryState
  /** A type, or a beginning of types that ends with a full stop. */
  readonly type?: string
  readonly endpoint?: string
  /** The id of an event. */
  readonly event?: string
}

export const DELIVERY_STATES = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
} as const satisfies Readonly<Record<WebhookDeliveryState, string>>

export function isDeliveryState(value: unknown): value is WebhookDeliveryState {
  return typeof value === 'string' && Object.hasOwn(DELIVERY_STATES, value)
}

/** The valid filters of an address; the others are left out. */
export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  const { endpoint, event, state, type } = search
  return {
    ...(isDeliveryState(state) ? { state } : {}),
    ...(typeof type === 'string' && /^[a-z_.]{1,100}$/.test(type) ? { type } : {}),
    ...(/^[1-9]\d{0,14}$/.test(String(endpoint)) ? { endpoint: String(endpoint) } : {}),
    ...(typeof event === 'string' && /^evt_\w{1,90}$/.test(event) ? { event } : {}),
  }
}
