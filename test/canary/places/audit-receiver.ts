import type { Place } from '../place.ts'

/** Everything that left for the operator's receiver of the audit log. */
export const auditReceiver: Place = {
  name: 'the receiver of the audit log',
  when: 'stopped',
  *collect(run) {
    yield { name: 'messages of syslog', bytes: run.pushed() }
  },
}
