/** The longest cell that a mapping may use, and so the longest text that a pattern reads. */
export const LONGEST_CELL = 256
const LONGEST_PATTERN = 200
const MOST_PATHS = 1_000_000

/** One piece of a pattern: an escape, a class, a group's beginning or end, a quantifier, a sign. */
const PIECE = new RegExp(
  [
    /\\[dDwWsSbB]|\\[^\p{L}\p{N}]/u,
    /\[\^?(?:\\[dDwWsS]|\\[^\p{L}\p{N}]|[^\]\\[])+\]/u,
    /\(\?:|\(|\)|\||[*+?]\??|\{\d{1,3}(?:,\d{0,3})?\}\??/u,
    /[^\\[\](){}*+?|]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
)

/**
 * Why a regular expression of a mapping is refused, as the end of a sentence; null for none.
 *
 * The engine backtracks, so a pattern is taken only if the number of ways to try it is small. The
 * pattern has no look-around, no back reference and no repeated group. Then the ways are at most
 * the product of its beginnings, of the lengths of each repetition, and of its alternatives.
 */
export function patternFault(pattern: string): string | null {
  if (pattern.length > LONGEST_PATTERN) {
    return `has ${pattern.length} characters; at most ${LONGEST_PATTERN} are allowed`
  }
  const pieces = pattern.match(PIECE) ?? []
  if (pieces.join('') !== pattern || pattern === '') {
    return (
      'has a part that mappings do not allow; ' +
      'use literals, classes, groups, "|", "*", "+", "?" and "{n,m}"'
    )
  }
  try {
    void new RegExp(pattern, 'u')
  } catch {
    return 'is no regular expression'
  }
  const repeatsGroup = pieces.some(
    (piece, at) => isQuantifier(piece) && !isRepeatable(pieces[at - 1] ?? '('),
  )
  if (repeatsGroup) return 'repeats a group; repeat single characters or classes only'
  return countPaths(pieces) > MOST_PATHS
    ? 'could be tried in more than 1,000,000 ways on one cell; begin it with "^", or repeat less'
    : null
}

function isQuantifier(piece: string): boolean {
  return /^[*+?{]/.test(piece)
}

/** A question mark behind an opening bracket would begin a look-around. */
function isRepeatable(piece: string): boolean {
  return !/^[()|^$]/.test(piece)
}

/** An upper bound of the ways in which the engine can try a pattern on the longest cell. */
function countPaths(pieces: readonly string[]): number {
  const isAnchored = pieces[0] === '^' && !pieces.includes('|')
  const beginnings = isAnchored ? 1 : LONGEST_CELL + 1
  return pieces.reduce((paths, piece) => paths * choicesOf(piece), beginnings)
}

function choicesOf(piece: string): number {
  // Each bar at most doubles the ways of the groups around it.
  if (piece === '|' || piece.startsWith('?')) return 2
  if (piece.startsWith('*') || piece.startsWith('+')) return LONGEST_CELL + 1
  const [, low, comma, high] = /^\{(\d+)(,?)(\d*)\}/.exec(piece) ?? []
  if (low === undefined || comma === '') return 1
  return high === '' ? LONGEST_CELL + 1 : Math.max(1, Number(high) - Number(low) + 1)
}
