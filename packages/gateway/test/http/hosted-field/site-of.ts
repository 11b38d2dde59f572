import { aGateway, SITE, type FakeGateway } from '../fake-gateway.ts'

/** A gateway that knows site 1001 only, whose pages come from these origins. */
export function siteOf(origins: readonly string[]): FakeGateway {
  return aGateway({
    findTokenSite: async (siteId) => (siteId === SITE.id ? { ...SITE, keys: [], origins } : null),
  })
}
