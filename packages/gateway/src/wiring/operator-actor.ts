import { hostname, userInfo } from 'node:os'

/** Who the audit log names for a command: the user of the system that it runs as. */
export function operatorActor(): string {
  return `operator:${userInfo().username}@${hostname()}`
}
