/**
 * Operations under the names of earlier versions. Entries of the audit log are hashed, so they keep
 * the name that they were written with. Here alone a search for today's name finds them.
 */
const FORMER_NAMES: readonly (readonly [name: string, former: string])[] = [
  ['portal_user.', 'person.'],
  ['order.refunded', 'order.credited'],
  ['site.go_live_requested', 'site.go_live_asked'],
]

/** The names under which entries of an operation are stored; also of a group, such as `order.`. */
export function storedNamesOf(operation: string): readonly string[] {
  const former = FORMER_NAMES.flatMap(([name, before]) =>
    operation.startsWith(name) ? [before + operation.slice(name.length)] : [],
  )
  return [operation, ...former]
}
