import { readdirSync } from 'node:fs'
import { createChance } from '../torture/chance.ts'
import { startProgram, type StartedProgram } from './program.ts'
import type { Failure, Run, Target } from './target.ts'

export interface FuzzOptions {
  readonly seed: string
  /** The limit of each target: time, or a number of inputs that is the same on every machine. */
  readonly each: { readonly seconds: number } | { readonly inputsOf: (target: string) => number }
  readonly targets: readonly Target[]
  readonly tell: (line: string) => void
  /** Ends the run early when it is aborted; started programs are stopped as always. */
  readonly signal?: AbortSignal
}

export interface FuzzReport {
  readonly inputs: ReadonlyMap<string, number>
  /** The answers to inputs and their counts, by target. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** By the target's name; `books` for the findings of verify and recon at the end. */
  readonly failures: ReadonlyMap<string, Failure>
}

/** Every target that there is: one file each. */
export async function allTargets(): Promise<Target[]> {
  const folder = new URL('targets/', import.meta.url)
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .sort()
  const modules = await Promise.all(
    files.map((file) => import(new URL(file, folder).href) as Promise<{ target: Target }>),
  )
  return modules.map(({ target }) => target)
}

/** Runs each target for its share, one after the other, and compares the books at the end. */
export async function fuzz({
  seed,
  each,
  targets,
  tell,
  signal,
}: FuzzOptions): Promise<FuzzReport> {
  const inputs = new Map<string, number>()
  const failures = new Map<string, Failure>()
  const answers = new Map<string, Map<string, number>>()
  let program: StartedProgram | null = null
  try {
    for (const target of targets) {
      let count = 0
      const heard = new Map<string, number>()
      answers.set(target.name, heard)
      // Before its time begins to run.
      if (target.needs === 'program') program ??= await startProgram()
      const end = 'seconds' in each ? performance.now() + each.seconds * 1_000 : 0
      const run: Run = {
        chance: createChance(seed).branch(target.name),
        goesOn: () =>
          signal?.aborted !== true &&
          ('inputsOf' in each ? count < each.inputsOf(target.name) : performance.now() < end),
        count: () => void (count += 1),
        note: (what) => void heard.set(what, (heard.get(what) ?? 0) + 1),
      }
      const found: Failure | null =
        target.needs === 'program' && program !== null
          ? await target.fuzz(run, program)
          : await fuzzAlone(target, run)
      inputs.set(target.name, count)
      if (found !== null) failures.set(target.name, found)
      tell(`${target.name}: ${count} inputs, ${found === null ? 'nothing found' : 'a fault found'}`)
      if (heard.size > 0) tell(`  answers: ${mostOften(heard)}`)
    }
    if (program !== null) {
      const wrong = program.deaths()[0] ?? (await program.compareBooks())
      const said = program.saidLast()
      if (wrong !== null)
        failures.set('books', { what: wrong, input: `The program said last:\n${said}` })
      tell(`verify and recon: ${wrong ?? 'all invariants hold, gateway and bank agree'}`)
    }
  } finally {
    await program?.stop()
  }
  return { inputs, answers, failures }
}

function fuzzAlone(target: Target, run: Run): Promise<Failure | null> {
  if (target.needs !== 'nothing') throw new Error(`${target.name} needs a started Tollgate.`)
  return target.fuzz(run)
}

const SHOWN = 12

function mostOften(answers: ReadonlyMap<string, number>): string {
  const sorted = [...answers].sort(([, a], [, b]) => b - a)
  const shown = sorted.slice(0, SHOWN).map(([what, count]) => `${count} ${what}`)
  return [...shown, ...(sorted.length > SHOWN ? [`${sorted.length - SHOWN} other`] : [])].join(', ')
}
