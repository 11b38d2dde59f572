/** The members of a JSON object that was sent; a refusal names the member at fault. */
export type JsonBody<Members> =
  | { readonly ok: true; readonly members: Members }
  | { readonly ok: false; readonly parameter: string; readonly detail: string }

/** Reads one member; undefined for a value that it does not take. */
export type ReadMember<Value> = (value: unknown) => Value | undefined

type Readers = Readonly<
  Record<string, { readonly expected: string; readonly read: ReadMember<unknown> }>
>

type MembersOf<Given extends Readers> = {
  readonly [Name in keyof Given]?: Exclude<ReturnType<Given[Name]['read']>, undefined>
}

/**
 * Reads a body by a table of its members. A member may be missing; one that the table does not
 * have is refused. No body is an empty object.
 */
export function readJsonBody<Given extends Readers>(
  body: unknown,
  readers: Given,
): JsonBody<MembersOf<Given>> {
  const object = parse(body)
  if (object === null) {
    return { ok: false, parameter: '', detail: 'The body must be a JSON object.' }
  }
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined
    if (reader === undefined) {
      const names = Object.keys(readers).join(', ') || 'none'
      return { ok: false, parameter: name.slice(0, 64), detail: `It may have: ${names}.` }
    }
    const read = reader.read(value)
    if (read === undefined) return { ok: false, parameter: name, detail: reader.expected }
    members[name] = read
  }
  // Each value came from the reader of its name.
  return { ok: true, members: members as MembersOf<Given> }
}

function parse(body: unknown): object | null {
  if (!Buffer.isBuffer(body) || body.byteLength === 0) return {}
  const text = body.toString('utf8')
  // The database takes no NUL.
  if (/\\u0000|\0/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
