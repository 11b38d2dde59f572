import { hostname, userInfo } from 'node:os'

/** The audit log's actor of a command: the system user that runs it. */
export function operatorActor(): string {
  return `operator:${userInfo().username}@${hostname()}`
}
