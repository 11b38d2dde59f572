import { Iso8583Error } from './iso8583-error.ts'

const MAX_CHARACTERS = 999
const TAG = /^[0-9A-Z]{2}$/
const VALUE = /^[ -~]+$/
const LENGTH = /^[0-9]{3}$/

/**
 * DE 48: each tag as tag(2) length(3) value, in ascending order. A record without tags gives an
 * empty text, and DE 48 has to be left out then. Throws Iso8583Error on a tag that is not two
 * capitals or digits, on an empty or unprintable value, and past 999 characters.
 */
export function encodePrivateData(tags: Readonly<Record<string, string>>): string {
  let text = ''
  for (const tag of Object.keys(tags).sort()) {
    const value = tags[tag]
    if (!TAG.test(tag)) throw fault('A tag of DE 48 is not two capitals or digits.')
    if (typeof value !== 'string' || !VALUE.test(value)) {
      throw fault(`Tag ${tag} of DE 48 is empty or not printable ASCII; leave out an empty tag.`)
    }
    text += tag + String(value.length).padStart(3, '0') + value
    // Checked inside the loop, so that no length can grow past its three digits.
    if (text.length > MAX_CHARACTERS) throw fault('DE 48 is longer than 999 characters.')
  }
  return text
}

/**
 * The tags of DE 48 by name. Throws Iso8583Error unless the text is exactly what
 * {@link encodePrivateData} would write: tags ascending, none twice, nothing left over.
 */
export function decodePrivateData(text: string): Record<string, string> {
  if (text.length > MAX_CHARACTERS) throw fault('DE 48 is longer than 999 characters.')
  const tags: Record<string, string> = {}
  let previous = ''
  let at = 0
  while (at < text.length) {
    const tag = text.slice(at, at + 2)
    const digits = text.slice(at + 2, at + 5)
    if (!TAG.test(tag)) throw fault('A tag of DE 48 is not two capitals or digits.')
    if (tag <= previous)
      throw fault(`Tag ${tag} of DE 48 comes twice or is not in ascending order.`)
    if (!LENGTH.test(digits)) throw fault(`Tag ${tag} of DE 48 has a length that is not 3 digits.`)
    const start = at + 5
    at = start + Number(digits)
    const value = text.slice(start, at)
    if (at > text.length) throw fault(`DE 48 ends inside its tag ${tag}.`)
    if (!VALUE.test(value)) throw fault(`Tag ${tag} of DE 48 is empty or not printable ASCII.`)
    tags[tag] = value
    previous = tag
  }
  return tags
}

function fault(text: string): Iso8583Error {
  return new Iso8583Error('subfield_invalid', text, { field: 48 })
}
