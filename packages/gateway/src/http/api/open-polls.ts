/** Requests that wait at once for one user, in this process. */
export const MOST_POLLS = 10

export interface OpenPolls {
  /** False where the user has as many as allowed. */
  open(userId: bigint): { close(): void } | false
}

/** Counts the waiting requests of each user: each holds a connection of the server. */
export function createOpenPolls(): OpenPolls {
  const open = new Map<bigint, number>()
  return {
    open(userId) {
      const count = open.get(userId) ?? 0
      if (count >= MOST_POLLS) return false
      open.set(userId, count + 1)
      return {
        close() {
          const left = (open.get(userId) ?? 1) - 1
          if (left === 0) open.delete(userId)
          else open.set(userId, left)
        },
      }
    },
  }
}
