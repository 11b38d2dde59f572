import { randomBytes, randomUUID } from 'node:crypto'
import { bundledBankPlace, createTestBank } from '../adapters/bank-control/test-bank.ts'
import { readEndedSite } from '../adapters/postgres/merchants/directory.ts'
import { throwawaySitesTransact } from '../adapters/postgres/merchants/throwaway-site-store.ts'
import { createEndedSitesStore } from '../adapters/postgres/retention/ended-sites-store.ts'
import { tokenKeyBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import { refused } from '../base/refusal.ts'
import { Secret } from '../base/secret.ts'
import type { SandboxGateDeps } from '../http/sandbox/sandbox-gate.ts'
import { sitesService, type SitesServiceDeps } from '../http/sandbox/sites-service.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import { createResetStore } from '../portal/developer/store/reset-store.ts'
import { createResetSite } from '../portal/developer/usecases/reset-site.ts'
import type { ChangeClock } from '../usecases/clocks/change-clock.ts'
import type { ChangeMembership } from '../usecases/memberships/change-membership.ts'
import { createRemoveEndedSites } from '../usecases/merchants/remove-ended-sites.ts'
import { createThrowawaySites } from '../usecases/merchants/throwaway-sites.ts'
import type { AdjustOrder } from '../usecases/payments/adjustment-command.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'

const REMOVE_EVERY_MS = 5_000
const FORGOTTEN_EVERY_MS = 60_000
const KEY_BYTES = 24
const GATEWAY = { actor: 'tollgate', address: '' } as const

interface ThrowawayNeeds {
  readonly changeMembership: ChangeMembership
  readonly adjustOrder: AdjustOrder
  readonly clockUses: { readonly changeClock: ChangeClock }
}

const leaveClock: ChangeClock = () =>
  Promise.resolve({ ...refused('conflict', 'The site has ended.'), code: 'ahead', view: null })

/** Sites that tests make for themselves; only gateways in sandbox mode have them. */
export function wireThrowawaySites(
  { clock, config, database, ids, monotonicMs }: Foundation,
  seal: SecretSeal,
  access: Pick<SandboxGateDeps, 'authenticate' | 'allowRequest'>,
  needs: ThrowawayNeeds,
): Part {
  if (config.mode !== 'sandbox') return {}
  const { pool } = database
  const sites = createThrowawaySites({
    transact: throwawaySitesTransact(pool),
    newTokenKey: () => new Secret(randomBytes(KEY_BYTES).toString('base64url')),
    seal: (key, siteId) => seal.seal(key, tokenKeyBinding(siteId)),
  })
  const readSite = readEndedSite(pool, clock)
  const resetDeps = {
    changeMembership: needs.changeMembership,
    adjustOrder: needs.adjustOrder,
    changeClock: needs.clockUses.changeClock,
    store: createResetStore(pool),
    readSite,
    nextRequestId: () => ids.next('request'),
    monotonicMs,
  }
  const reset = createResetSite(resetDeps)
  // The clock of an ended site stands still: what happened must not lie in its future.
  const resetEnded = createResetSite({ ...resetDeps, changeClock: leaveClock })
  const bank = createTestBank(bundledBankPlace(config))

  /** Rules of the bank's control API that name an account of the site alone. */
  async function removeRules(merchantId: bigint, siteId: bigint): Promise<void> {
    const site = await readSite(merchantId, siteId)
    const accounts = site?.merchantAccounts.map((account) => account.acquirerMerchantId) ?? []
    const rules = await bank.rules().catch(() => [])
    for (const { id, match } of rules) {
      if (accounts.includes(match['merchant'] ?? '')) await bank.removeRule(id)
    }
  }

  const resetSite: SitesServiceDeps['resetSite'] = async ({ by, merchantId, siteId }) => {
    const author = { actor: by, merchantId, portalUserId: null }
    const result = await reset(author, '', siteId, randomUUID())
    if (!result.ok) return result
    await removeRules(merchantId, siteId)
    const { done: counts, doneAt } = result.state
    return { done: doneAt !== null, counts }
  }

  const remove = createRemoveEndedSites(
    createEndedSitesStore(pool, GATEWAY.actor),
    async ({ merchantId, siteId }) => {
      const author = { actor: GATEWAY.actor, merchantId, portalUserId: null }
      const result = await resetEnded(author, '', siteId, `removal-of-site-${siteId}`)
      return result.ok && result.state.doneAt !== null
    },
  )
  return {
    routes: [
      programPlugin(config.publicUrl, sitesService, { ...access, sites, resetSite, isUnavailable }),
    ],
    jobs: [
      {
        name: 'end forgotten sites',
        everyMs: FORGOTTEN_EVERY_MS,
        run: () => sites.endForgotten(GATEWAY),
      },
      { name: 'remove ended sites', everyMs: REMOVE_EVERY_MS, run: remove },
    ],
  }
}
