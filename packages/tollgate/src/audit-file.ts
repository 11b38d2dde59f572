import type { ChainedEntry } from '@tollgate/gateway/operator-audit'
import { createReadStream } from 'node:fs'

/** Thrown for an unreadable line of an exported log; the message has the reason. */
export class AuditFileError extends Error {
  override readonly name = 'AuditFileError'
}

export { entryLine } from '@tollgate/gateway/operator-audit'

/**
 * The lines of a file of JSON. The lines of `node:readline` end at the line separators of Unicode
 * too, which a text in JSON may have.
 */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

const TEXTS = [
  'at',
  'actor',
  'operation',
  // The name of `operation` in exports of early versions. Names are not hashed.
  'act',
  'object',
  'merchant_id',
  'address',
  'result',
  'details',
  'previous_hash',
  'hash',
] as const

/** @throws AuditFileError when the line is not what `entryLine` writes. */
export function parseEntryLine(line: string, lineNumber: number): ChainedEntry {
  const fault = (what: string): AuditFileError =>
    new AuditFileError(`Line ${lineNumber} is no entry of an exported audit log: ${what}.`)
  let read: unknown
  try {
    read = JSON.parse(line)
  } catch {
    throw fault('it is not JSON')
  }
  if (typeof read !== 'object' || read === null) throw fault('it is not an object')
  const fields = read as Readonly<Record<string, unknown>>
  const text = (name: (typeof TEXTS)[number]): string => {
    const value = fields[name]
    if (typeof value !== 'string') throw fault(`"${name}" is not a text`)
    return value
  }
  const { number } = fields
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) {
    throw fault('"number" is not a whole number')
  }
  return {
    number: BigInt(number),
    at: text('at'),
    actor: text('actor'),
    operation: 'operation' in fields ? text('operation') : text('act'),
    object: text('object'),
    merchantId: text('merchant_id'),
    address: text('address'),
    result: text('result'),
    details: text('details'),
    previousHash: text('previous_hash'),
    hash: text('hash'),
  }
}
