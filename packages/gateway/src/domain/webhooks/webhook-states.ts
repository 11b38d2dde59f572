import { defineStates } from '../states.ts'

/** The states of an endpoint of webhooks. */
export const WEBHOOK_ENDPOINT_STATES = defineStates({
  enabled: {
    meaning: 'Events are delivered.',
    start: 'A user or an operator added the endpoint.',
    next: {
      paused:
        'A user or an operator paused it, or every attempt of 24 hours and at least 20 failed.',
      disabled: 'The endpoint answered 410.',
    },
  },
  paused: {
    meaning: 'Events wait. An endpoint that failed gets one attempt an hour.',
    start: null,
    next: {
      enabled: 'A user or an operator resumed it, or an attempt succeeded.',
      disabled: 'Every attempt of 5 days failed, or the endpoint answered 410.',
    },
  },
  disabled: {
    meaning: 'Events wait, and nothing is sent.',
    start: null,
    next: { enabled: 'A user or an operator resumed it.' },
  },
})

/** The states of a delivery. */
export const WEBHOOK_DELIVERY_STATES = defineStates({
  pending: {
    meaning: 'The event is to be sent, now or after a pause.',
    start: 'An endpoint wants the event.',
    next: {
      delivered: 'The endpoint answered with a status from 200 to 299.',
      failed: 'The last attempt failed, or the event is no longer kept.',
    },
  },
  delivered: {
    meaning: 'The endpoint has the event.',
    start: null,
    next: { pending: 'A user or an operator sends the event again.' },
  },
  failed: {
    meaning: 'The endpoint did not accept the event in 12 attempts.',
    start: null,
    next: { pending: 'A user or an operator sends the event again.' },
  },
})
