import { notFound } from '../../shell/portal-route.ts'
import type { DeveloperSite, FindDeveloperSites } from '../usecases/developer-site.ts'

/** A site of the merchant; one of another does not exist. */
export async function siteOf(
  find: FindDeveloperSites,
  merchantId: bigint,
  id: bigint,
): Promise<DeveloperSite> {
  const site = (await find(merchantId)).find((one) => one.id === id)
  if (site === undefined) throw notFound('site')
  return site
}
