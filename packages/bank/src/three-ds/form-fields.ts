/** The fields of a form post; null for one that has a field twice or is no form. */
export function readForm(contentType: string, body: string): ReadonlyMap<string, string> | null {
  if (!/^application\/x-www-form-urlencoded(;|$)/i.test(contentType)) return null
  const fields = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(body)) {
    if (fields.has(name)) return null
    fields.set(name, value)
  }
  return fields
}
