import { invariant } from '../../base/invariant.ts'
import { decideDue, type CatchUp } from '../../domain/memberships/renewal.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import { chargeRenewal, type ChargeRenewalDeps, type RenewalReport } from './charge-renewal.ts'
import type { OpenCharge, RenewalScope } from './renewal-store.ts'

/** Runs a charge, and records it. */
export type RecordCharge = (
  open: OpenCharge,
  work: () => Promise<RenewalReport>,
) => Promise<RenewalReport>

export interface RenewMembershipsDeps extends ChargeRenewalDeps {
  /** Null: charges are not recorded. */
  readonly recorded: RecordCharge | null
  readonly readSite: (merchantId: bigint, siteId: bigint) => Promise<Site | null>
  /** A charge failed in a way that says nothing of its outcome. */
  readonly onTrouble: (membershipId: bigint, error: unknown) => void
  readonly onOver: (count: number) => void
}

export interface RenewalRound {
  /** Memberships that were moved on. */
  readonly done: number
  /** There may be more right away. */
  readonly more: boolean
  /** Charges did not leave this gateway: the bank is not there. */
  readonly notSent: boolean
  /** Charges whose end is not known yet. */
  readonly leftOpen: number
}

/** How many are charged at once: enough to fill the groups that are written. */
const ROUND_SIZE = 256

/**
 * One round: abandoned charges, and those due at `until`, each as of its own moment. With `each`,
 * repeat until nothing is left.
 */
export async function renewMemberships(
  deps: RenewMembershipsDeps,
  scope: RenewalScope,
  until: Date,
  catchUp: CatchUp,
): Promise<RenewalRound> {
  const takenOver = await deps.store.takeOver(scope, ROUND_SIZE)
  const begun = await deps.store.begin({
    scope,
    until,
    limit: ROUND_SIZE - takenOver.length,
    decide: (membership) => decideDue(membership, until, catchUp),
  })
  if (begun.over > 0) deps.onOver(begun.over)
  const charges = [...takenOver, ...begun.charges]
  // A site that has a clock of its own is read again each time it is asked for.
  const sites = new Map<bigint, Promise<Site | null>>()
  const siteOf = ({ stored: { merchantId, siteId } }: OpenCharge): Promise<Site | null> => {
    const site = sites.get(siteId) ?? deps.readSite(merchantId, siteId)
    sites.set(siteId, site)
    return site
  }
  const reports = await Promise.all(charges.map((open) => chargeOne(deps, open, siteOf(open))))
  const leftOpen = reports.filter((each) => each === null || each.outcome === 'left open').length
  const done = charges.length + begun.over - leftOpen
  return {
    done,
    more: done > 0,
    notSent: reports.some((each) => each?.outcome === 'not_sent'),
    leftOpen,
  }
}

/** Null for an unknown outcome; the lease runs out, and another process resolves it. */
async function chargeOne(
  deps: RenewMembershipsDeps,
  open: OpenCharge,
  reading: Promise<Site | null>,
): Promise<RenewalReport | null> {
  try {
    const site = await reading
    invariant(site !== null, 'a membership has no site')
    const charge = (): Promise<RenewalReport> => chargeRenewal(deps, open, site)
    return await (deps.recorded === null ? charge() : deps.recorded(open, charge))
  } catch (error) {
    deps.onTrouble(open.stored.id, error)
    return null
  }
}
