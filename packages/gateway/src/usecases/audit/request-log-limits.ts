import type { RequestLogEntry } from './request-log.ts'

/** The shares of the request log that clients without a login may fill; each takes one entry. */
export interface UnprovenShares {
  /** Of everybody whose user is not known. */
  readonly takeAnonymous: () => boolean
  /** Of those that named a user of the merchant. */
  readonly takeNamed: (merchantId: bigint) => boolean
}

/**
 * Keeps every request with a right login. Of the others it keeps only shares, so that a flood fills
 * neither the disk nor the log of a merchant. A wrong password beyond the share of its merchant is
 * kept without the merchant, out of the share of all anonymous requests.
 */
export function limitUnproven(
  log: (entry: RequestLogEntry) => void,
  shares: UnprovenShares,
): (entry: RequestLogEntry) => void {
  return (entry) => {
    const { isUnproven, merchantId } = entry
    if (merchantId !== null && (isUnproven !== true || shares.takeNamed(merchantId))) {
      return log(entry)
    }
    if (shares.takeAnonymous()) log({ ...entry, merchantId: null, username: '' })
  }
}
