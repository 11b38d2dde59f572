import type { Place } from '../place.ts'

/** stdout and stderr of supervisor, gateway, bank and preparation, at the most talkative level. */
export const programOutput: Place = {
  name: 'output and logs of all processes',
  when: 'stopped',
  *collect(run) {
    yield { name: 'the output of the program', bytes: Buffer.from(run.output()) }
  },
}

/** Everything that was sent back, and what commands printed. */
export const answers: Place = {
  name: 'answers and outputs of commands',
  when: 'stopped',
  *collect(run) {
    yield* run.evidence
  },
}
