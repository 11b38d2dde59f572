import { COMMON_WORDS, ROWS } from './common-password-words.ts'

/** Different characters that a password has besides everything that can be guessed. */
const LEAST_LEFT = 7
/** Shorter names, and shorter parts of rows, stand in good passwords by accident. */
const SHORTEST_NAME = 3
const SHORTEST_RUN = 4

/** Ways to read the digits and signs that stand for letters: `p4ssw0rd`. */
const READINGS: readonly Readonly<Record<string, string>>[] = [
  { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '!': 'i' },
  { '0': 'o', '1': 'l', '3': 'e', '4': 'a', '5': 's', '7': 't', '@': 'a', $: 's', '|': 'l' },
]

/**
 * Why a password is among the first guesses; null for one that is not. `names`: e-mail addresses,
 * user names and names of the user and the merchant. The sentence repeats no part of the password.
 */
export function guessableFault(password: string, names: readonly string[]): string | null {
  const text = password.toLowerCase()
  const personal = names.flatMap(partsOf)
  const guessed = new Set([
    ...wordPlaces(text, [...COMMON_WORDS, ...personal]),
    ...rowPlaces(text),
    ...yearPlaces(text),
  ])
  const left = new Set([...text].filter((_, place) => !guessed.has(place)))
  if (left.size >= LEAST_LEFT) return null
  return (
    'The password is easy to guess. Common words, names, years, rows of keys such as 1234, and ' +
    `repeated characters do not count: the rest must have ${LEAST_LEFT} different characters. ` +
    'Use a password manager, or four words that do not belong together.'
  )
}

/** The words of a name, and the whole of it as one word. */
function partsOf(name: string): string[] {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  const [local = ''] = name.toLowerCase().split('@')
  const wholes = [local, words.join(''), local.replace(/[^\p{L}\p{N}]+/gu, '')]
  return [...words, ...wholes].filter((part) => part.length >= SHORTEST_NAME)
}

function wordPlaces(text: string, words: readonly string[]): number[] {
  const readings = [
    text,
    ...READINGS.map((signs) => [...text].map((sign) => signs[sign] ?? sign).join('')),
  ]
  return readings.flatMap((reading) => words.flatMap((word) => placesOf(reading, word)))
}

function placesOf(text: string, word: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    places.push(...span(at, word.length))
  }
  return places
}

/** Four characters or more that stand side by side in a row. */
function rowPlaces(text: string): number[] {
  const places: number[] = []
  for (let at = 0; at + SHORTEST_RUN <= text.length; at += 1) {
    const part = text.slice(at, at + SHORTEST_RUN)
    if (ROWS.some((row) => row.includes(part))) places.push(...span(at, SHORTEST_RUN))
  }
  return places
}

function yearPlaces(text: string): number[] {
  return [...text.matchAll(/(?:19|20)[0-9]{2}/g)].flatMap(({ index, 0: year }) =>
    span(index, year.length),
  )
}

function span(from: number, length: number): number[] {
  return Array.from({ length }, (_, step) => from + step)
}
