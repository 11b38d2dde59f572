/** Randomness that is the same each time for one seed. */
export interface Chance {
  /** 0 to 1, 1 excluded. */
  next(): number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  /** True with this probability, 0 to 1. */
  happens(probability: number): boolean
  pick<T>(from: readonly T[]): T
  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name
  /** Separate randomness for one part, which the draws of other parts do not change. */
  branch(name: string): Chance
}

export function createChance(seed: number | string): Chance {
  let state = hashOf(String(seed))
  // mulberry32: 32 bits of state are plenty for choosing what to break.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    happens: (probability) => next() < probability,
    pick(from) {
      const found = from[between(0, from.length - 1)]
      if (found === undefined) throw new Error('There is nothing to pick from.')
      return found
    },
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries<number>(weights) as [Name, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      throw new Error('There is nothing to weigh.')
    },
    branch: (name) => createChance(`${seed}/${name}`),
  }
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
  return hash | 0
}
