import { refused, type Result } from '../../base/refusal.ts'
import type { Secret } from '../../base/secret.ts'
import { decideThrowawaySite, type ThrowawayOrigin } from '../../domain/merchants/throwaway-site.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The locks, reads and writes of making or ending one throwaway site. */
export interface ThrowawaySitesTx extends AuditedTx {
  /** Keeps others from making sites until the commit. */
  lockCreation(): Promise<void>
  /** Of a site of the merchant. */
  readOrigin(merchantId: bigint, siteId: bigint): Promise<ThrowawayOrigin>
  nextIds(): Promise<{ readonly siteId: bigint; readonly accountId: bigint }>
  /** Copies the settings of site and account, with a clock of its own that shows real time. */
  copySite(made: {
    readonly origin: ThrowawayOrigin
    readonly merchantId: bigint
    readonly siteId: bigint
    readonly accountId: bigint
    readonly days: number
    readonly by: string
    readonly tokenKey: { readonly ciphertext: Buffer; readonly dataKeyId: number }
  }): Promise<MadeSite>
  /**
   * Ends the site: the gateway finds neither the site nor its token keys any more, and nothing of
   * it becomes due. False where the merchant has no such open site.
   */
  endSite(merchantId: bigint, siteId: bigint): Promise<boolean>
  /** The open sites whose days are over, with their merchants. */
  forgotten(limit: number): Promise<readonly OwnedSite[]>
}

export interface OwnedSite {
  readonly siteId: bigint
  readonly merchantId: bigint
}

export interface MadeSite {
  readonly siteId: bigint
  readonly accountId: bigint
  readonly currencies: readonly string[]
  readonly expiresAt: Date
}

export interface ThrowawaySites {
  /** Makes a copy of the merchant's site `like`, which ends after `days` at the latest. */
  make(
    like: { readonly merchantId: bigint; readonly siteId: bigint },
    days: number,
    by: AuditAuthor,
  ): Promise<Result<{ readonly site: MadeSite; readonly tokenKey: Secret }>>
  /** Ends a site of the merchant for ever. */
  end(merchantId: bigint, siteId: bigint, by: AuditAuthor): Promise<Result>
  /** Ends some of the sites whose days are over. True if there may be more. */
  endForgotten(by: AuditAuthor): Promise<boolean>
}

export interface ThrowawaySitesDeps {
  readonly transact: Transact<ThrowawaySitesTx>
  readonly newTokenKey: () => Secret
  readonly seal: (
    key: Secret,
    siteId: bigint,
  ) => Promise<{ readonly ciphertext: Buffer; readonly dataKeyId: number }>
}

const FORGOTTEN_AT_ONCE = 20

export function createThrowawaySites(deps: ThrowawaySitesDeps): ThrowawaySites {
  const { newTokenKey, seal, transact } = deps

  return {
    make: ({ merchantId, siteId: like }, days, by) =>
      transact(async (tx) => {
        await tx.lockCreation()
        const origin = await tx.readOrigin(merchantId, like)
        const refusal = decideThrowawaySite(origin, days)
        if (refusal !== null) return refusal
        const { accountId, siteId } = await tx.nextIds()
        const tokenKey = newTokenKey()
        const sealed = await seal(tokenKey, siteId)
        const { actor } = by
        const made = { origin, merchantId, siteId, accountId, days, by: actor, tokenKey: sealed }
        const site = await tx.copySite(made)
        const details = { like: `site ${like}`, account: String(accountId), days }
        await tx.audit([entryOf('sandbox_site.created', { merchantId, siteId }, by, details)])
        return { ok: true, site, tokenKey }
      }),

    end: (merchantId, siteId, by) =>
      transact(async (tx) => {
        if (!(await tx.endSite(merchantId, siteId))) {
          const sentence = 'The merchant has no such throwaway site, or it has ended before.'
          return refused('missing', sentence)
        }
        await tx.audit([entryOf('sandbox_site.ended', { merchantId, siteId }, by, {})])
        return { ok: true }
      }),

    async endForgotten(by) {
      const { count } = await transact(async (tx) => {
        const sites = await tx.forgotten(FORGOTTEN_AT_ONCE)
        for (const site of sites) {
          if (!(await tx.endSite(site.merchantId, site.siteId))) continue
          await tx.audit([entryOf('sandbox_site.ended', site, by, { reason: 'forgotten' })])
        }
        return { ok: true, count: sites.length }
      })
      return count === FORGOTTEN_AT_ONCE
    },
  }
}

function entryOf(
  operation: 'sandbox_site.created' | 'sandbox_site.ended',
  { merchantId, siteId }: OwnedSite,
  by: AuditAuthor,
  details: Readonly<Record<string, string | number>>,
) {
  const object = `site ${siteId}`
  return { ...by, operation, object, merchantId, result: 'done', details } as const
}
