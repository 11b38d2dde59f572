import { actionOf } from '../actions.ts'
import type { Answer } from '../answer.ts'
import { JSON_TYPE, writeJson, writeJsonTable } from './json.ts'
import { PIPES_TYPE, writePipes, writePipesEvents } from './pipes.ts'
import { writeXml, writeXmlEvents, XML_TYPE } from './xml.ts'

export type Format = 'XML' | 'JSON' | 'PIPES'

export interface Written {
  readonly type: string
  readonly body: string
}

/**
 * The format asked for, in any case of letters; the usual one when none was, null for an unknown
 * one.
 */
export function readFormat(
  params: ReadonlyMap<string, string>,
  usual: Format = 'XML',
): Format | null {
  const asked = params.get('REQUEST_RESPONSE_FORMAT')?.toUpperCase() ?? usual
  if (asked !== 'XML' && asked !== 'JSON' && asked !== 'PIPES') return null
  // The availability check has two formats only.
  const isTest = actionOf(params) === 'TESTGW'
  return asked === 'PIPES' && isTest ? 'XML' : asked
}

export function write({ body }: Answer, format: Format): Written {
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
