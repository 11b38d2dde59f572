import { isDatabaseAway } from '../adapters/postgres/connection/database.ts'
import { LaneFullError } from '../adapters/postgres/connection/group-lane.ts'
import { KeysOutOfDateError } from '../adapters/vault/key-ring.ts'
import { NoTurnError } from '../http/payment/fair-turns.ts'
import { LoginsBusyError } from '../usecases/logins/attempts-under-way.ts'
import { VaultUnavailableError } from '../usecases/vault/card-vault.ts'

/** Whether an error means that nothing was accepted, and that trying again may help. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof LaneFullError ||
    error instanceof LoginsBusyError ||
    error instanceof NoTurnError ||
    error instanceof KeysOutOfDateError ||
    error instanceof VaultUnavailableError ||
    isDatabaseAway(error)
  )
}
