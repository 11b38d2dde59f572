import { formsOf, type Form } from './forms.ts'
import type { Mark } from './marks.ts'

/** A mark that turned up. */
export interface Finding {
  readonly mark: string
  readonly writing: string
  /** The position in the bytes. */
  readonly offset: number
}

export interface Scanner {
  /** All findings, at most one for each mark and writing. */
  scan(bytes: Buffer): Finding[]
}

/** Between two digits of a number that is broken up there are at most so many other signs. */
const GAP = 3
/** So many digits in a row, gaps left out, are not at random those of a card. */
const BROKEN_UP_PART = 12
/** The start and the end of a number this close together are the number. */
const NEIGHBOURS_WITHIN = 200
const START = 7
const END = 6

/** Looks for all marks at once; the time depends on the bytes alone. */
export function createScanner(marks: readonly Mark[]): Scanner {
  const halves = marks.flatMap((mark) => (mark.kind === 'card' ? halvesOf(mark) : []))
  const forms: readonly AnyForm[] = [...marks.flatMap(formsOf), ...halves]
  const automaton = createAutomaton(forms.map(({ bytes }) => bytes))
  const brokenUp = brokenUpParts(marks)
  return {
    scan(bytes) {
      const found = new Map<string, Finding>()
      const add = (mark: Mark, writing: string, offset: number): void => {
        const key = `${mark.name} ${writing}`
        if (!found.has(key)) found.set(key, { mark: mark.name, writing, offset })
      }
      const lastHalf = new Map<string, number>()
      automaton(bytes, (pattern, end) => {
        const form = forms[pattern]
        if (form === undefined) return
        if (!('half' in form)) return add(form.mark, form.writing, end - form.bytes.length)
        const other = lastHalf.get(`${form.mark.name} ${form.half === 'start' ? 'end' : 'start'}`)
        lastHalf.set(`${form.mark.name} ${form.half}`, end)
        // An end that is part of a start's own digits would need the start to be the whole number.
        if (other !== undefined && end - other <= NEIGHBOURS_WITHIN) add(form.mark, 'split', other)
      })
      scanBrokenUp(bytes, brokenUp, (mark, offset) => add(mark, 'broken up', offset))
      return [...found.values()]
    },
  }
}

type AnyForm = Form | (Form & { readonly half: 'start' | 'end' })

function halvesOf(mark: Mark & { readonly kind: 'card' }): AnyForm[] {
  const { digits } = mark
  return [
    { mark, writing: 'split', half: 'start', bytes: Buffer.from(digits.slice(0, START)) },
    { mark, writing: 'split', half: 'end', bytes: Buffer.from(digits.slice(-END)) },
  ]
}

function brokenUpParts(marks: readonly Mark[]): ReadonlyMap<number, Mark> {
  const parts = new Map<number, Mark>()
  for (const mark of marks) {
    if (mark.kind !== 'card') continue
    for (let at = 0; at + BROKEN_UP_PART <= mark.digits.length; at += 1) {
      parts.set(Number(mark.digits.slice(at, at + BROKEN_UP_PART)), mark)
    }
  }
  return parts
}

const MODULUS = 10 ** (BROKEN_UP_PART - 1)

/**
 * Digits with a few signs in between that are neither digits nor letters: blanks, dashes, quotes.
 */
function scanBrokenUp(
  bytes: Buffer,
  parts: ReadonlyMap<number, Mark>,
  onFound: (mark: Mark, offset: number) => void,
): void {
  let digits = 0
  let value = 0
  let gap = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte >= 0x30 && byte <= 0x39) {
      value = (value % MODULUS) * 10 + (byte - 0x30)
      digits += 1
      gap = 0
      if (digits < BROKEN_UP_PART) continue
      const mark = parts.get(value)
      if (mark !== undefined) onFound(mark, at)
    } else if (digits > 0) {
      gap += 1
      const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
      if (gap > GAP || isLetter) {
        digits = 0
        value = 0
      }
    }
  }
}

/**
 * Aho and Corasick's automaton: one step a byte, however many patterns there are. Gives the index
 * of each pattern that ends at a position, and that position.
 */
function createAutomaton(
  patterns: readonly Buffer[],
): (bytes: Buffer, onMatch: (pattern: number, end: number) => void) => void {
  const size = patterns.reduce((sum, pattern) => sum + pattern.length, 1)
  const next = new Int32Array(size * 256)
  /** Patterns that end in a state; patterns can share one. */
  const ends: number[][] = [[]]
  let states = 1
  for (const [index, pattern] of patterns.entries()) {
    let state = 0
    for (const byte of pattern) {
      const at = state * 256 + byte
      if (next[at] === 0) {
        next[at] = states
        ends.push([])
        states += 1
      }
      state = next[at] as number
    }
    ends[state]?.push(index)
  }
  const isEnd = linkSuffixes(next, ends, states)
  return (bytes, onMatch) => {
    let state = 0
    for (let at = 0; at < bytes.length; at += 1) {
      state = next[state * 256 + (bytes[at] as number)] as number
      if (isEnd[state] === 0) continue
      for (const pattern of ends[state] ?? []) onMatch(pattern, at + 1)
    }
  }
}

/** Turns the tree of the patterns into the automaton, breadth first. */
function linkSuffixes(next: Int32Array, ends: number[][], states: number): Uint8Array {
  const suffix = new Int32Array(states)
  const queue: number[] = []
  for (let byte = 0; byte < 256; byte += 1) {
    const child = next[byte] as number
    if (child !== 0) queue.push(child)
  }
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] as number
    const shorter = suffix[state] as number
    ends[state]?.push(...(ends[shorter] ?? []))
    for (let byte = 0; byte < 256; byte += 1) {
      const at = state * 256 + byte
      const child = next[at] as number
      const onward = next[shorter * 256 + byte] as number
      if (child === 0) next[at] = onward
      else {
        suffix[child] = onward
        queue.push(child)
      }
    }
  }
  return Uint8Array.from(ends, (list) => (list.length === 0 ? 0 : 1))
}
