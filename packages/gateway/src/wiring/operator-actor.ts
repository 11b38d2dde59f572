import { hostname, userInfo } from 'node:os'
import { holdsCardNumber } from '../base/card-number-text.ts'

const NAME = /^[A-Za-z0-9][A-Za-z0-9._+@-]{0,63}$/

// A command acts for one operator, from its first statement to its last.
let named: string | null = null

/**
 * States for whom the commands of this process act.
 *
 * @param name 1 to 64 letters, digits and `. _ + @ -`; null for the system user alone
 * @returns why it cannot be a name, a sentence; null where it is taken
 */
export function nameOperator(name: string | null): string | null {
  if (name !== null && (!NAME.test(name) || holdsCardNumber(name, 'digits'))) {
    return (
      `The operator's name is "${name}"; expected 1 to 64 letters, digits and . _ + @ - without ` +
      '12 digits in a row. Set it by --operator or TOLLGATE_OPERATOR.'
    )
  }
  named = name
  return null
}

/**
 * The audit log's actor of a command: the named operator and the system user. One name stands for
 * both where no operator was named, or where the names are the same.
 */
export function operatorActor(): string {
  const { username } = userInfo()
  const names = named === null || named === username ? username : `${named}/${username}`
  return `operator:${names}@${hostname()}`
}
