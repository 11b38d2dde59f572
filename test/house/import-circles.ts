import { dirname, join } from 'node:path/posix'
import { importsOf } from './source-text.ts'

/**
 * Groups of files that import each other in a circle, type-only imports among it; each group in
 * the sequence of its names. Files that only use what is in a circle are in no group.
 */
export function importCircles(files: ReadonlyMap<string, string>): string[][] {
  const targets = new Map(
    [...files].map(([path, text]) => [
      path,
      importsOf(text)
        .filter((target) => target.startsWith('.'))
        .map((target) => join(dirname(path), target))
        .filter((target) => files.has(target)),
    ]),
  )
  const circles: string[][] = []
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []

  // Tarjan: a file from which nothing before it can be reached closes the group that it began.
  const visit = (path: string): number => {
    const number = order.size
    order.set(path, number)
    lowest.set(path, number)
    open.push(path)
    for (const target of targets.get(path) ?? []) {
      const reached = order.has(target)
        ? open.includes(target)
          ? (order.get(target) ?? number)
          : number
        : visit(target)
      lowest.set(path, Math.min(lowest.get(path) ?? number, reached))
    }
    const low = lowest.get(path) ?? number
    if (low === number) {
      const group = open.splice(open.indexOf(path))
      const isCircle = group.length > 1 || (targets.get(path) ?? []).includes(path)
      if (isCircle) circles.push(group.sort())
    }
    return low
  }
  for (const path of files.keys()) if (!order.has(path)) visit(path)
  return circles.sort()
}
