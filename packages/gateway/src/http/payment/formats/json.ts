import { number, type EventTable, type Field, type WireRecord } from '../record.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Characters that a JSON string must escape; all else, other than ASCII too, is written raw. */
// oxlint-disable-next-line no-control-regex -- control characters are what must be escaped
const NEEDS_ESCAPING = /["\\\u0000-\u001f\u007f\u2028\u2029\ud800-\udfff]/

/** One flat object, keys in the order of the record. */
export function writeJson(record: WireRecord): string {
  let out = '{'
  for (const [index, field] of record.entries()) {
    out += `${index === 0 ? '' : ','}"${field.name}":${jsonValue(field)}`
  }
  return `${out}}`
}

/**
 * Events as a table: the names of the columns once, then a row an event. Every row has every
 * column; a value that an event lacks is an empty string.
 */
export function writeJsonTable(events: readonly EventTable[]): string {
  const columns = columnsOf(events)
  const rows = events.map((event) => {
    const byName = new Map(event.fields.map((field) => [field.name, field]))
    const cells = columns.map((name) => {
      const field = byName.get(name)
      return field === undefined ? '""' : jsonValue(field)
    })
    return `[${[jsonValue(number('TRANS_ID', event.transactionId)), ...cells].join(',')}]`
  })
  return `{"COLUMNS":${JSON.stringify(['TRANS_ID', ...columns])},"DATA":[${rows.join(',')}]}`
}

/** The order of the widest event, which is the one with the most line items. */
function columnsOf(events: readonly EventTable[]): string[] {
  let widest: WireRecord = []
  for (const { fields } of events) if (fields.length > widest.length) widest = fields
  return widest.map(({ name }) => name)
}

function jsonValue(field: Field): string {
  if (field.numeric) return field.text
  return NEEDS_ESCAPING.test(field.text) ? JSON.stringify(field.text) : `"${field.text}"`
}
