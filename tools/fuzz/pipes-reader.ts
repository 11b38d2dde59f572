/** Reads one line of PIPES as a shop's program would, strictly; throws a sentence. */
export function readPipes(line: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const pair of line.split('||')) {
    const equals = pair.indexOf('=')
    const name = pair.slice(0, Math.max(equals, 0))
    if (!/^[A-Z][A-Z0-9_]*$/.test(name))
      throw new Error(`A pair begins with ${JSON.stringify(pair.slice(0, 60))}.`)
    if (fields.has(name)) throw new Error(`The field ${name} is there twice.`)
    const value = pair.slice(equals + 1)
    if (/[|\r\n]/.test(value)) throw new Error(`The value of ${name} holds a pipe or a line end.`)
    fields.set(name, value)
  }
  return fields
}
