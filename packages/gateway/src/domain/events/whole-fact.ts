import type { EventData, EventOrigin } from './event.ts'

/** The content of a rare fact, whose event needs no further row. */
export interface WholeFact {
  readonly mode: 'test' | 'live' | null
  readonly origin: EventOrigin
  readonly data: EventData
}
