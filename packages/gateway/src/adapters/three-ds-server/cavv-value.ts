import { Secret } from '../../base/secret.ts'
import type { Message } from './protocol-fault.ts'

/** The authentication value of a message that was read; null where it has none. */
export function readCavv(message: Message): Secret | null {
  const value = Object.hasOwn(message, 'authenticationValue')
    ? message['authenticationValue']
    : undefined
  return typeof value === 'string' ? new Secret(value) : null
}
