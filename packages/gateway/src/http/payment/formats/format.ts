import type { WireAnswer } from '../answer.ts'
import { JSON_TYPE, writeJson, writeJsonTable } from './json.ts'
import { PIPES_TYPE, writePipes, writePipesEvents } from './pipes.ts'
import { writeXml, writeXmlEvents, XML_TYPE } from './xml.ts'

export type Format = 'XML' | 'JSON' | 'PIPES'

export interface Written {
  readonly type: string
  readonly body: string
}

/**
 * The format to answer in; null for an unknown one.
 * @param sent the format asked for, in any case of letters; '' for none
 * @param action in upper case
 * @param usual the format where none was asked for
 */
export function readFormat(sent: string, action: string, usual: Format): Format | null {
  const asked = sent === '' ? usual : sent.toUpperCase()
  if (asked !== 'XML' && asked !== 'JSON' && asked !== 'PIPES') return null
  // The availability check has two formats only.
  return asked === 'PIPES' && action === 'TESTGW' ? 'XML' : asked
}

export function write({ body }: WireAnswer, format: Format): Written {
  const single = body.kind === 'record'
  switch (format) {
    case 'JSON':
      return {
        type: JSON_TYPE,
        body: single ? writeJson(body.record) : writeJsonTable(body.events),
      }
    case 'XML':
      return { type: XML_TYPE, body: single ? writeXml(body.record) : writeXmlEvents(body.events) }
    case 'PIPES':
      return {
        type: PIPES_TYPE,
        body: single ? writePipes(body.record) : writePipesEvents(body.events),
      }
  }
}
