/** Requests that wait for events at once for one user, in this process. */
export const MOST_POLLS = 10
/** The same for files that are being sent. */
export const MOST_FILES = 4

export interface OpenRequests {
  /** False where the user has as many as allowed. */
  open(userId: bigint): { close(): void } | false
}

/** Counts the long requests of each user: each holds a connection of the server. */
export function createOpenRequests(most: number): OpenRequests {
  const open = new Map<bigint, number>()
  return {
    open(userId) {
      const count = open.get(userId) ?? 0
      if (count >= most) return false
      open.set(userId, count + 1)
      let isOpen = true
      return {
        close() {
          if (!isOpen) return
          isOpen = false
          const left = (open.get(userId) ?? 1) - 1
          if (left === 0) open.delete(userId)
          else open.set(userId, left)
        },
      }
    },
  }
}
