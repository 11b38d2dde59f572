import type { EventTable, WireRecord } from '../record.ts'

export const PIPES_TYPE = 'text/plain; charset=utf-8'

/** `NAME=VALUE` pairs with two pipes between them. */
export function writePipes(record: WireRecord): string {
  return record.map(({ name, text }) => `${name}=${plain(text)}`).join('||')
}

/** One line an event, its id in front. */
export function writePipesEvents(events: readonly EventTable[]): string {
  return events
    .map(({ transactionId, fields }) => `TRANS_ID=${transactionId}||${writePipes(fields)}`)
    .join('\n')
}

/**
 * A pipe inside a value would be read as a separator and a line end as the next event. The broken
 * bar stands in for every pipe: one alone at the end of a value would make three in a row.
 */
function plain(text: string): string {
  return text.replace(/[\r\n]/g, ' ').replaceAll('|', '¦')
}
