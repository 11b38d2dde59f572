import { sites } from '@tollgate/portal-contract/routes/settings'
import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import { replay } from '../../../domain/card-testing/card-testing-replay.ts'
import type { CardTestingDraft } from '../../../domain/card-testing/rules-change.ts'
import { settingFaults, type SiteSettings } from '../../../domain/merchants/site-settings.ts'
import type { ThreeDsPolicy } from '../../../domain/three-ds/policy.ts'
import { isReturnHost } from '../../../http/payment/return-url.ts'
import type { AuditAuthor } from '../../../usecases/audit/audit-log.ts'
import type { CardTestingReader } from '../../../usecases/card-testing/card-testing-operator.ts'
import type { ChangeCardTesting } from '../../../usecases/card-testing/change-rules.ts'
import {
  notFound,
  orFault,
  implement,
  PortalFault,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { THREE_DS_POLICY } from '../../shell/three-ds-policy-body.ts'
import type { SettingsReader } from '../usecases/settings.ts'
import { authorOf, siteIdOf } from './outcome.ts'

/** The operations of a site's pages; the same ports as the operator's commands use. */
export interface SiteSettingsDeps {
  readonly reader: SettingsReader
  changeSettings(
    siteId: bigint,
    changes: Partial<SiteSettings>,
    seen: Partial<SiteSettings>,
    by: AuditAuthor,
  ): Promise<Result<object>>
  changeThreeDs(
    siteId: bigint,
    policy: ThreeDsPolicy,
    seen: ThreeDsPolicy,
    by: AuditAuthor,
  ): Promise<Result<object>>
  setCatalogue(
    siteId: bigint,
    catalogue: 'open' | 'strict',
    seen: 'open' | 'strict',
    by: AuditAuthor,
  ): Promise<Result<object>>
  readonly cardTesting: CardTestingReader & ChangeCardTesting
  /** Reads rules as the operator's file has them, with a sentence for everything that is wrong. */
  readRules(draft: unknown): Result<{ readonly draft: CardTestingDraft }>
  makeTokenKey(
    siteId: bigint,
    by: AuditAuthor,
  ): Promise<Result<{ readonly key: Secret; readonly previousWorks: boolean }>>
  retireTokenKey(siteId: bigint, by: AuditAuthor): Promise<Result<object>>
  setTokenOrigins(
    siteId: bigint,
    origins: readonly string[],
    seen: readonly string[],
    by: AuditAuthor,
  ): Promise<Result<object>>
  originFaults(origins: readonly string[]): readonly string[]
  hostFaults(hosts: readonly string[]): readonly string[]
}

const CHECK_MODE = z.enum(['T', 'F', 'C', 'I'])
const SETTINGS = z
  .strictObject({
    name: z.string().max(200),
    defaultCurrency: z.string().max(10),
    tolerance: z.enum(['strict', 'wide']),
    defaultProduct: z.string().max(100),
    cvvRequired: z.boolean(),
    avsMode: CHECK_MODE,
    cvvMode: CHECK_MODE,
    avsMatchSet: z.string().max(60),
    cvvMatchSet: z.string().max(60),
    renewalRetryDays: z.array(z.number()).max(100).nullable(),
  })
  .partial()
const CATALOGUE = z.enum(['open', 'strict'])
const CARD_TESTING_MODE = z.enum(['off', 'watch', 'enforce'])
const REVISION = z.number().int()
const MODE_CHANGE = z.strictObject({
  mode: CARD_TESTING_MODE,
  seen: z.strictObject({ mode: CARD_TESTING_MODE, revision: REVISION }),
})
const RULES = z.strictObject({
  rules: z.array(z.unknown()).max(100),
  exceptAddresses: z.array(z.string().max(100)).max(200),
})
const ORIGINS = z.array(z.string().max(300)).max(50)

const TRY_DAYS = 7
/** A page waits for it. */
const TRY_LIMIT = 100_000

/** Reads and sets the data of sites, except their mode. */
export function siteRoutes(deps: SiteSettingsDeps): readonly PortalRoute[] {
  const { reader, cardTesting } = deps

  /** The site of the address, when it is of the portal user's merchant. */
  async function ownSite(
    call: Pick<PortalCall<unknown, unknown>, 'portalUser' | 'params'>,
  ): Promise<bigint> {
    const siteId = siteIdOf(call)
    if (!(await reader.hasSite(call.portalUser.merchantId, siteId))) throw notFound('site')
    return siteId
  }

  async function view(call: Pick<PortalCall<unknown, unknown>, 'portalUser' | 'params'>) {
    const found = await reader.readSite(call.portalUser.merchantId, siteIdOf(call))
    if (found === null) throw notFound('site')
    return found
  }

  /** Changes the site of the address, and answers with what is set of it then. */
  async function changed<Body>(
    call: Omit<PortalCall<unknown, Body>, 'query'>,
    change: (siteId: bigint, body: Body, by: AuditAuthor) => Promise<void>,
  ) {
    await change(await ownSite(call), call.body, authorOf(call))
    return view(call)
  }

  return [
    implement(sites.list, {
      handle: async ({ portalUser }) => ({ sites: await reader.listSites(portalUser.merchantId) }),
    }),
    implement(sites.read, {
      handle: view,
    }),
    implement(sites.change, {
      body: z.strictObject({ changes: SETTINGS, seen: SETTINGS }),
      handle: (call) =>
        changed(call, async (siteId, body, by) => {
          // zod's own optional values may be undefined, which is what leaving one out means.
          const { changes, seen } = body as {
            changes: Partial<SiteSettings>
            seen: Partial<SiteSettings>
          }
          const [fault] = settingFaults(changes)
          if (fault !== undefined) throw new PortalFault(400, 'refused', fault.fault, fault.field)
          orFault(await deps.changeSettings(siteId, changes, seen, by))
        }),
    }),
    implement(sites.changeCatalogue, {
      body: z.strictObject({ catalogue: CATALOGUE, seen: CATALOGUE }),
      handle: (call) =>
        changed(call, async (siteId, { catalogue, seen }, by) => {
          orFault(await deps.setCatalogue(siteId, catalogue, seen, by))
        }),
    }),
    implement(sites.pastChecks, {
      handle: async (call) =>
        reader.readPastChecks(call.portalUser.merchantId, await ownSite(call)),
    }),
    implement(sites.changeThreeDs, {
      body: z.strictObject({ policy: THREE_DS_POLICY, seen: THREE_DS_POLICY }),
      handle: (call) =>
        changed(call, async (siteId, { policy, seen }, by) => {
          const wrong = policy.returnHosts.filter((host) => !isReturnHost(host))
          const faults = [
            ...wrong.map(
              (host) =>
                `${host} is not a valid host. Enter a name such as shop.example, in lower case and without a port.`,
            ),
            ...deps.hostFaults(policy.returnHosts),
          ]
          if (faults.length > 0)
            throw new PortalFault(400, 'refused', faults.join(' '), 'returnHosts')
          orFault(await deps.changeThreeDs(siteId, policy, seen, by))
        }),
    }),
    implement(sites.changeRules, {
      body: z.strictObject({ draft: RULES, seenRevision: REVISION }),
      handle: (call) =>
        changed(call, async (siteId, { draft: typed, seenRevision }, by) => {
          const { draft } = orFault(deps.readRules(typed), fieldOfRules)
          orFault(await cardTesting.put(siteId, draft, seenRevision, by))
        }),
    }),
    implement(sites.changeRulesMode, {
      body: MODE_CHANGE,
      handle: (call) =>
        changed(call, async (siteId, { mode, seen }, by) => {
          const rules = await cardTesting.show(siteId)
          if (rules?.rules.length === 0) {
            throw new PortalFault(
              400,
              'refused',
              'The site has no velocity rules yet. Save some rules first.',
            )
          }
          if (rules?.mode !== mode) orFault(await cardTesting.setMode(siteId, mode, seen, by))
        }),
    }),
    implement(sites.tryRules, {
      body: RULES,
      async handle(call) {
        const siteId = await ownSite(call)
        const { draft } = orFault(deps.readRules(call.body), fieldOfRules)
        const replayed = replay(draft.rules, draft.exceptAddresses)
        let tried = 0
        for await (const page of cardTesting.readPastPayments(siteId, TRY_DAYS)) {
          for (const payment of page) replayed.add(payment)
          tried += page.length
          if (tried >= TRY_LIMIT) break
        }
        const { byRule, ...totals } = replayed.result()
        return {
          ...totals,
          days: TRY_DAYS,
          isCut: tried >= TRY_LIMIT,
          byRule: [...byRule].map(([rule, counted]) => ({ rule, ...counted })),
        }
      },
    }),
    implement(sites.makeTokenKey, {
      async handle(call) {
        const { tokens } = await view(call)
        if (tokens.previous !== null) {
          throw new PortalFault(
            400,
            'refused',
            'The site already has two keys, which is the maximum. Retire the older key first, once no server uses it.',
          )
        }
        const { key, previousWorks } = orFault(
          await deps.makeTokenKey(siteIdOf(call), authorOf(call)),
        )
        return { key: key.reveal(), previousWorks }
      },
    }),
    implement(sites.retireTokenKey, {
      async handle(call) {
        const { tokens } = await view(call)
        if (tokens.previous === null)
          throw new PortalFault(400, 'refused', 'There is no older key to retire.')
        orFault(await deps.retireTokenKey(siteIdOf(call), authorOf(call)))
        return view(call)
      },
    }),
    implement(sites.changeOrigins, {
      body: z.strictObject({ origins: ORIGINS, seen: ORIGINS }),
      handle: (call) =>
        changed(call, async (siteId, { origins, seen }, by) => {
          const faults = deps.originFaults(origins)
          if (faults.length > 0) throw new PortalFault(400, 'refused', faults.join(' '), 'origins')
          orFault(await deps.setTokenOrigins(siteId, [...new Set(origins)], seen, by))
        }),
    }),
  ]
}

/** `rules.2.limit is 0; it must be ...` is shown at that field. */
function fieldOfRules(fault: string): string | null {
  return /^(rules\.\d+(?:\.\w+)?|exceptAddresses)\b/.exec(fault)?.[1] ?? null
}
