import type { Chance } from '../torture/chance.ts'
import type { StartedProgram } from './program.ts'

/** A finding: a sentence, and the smallest input that shows it. */
export interface Failure {
  readonly what: string
  readonly input: string
}

/** One target's share of a run. */
export interface Run {
  /** This target's own randomness: the same for one seed, with any other targets. */
  readonly chance: Chance
  /** False when time or cases are used up. */
  goesOn(): boolean
  /** Waits for the next input's turn where a run has a pace; without one, inputs go as they can. */
  readonly pace?: () => Promise<void>
  /** Notes that one more input was tried. */
  count(): void
  /** Notes the answer to an input, so that a run with only one kind of answer is seen. */
  note(answer: string): void
}

interface Described {
  /** As `--target` names it. */
  readonly name: string
  /** Its inputs and their destination, for the list of targets. */
  readonly what: string
}

/** Something that takes input from outside, and how it is fuzzed. One file in targets/ each. */
export type Target = Described &
  (
    | { readonly needs: 'nothing'; readonly fuzz: (run: Run) => Promise<Failure | null> }
    | {
        /** A started Tollgate, shared by all targets of a run. */
        readonly needs: 'program'
        readonly fuzz: (run: Run, program: StartedProgram) => Promise<Failure | null>
      }
  )

/** How inputs of one kind are made, tried and made smaller. */
export interface Trial<Input> {
  readonly make: (chance: Chance) => Input
  /** A sentence about the violation, or null. */
  readonly check: (input: Input) => Promise<string | null>
  /** Inputs that are smaller by one step, most promising first. */
  readonly smaller: (input: Input) => Iterable<Input>
  readonly show: (input: Input) => string
}

/** A failing input is made smaller with at most so many tries. */
const SHRINK_TRIES = 400

/**
 * Tries inputs until time is up or one fails. `lanes` inputs are under way at the same time, each
 * lane with randomness of its own.
 */
export async function tryInputs<Input>(
  run: Run,
  trial: Trial<Input>,
  lanes = 1,
): Promise<Failure | null> {
  let found: { readonly input: Input; readonly what: string } | null = null
  const lane = async (number: number): Promise<void> => {
    for (let at = 0; found === null && run.goesOn(); at += 1) {
      await run.pace?.()
      const input = trial.make(run.chance.branch(`lane ${number}, input ${at}`))
      run.count()
      const what = await trial.check(input)
      if (what !== null) found ??= { input, what }
    }
  }
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
  if (found === null) return null
  const { input, what } = await smallest(trial, found)
  return { what, input: trial.show(input) }
}

/** Goes to a smaller input that fails as long as there is one. */
export async function smallest<Input>(
  trial: Pick<Trial<Input>, 'check' | 'smaller'>,
  found: { readonly input: Input; readonly what: string },
): Promise<{ readonly input: Input; readonly what: string }> {
  let best = found
  let tries = 0
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    for (const input of trial.smaller(best.input)) {
      if ((tries += 1) > SHRINK_TRIES) return best
      const what = await trial.check(input)
      if (what === null) continue
      best = { input, what }
      isSmaller = true
      break
    }
  }
  return best
}

/** A list without each of its halves, quarters and so on down to its single elements. */
export function* shorterLists<Element>(list: readonly Element[]): Generator<Element[]> {
  for (
    let size = Math.ceil(list.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < list.length; at += size) {
      yield [...list.slice(0, at), ...list.slice(at + size)]
    }
  }
}
