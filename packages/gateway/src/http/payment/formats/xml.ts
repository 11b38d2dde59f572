import type { EventTable, WireRecord } from '../record.ts'

export const XML_TYPE = 'application/xml; charset=utf-8'

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'

/**
 * Characters that XML 1.0 (fifth edition, section 2.2) excludes: most control characters, two
 * noncharacters and halves of surrogate pairs. They are dropped, as no escape exists for them.
 */
const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what must be dropped
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const SUSPECT = /[^ !#-%(-;=?-~\u00a0-\ud7ff]/

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  // A reader turns a bare carriage return into a line feed.
  '\r': '&#13;',
}

export function writeXml(record: WireRecord, root = 'RESPONSE'): string {
  return `${DECLARATION}<${root}>${elements(record)}</${root}>`
}

/** One TRANSACTION element an event; the event's id is its attribute. */
export function writeXmlEvents(events: readonly EventTable[]): string {
  let out = `${DECLARATION}<RESPONSE>`
  for (const { transactionId, fields } of events) {
    out += `<TRANSACTION TRANS_ID="${escape(transactionId)}">${elements(fields)}</TRANSACTION>`
  }
  return `${out}</RESPONSE>`
}

function elements(record: WireRecord): string {
  let out = ''
  for (const { name, text } of record) {
    const value = escape(text)
    out += value === '' ? `<${name}/>` : `<${name}>${value}</${name}>`
  }
  return out
}

function escape(text: string): string {
  if (!SUSPECT.test(text)) return text
  return text.replace(FORBIDDEN, '').replace(/[&<>"\r]/g, (found) => ENTITIES[found] ?? '')
}
