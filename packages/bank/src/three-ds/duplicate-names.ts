/**
 * The names that an object of a JSON text has twice, with those of its parents in front
 * (`parent.child`). JSON.parse would silently keep the last of them. The text must be valid JSON.
 */
export function findDuplicateNames(json: string): string[] {
  const found: string[] = []
  const open: { readonly names: Set<string> | null; readonly path: string }[] = []
  let name = ''
  // Strings are taken whole, so that braces inside them are none.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[{}[\]]/gs)) {
    const top = open.at(-1)
    if (token === '{' || token === '[') {
      const path = top === undefined ? '' : top.names === null ? top.path : join(top.path, name)
      open.push({ names: token === '{' ? new Set() : null, path })
    } else if (token === '}' || token === ']') {
      open.pop()
    } else if (token.endsWith(':') && top !== undefined && top.names !== null) {
      name = String(JSON.parse(token.slice(0, -1)))
      const path = join(top.path, name)
      if (top.names.has(name)) found.push(path)
      top.names.add(name)
    }
  }
  return found
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
