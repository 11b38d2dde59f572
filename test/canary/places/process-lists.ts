import type { Place } from '../place.ts'

/** What `ps` shows to everybody, and the environment to the same user. */
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
