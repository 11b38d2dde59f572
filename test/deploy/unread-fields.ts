/**
 * A view of a value that remembers which of its fields were read. Validators compiled from schemas
 * read exactly the fields that a schema knows, so the others are unknown to it.
 */
export function watchFields<Value extends object>(
  value: Value,
): { readonly view: Value; unread(): string[] } {
  const unread = new Set<string>()
  return { view: viewOf(value, '', unread) as Value, unread: () => [...unread].sort() }
}

function viewOf(value: unknown, path: string, unread: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const at = (name: string | symbol): string => `${path}.${String(name)}`
  if (!Array.isArray(value)) for (const name of Object.keys(value)) unread.add(at(name))
  const views = new Map<string | symbol, unknown>()
  return new Proxy(value, {
    get(target, name) {
      unread.delete(at(name))
      if (!views.has(name)) views.set(name, viewOf(Reflect.get(target, name), at(name), unread))
      return views.get(name)
    },
    // A schema that admits every name, such as that of labels, lists them.
    ownKeys(target) {
      for (const name of Reflect.ownKeys(target)) unread.delete(at(name))
      return Reflect.ownKeys(target)
    },
  })
}
