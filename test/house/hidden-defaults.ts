import { parseSync, Visitor } from 'oxc-parser'

/** Rooms whose callers state every fact, so that no default states it in their place. */
const ROOMS = /^packages\/gateway\/src\/(?:domain|usecases)\//

/**
 * Defaults that stay, by file and name, with the reason. A default that is gone leaves the list.
 */
export const DEFAULTS: Readonly<Record<string, string>> = {
  'packages/gateway/src/usecases/clocks/change-clock.ts onProgress':
    'a listener, not a fact: most callers read only the end',
  'packages/gateway/src/usecases/logins/request-volume.ts answerWithinMs':
    'a limit of the machine, which only tests shorten',
  'packages/gateway/src/usecases/memberships/change-membership.ts store':
    'a port, not a fact: one caller writes more in the same transaction',
}

/** Parameters and destructured members with a default value that no reason is listed for. */
export function defaultBreaches(path: string, text: string): string[] {
  return defaultsIn(path, text)
    .filter((name) => !(`${path} ${name}` in DEFAULTS))
    .map(
      (name) => `${path} has a default for ${name}: the caller states it, or a reason is listed.`,
    )
}

/** Listed defaults that are gone. `read` returns the text of a file, null when it is gone. */
export function idleDefaults(read: (path: string) => string | null): string[] {
  return Object.keys(DEFAULTS).filter((key) => {
    const [path = '', name = ''] = key.split(' ')
    const text = read(path)
    return text === null || !defaultsIn(path, text).includes(name)
  })
}

function defaultsIn(path: string, text: string): string[] {
  if (!ROOMS.test(path)) return []
  const found = new Map<number, string>()
  new Visitor({
    AssignmentPattern: ({ left, start }) => {
      found.set(start, left.type === 'Identifier' ? left.name : text.slice(left.start, left.end))
    },
    // The parts of a split text or a list: their types cannot show how many there are.
    'ArrayPattern:exit': ({ elements }) => {
      for (const part of elements) if (part !== null) found.delete(part.start)
    },
  }).visit(parseSync(path, text).program)
  return [...found.values()]
}
