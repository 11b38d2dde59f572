import { ProtocolFault, type Message } from './protocol-fault.ts'

const MAX_DEPTH = 16

/** The text of a message's bytes. Throws ProtocolFault 101 for what is no UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ProtocolFault('101', 'The message is not UTF-8.')
  }
}

/** The JSON object that a text is. Throws ProtocolFault 101. */
export function parseObject(text: string): Message {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ProtocolFault('101', 'The message is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProtocolFault('101', 'The message is not a JSON object.')
  }
  return value as Message
}

interface Level {
  /** Null in an array. */
  readonly names: Set<string> | null
  /** The path of what is inside, with the dot at its end. */
  readonly path: string
  /** In an object: the name that the next value belongs to, once it was read. */
  name: string | null
}

/**
 * Names that an object of a JSON text has more than once, after those of its parents. A parser
 * keeps the last in silence. `message` is what the text was parsed to. Throws ProtocolFault 101 for
 * one that is nested too deep.
 */
export function repeatedNames(text: string, message: Message): string[] {
  // A text that is written the same way again has lost no name, and needs no reading by tokens.
  const isFlat = (text.match(/[{[]/g)?.length ?? 0) <= MAX_DEPTH
  return isFlat && JSON.stringify(message) === text ? [] : namesRepeated(text)
}

function namesRepeated(text: string): string[] {
  const repeated = new Set<string>()
  const levels: Level[] = []
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/gs)) {
    const top = levels.at(-1)
    if (token === '{' || token === '[') {
      const path = top === undefined ? '' : `${top.path}${top.name === null ? '' : `${top.name}.`}`
      levels.push({ names: token === '{' ? new Set() : null, path, name: null })
      if (levels.length > MAX_DEPTH)
        throw new ProtocolFault('101', 'The message is nested too deep.')
    } else if (token === '}' || token === ']') levels.pop()
    else if (token === ',') {
      if (top !== undefined) top.name = null
    } else if (top?.names && top.name === null) {
      const name = JSON.parse(token) as string
      if (top.names.has(name)) repeated.add(top.path + name)
      top.names.add(name)
      top.name = name
    }
  }
  return [...repeated]
}
