import { readFileSync, writeFileSync } from 'node:fs'
import type { Cost } from './schedule.ts'

/** Written by `npm run test:all -- --write-costs`, on a machine that does nothing else. */
const FILE = new URL('test-costs.json', import.meta.url)

type Written = Readonly<Record<string, readonly [wallSeconds: number, cpuSeconds: number]>>

export function readCosts(): Map<string, Cost> {
  const written = JSON.parse(readFileSync(FILE, 'utf8')) as Written
  return new Map(
    Object.entries(written).map(([file, [wallSeconds, cpuSeconds]]) => [
      file,
      { wallSeconds, cpuSeconds },
    ]),
  )
}

/** Keeps those of files that were not run now and are still there. */
export function writeCosts(measured: ReadonlyMap<string, Cost>, there: readonly string[]): void {
  const all = new Map([...readCosts(), ...measured])
  const lines = there.toSorted().flatMap((file) => {
    const cost = all.get(file)
    if (cost === undefined) return []
    const seconds = [cost.wallSeconds, cost.cpuSeconds].map((each) => each.toFixed(1))
    return [`  ${JSON.stringify(file)}: [${seconds.join(', ')}]`]
  })
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`)
}
