import { EVENT_TYPES } from '../../domain/events/event-types.ts'
import { writeEvent, type EventDraft } from '../../domain/events/event.ts'
import { membershipEvent } from '../../domain/events/membership-event.ts'
import {
  abandonedEvent,
  adviceEvent,
  expiryEvent,
  namesOf,
  rejectedEvent,
  transactionEvent,
} from '../../domain/events/order-event.ts'
import { dataOf } from '../../domain/events/whole-fact.ts'
import type { PlacedFact, RecordedFact } from './event-store.ts'

/** The JSON of an event, as the feed answers it. */
export function describeEvent(placed: PlacedFact): string {
  return writeEvent(draftOf(placed.fact), placed)
}

function draftOf(fact: RecordedFact): EventDraft {
  switch (fact.kind) {
    case 'transaction':
      return transactionEvent(fact.type, fact.facts)
    case 'advice':
      return adviceEvent(fact.type, fact.facts)
    case 'expiry':
      return expiryEvent(fact.facts, fact)
    case 'rejected':
      return rejectedEvent(fact.facts, fact.fileId, fact.at)
    case 'abandoned':
      return abandonedEvent(fact.facts, fact.result)
    case 'membership':
      return membershipEvent(fact.type, fact.facts, fact.details, fact.actor)
    case 'whole':
      return {
        type: fact.type,
        merchantId: fact.merchantId,
        siteId: fact.siteId,
        mode: fact.content.mode,
        object: { type: EVENT_TYPES[fact.type].object, id: fact.objectId },
        at: fact.at,
        origin: fact.content.origin,
        actor: fact.actor,
        requestId: null,
        data: { ...dataOf(fact.content), ...(fact.order === null ? {} : namesOf(fact.order)) },
      }
  }
}
