import { EVENT_TYPE_NAMES } from '../../packages/gateway/src/domain/events/event-types.ts'
import { eventSchema } from '../../packages/gateway/src/http/api/event-schemas.ts'

/** The folder of the published schemas of events. */
export const EVENT_SCHEMAS = 'docs/schemas/events/v1'

/** The text of each file, by its name. */
export function eventSchemaTexts(): ReadonlyMap<string, string> {
  return new Map(
    EVENT_TYPE_NAMES.map((type) => [
      `${type}.json`,
      `${JSON.stringify(eventSchema(type), null, 2)}\n`,
    ]),
  )
}
