import type { WorkedRequest } from './vault-work.ts'

/** The work of a vault process since its start; the supervisor makes metrics of it. */
export interface VaultFigures {
  /** By operation and status, such as `seal card` and `done`. */
  readonly requests: readonly {
    readonly operation: string
    readonly outcome: string
    count: number
  }[]
  /** Texts that were opened, by reason or purpose. */
  readonly openings: Readonly<Record<string, number>>
  readonly limited: number
  readonly turnedAway: number
}

export interface VaultTally {
  countWorked(worked: WorkedRequest): void
  countTurnedAway(): void
  figures(): VaultFigures
}

export function createVaultTally(): VaultTally {
  const requests = new Map<string, { operation: string; outcome: string; count: number }>()
  const openings: Record<string, number> = {}
  let limited = 0
  let turnedAway = 0
  return {
    countWorked({ operation, purpose, status }) {
      const key = `${operation}: ${status}`
      const row = requests.get(key) ?? { operation, outcome: status, count: 0 }
      row.count += 1
      requests.set(key, row)
      if (status === 'limited') limited += 1
      if (status !== 'done') return
      if (operation === 'reveal card' || operation === 'open')
        openings[purpose] = (openings[purpose] ?? 0) + 1
    },
    countTurnedAway: () => (turnedAway += 1),
    figures: () => ({ requests: [...requests.values()], openings, limited, turnedAway }),
  }
}
