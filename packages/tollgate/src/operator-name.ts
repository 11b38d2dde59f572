import { nameOperator } from '@tollgate/gateway/operator'
import { StartupError } from './startup-error.ts'

const OPTION = '--operator'

/**
 * Takes `--operator NAME` out of a command's arguments, and states for the audit log who runs the
 * command. Without it `TOLLGATE_OPERATOR` counts, and without that the system user.
 *
 * @param readEnvironment gives the environment with the settings' file, where it is needed
 * @returns the other arguments
 * @throws StartupError for a name that is missing or invalid, before anything is done
 */
export function takeOperator(
  args: readonly string[],
  readEnvironment: () => Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const at = args.findIndex(
    (arg, place) => place < end && (arg === OPTION || arg.startsWith(`${OPTION}=`)),
  )
  if (at === -1) {
    state(readEnvironment()['TOLLGATE_OPERATOR'] ?? '')
    return args
  }
  const [option = '', next] = args.slice(at)
  const isApart = option === OPTION
  const name = isApart ? next : option.slice(OPTION.length + 1)
  if (name === undefined || name === '') {
    throw new StartupError(`${OPTION} needs a value: the name of the operator.`)
  }
  state(name)
  return args.toSpliced(at, isApart ? 2 : 1)
}

function state(name: string): void {
  const fault = nameOperator(name === '' ? null : name)
  if (fault !== null) throw new StartupError(`${fault} Nothing was changed.`)
}
