import {
  EVENT_TYPE_NAMES,
  type EventType,
} from '../../packages/gateway/src/domain/events/event-types.ts'
import { eventSchema } from '../../packages/gateway/src/http/api/event-schemas.ts'

type Schema = ReturnType<typeof eventSchema>

/** The types of events in the client, written from their schemas. */
export const CLIENT_EVENT_TYPES = 'packages/client/src/event-types.ts'

const HEAD = `// Written by \`npm run docs\` from the schemas in docs/schemas/events.

/** The type of an event. Further types may be added: ignore those that you do not know. */
`

const MAP_HEAD = `/** The field \`data\` of each type. */
export interface EventDataByType {
`

/** The text of that file: types with the same data share an interface. */
export function clientEventTypes(): string {
  const names = new Map<string, string>()
  const interfaces: string[] = []
  const map = EVENT_TYPE_NAMES.map((type) => {
    const body = typeOf(dataOf(type), '')
    let name = names.get(body)
    if (name === undefined) {
      name = `${pascalCase(type)}Data`
      names.set(body, name)
      interfaces.push(`export interface ${name} ${body}\n`)
    }
    return `  readonly '${type}': ${name}`
  })
  return [
    `${HEAD}export type EventType = keyof EventDataByType\n`,
    MAP_HEAD + `${map.join('\n')}\n}\n`,
    ...interfaces,
  ].join('\n')
}

function dataOf(type: EventType): Schema {
  return propertiesOf(eventSchema(type))['data'] ?? {}
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return schema['properties'] as Readonly<Record<string, Schema>>
}

function pascalCase(type: string): string {
  return type
    .split(/[._]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}

/** TypeScript of a schema. Known values are texts, because values are added. */
function typeOf(schema: Schema, indent: string): string {
  const any = schema['anyOf'] as readonly Schema[] | undefined
  if (any !== undefined) return any.map((each) => typeOf(each, indent)).join(' | ')
  switch (schema['type']) {
    case 'array': {
      const item = typeOf(schema['items'] as Schema, indent)
      return `readonly ${item.includes(' | ') ? `(${item})` : item}[]`
    }
    case 'object':
      return objectType(schema, indent)
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    default:
      return 'string'
  }
}

function objectType(schema: Schema, indent: string): string {
  const required = new Set(schema['required'] as readonly string[] | undefined)
  const inner = `${indent}  `
  const fields = Object.entries(propertiesOf(schema)).map(
    ([name, field]) =>
      `${inner}readonly ${name}${required.has(name) ? '' : '?'}: ${typeOf(field, inner)}\n`,
  )
  return `{\n${fields.join('')}${indent}}`
}
