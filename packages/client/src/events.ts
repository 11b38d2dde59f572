import type { EventDataByType, EventType } from './event-types.ts'

/** An event of one type. Its `type` decides the type of `data`. */
export interface EventOfType<Type extends EventType> {
  /** The same in each delivery of the event: handle an id once. */
  readonly id: string
  readonly type: Type
  /** The path of the JSON schema. */
  readonly schema: string
  /** When it happened, by the clock of the site. */
  readonly timestamp: string
  /** When it was written, by the clock of the machine. */
  readonly recorded_at: string
  readonly mode: string | null
  readonly merchant_id: string
  readonly site_id: string | null
  readonly object: { readonly type: string; readonly id: string }
  /** Counts the events of the object from 1. */
  readonly sequence: number
  readonly origin: string
  readonly actor: { readonly type: string; readonly id: string } | null
  readonly req_id: string | null
  readonly data: EventDataByType[Type]
}

/** An event of the gateway. Types, fields and values may be added: ignore unknown ones. */
export type GatewayEvent = { [Type in EventType]: EventOfType<Type> }[EventType]

/** Whether a parsed text has the members that each event has. */
export function isEvent(value: unknown): value is GatewayEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { data, type } = value as Readonly<Record<string, unknown>>
  return typeof type === 'string' && typeof data === 'object' && data !== null
}
