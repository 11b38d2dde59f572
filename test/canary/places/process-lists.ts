import type { Place } from '../place.ts'

/** The output of `ps` for every user, and the environment, which the same user can read. */
export const processLists: Place = {
  name: 'command lines and environments of processes',
  when: 'running',
  *collect(run) {
    for (const { pid, commandLine, environment } of run.processes()) {
      yield { name: `the command line of process ${pid}`, bytes: Buffer.from(commandLine) }
      yield { name: `the environment of process ${pid}`, bytes: Buffer.from(environment) }
    }
  },
}
