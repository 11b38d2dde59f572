import { emergencyFault } from '@tollgate/gateway/operator-keys'
import { WrongUsage } from './command.ts'

/**
 * The reason of `--emergency` for acting without a second operator; null for none.
 * @throws WrongUsage for one that says nothing
 */
export function emergencyOf(option: (name: string) => string | undefined): string | null {
  const reason = option('emergency')?.trim() ?? null
  const fault = reason === null ? null : emergencyFault(reason)
  if (fault !== null) throw new WrongUsage(fault)
  return reason
}
