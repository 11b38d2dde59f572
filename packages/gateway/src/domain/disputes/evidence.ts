import { holdsCardSecret } from '../../base/card-masking.ts'

/** Types of evidence that networks take. */
export const EVIDENCE_TYPES = ['application/pdf', 'image/png', 'image/jpeg', 'text/plain'] as const

export type EvidenceType = (typeof EVIDENCE_TYPES)[number]

export const MOST_FILE_BYTES = 4_000_000
/** Of one case. */
export const MOST_FILES = 10
export const MOST_TOTAL_BYTES = 10_000_000
export const MOST_TEXT_CHARACTERS = 20_000
const MOST_NAME_CHARACTERS = 120

/** The first bytes of each type but plain text. */
const SIGNATURES: readonly (readonly [EvidenceType, readonly number[]])[] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
]

/** The type of a file by its content, not by its name; null for another type. */
export function typeOfContent(content: Uint8Array): EvidenceType | null {
  for (const [type, bytes] of SIGNATURES) {
    if (bytes.every((byte, at) => content[at] === byte)) return type
  }
  return textOf(content) === null ? null : 'text/plain'
}

/** Why a file cannot be kept as evidence; null if it can. */
export function fileFault(
  name: string,
  content: Uint8Array,
  kept: { readonly files: number; readonly bytes: number },
): string | null {
  if (!isFileName(name)) {
    return (
      'The name of the file is empty, has control characters or slashes, or more than ' +
      `${MOST_NAME_CHARACTERS} characters.`
    )
  }
  if (holdsCardSecret(name)) return 'The name of the file has a card number in it.'
  if (content.length === 0) return 'The file is empty.'
  if (content.length > MOST_FILE_BYTES) {
    return `The file has ${content.length} bytes; at most ${MOST_FILE_BYTES} are kept.`
  }
  if (kept.files >= MOST_FILES) return `The case has ${MOST_FILES} files; no more are kept.`
  if (kept.bytes + content.length > MOST_TOTAL_BYTES) {
    return `The files of the case would have more than ${MOST_TOTAL_BYTES} bytes together.`
  }
  const type = typeOfContent(content)
  if (type === null) return 'The content is neither PDF, PNG, JPEG nor plain text in UTF-8.'
  if (type === 'text/plain' && holdsCardSecret(textOf(content) ?? '')) {
    return 'The text has a card number or a security code in it.'
  }
  return null
}

/** Why a text cannot be an answer; null if it can. */
export function textFault(text: string): string | null {
  if (text.length > MOST_TEXT_CHARACTERS) {
    return `The text has more than ${MOST_TEXT_CHARACTERS} characters.`
  }
  if (!text.isWellFormed() || hasControlCharacters(text)) return 'The text is no plain text.'
  if (holdsCardSecret(text)) return 'The text has a card number or a security code in it.'
  return null
}

function isFileName(name: string): boolean {
  const isSized = name.trim() !== '' && name.length <= MOST_NAME_CHARACTERS
  return isSized && name.isWellFormed() && !/[\p{Cc}/\\]/u.test(name)
}

function textOf(content: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content)
    return hasControlCharacters(text) ? null : text
  } catch {
    return null
  }
}

/** Control characters but tab, line feed and carriage return. */
function hasControlCharacters(text: string): boolean {
  return /[^\P{Cc}\t\n\r]/u.test(text)
}
