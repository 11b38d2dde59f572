import { testSites } from '@tollgate/portal-contract/routes/developer'
import { z } from 'zod'
import { ID, KEY } from '../../shell/ids.ts'
import { implement, orFault, PortalFault, type PortalRoute } from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { FindDeveloperSites } from '../usecases/developer-site.ts'
import type { ResetSite } from '../usecases/reset-site.ts'
import { siteOf } from './developer-sandbox.ts'

export interface DeveloperResetDeps {
  readonly resetSite: ResetSite
  readonly findSites: FindDeveloperSites
}

const RESET = z.strictObject({
  key: KEY,
  site: ID,
  /** The number of the site, typed once more. */
  confirmed: z.string().max(20),
})

/** The fresh start of a test site. */
export function developerReset({
  resetSite,
  findSites,
}: DeveloperResetDeps): readonly PortalRoute[] {
  return [
    implement(testSites.reset, {
      body: RESET,
      handle: async ({ portalUser, address, body }) => {
        const site = await siteOf(findSites, portalUser.merchantId, body.site)
        if (body.confirmed.trim() !== String(site.id)) {
          throw new PortalFault(
            400,
            'not_confirmed',
            `Enter the site number ${site.id} to confirm. Nothing was changed.`,
            'confirmed',
          )
        }
        const { id: portalUserId, merchantId } = portalUser
        const author = { actor: portalUserActor(portalUser), merchantId, portalUserId }
        return orFault(await resetSite(author, address, site.id, body.key)).state
      },
    }),
  ]
}
