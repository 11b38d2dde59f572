import type { Result } from '../../base/refusal.ts'
import {
  decideDisabling,
  decideEnabling,
  decideNewMerchant,
  decideNewName,
  noSuchMerchant,
  type MerchantState,
} from '../../domain/merchants/merchant-change.ts'
import { decideNewSite, type NewSiteSettings } from '../../domain/merchants/new-site.ts'
import type { AuditAuthor, AuditEntry } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The locks, reads and writes of one administrative change of a merchant. */
export interface MerchantAdminTx extends AuditedTx {
  /** Keeps other commands from creating merchants or sites until the commit. */
  lockCreation(): Promise<void>
  /** The id after the highest one; 1 for the first merchant. */
  nextMerchantId(): Promise<bigint>
  /** The id after the highest one; 1001 for the first site. */
  nextSiteId(): Promise<bigint>
  hasMerchant(id: bigint): Promise<boolean>
  hasSite(id: bigint): Promise<boolean>
  knowsTimeZone(name: string): Promise<boolean>
  insertMerchant(merchant: NewMerchant & { readonly id: bigint }): Promise<void>
  insertSite(site: NewSite & { readonly id: bigint }): Promise<void>
  /** Holds the merchant until the commit and gives its state; null for no such merchant. */
  lockMerchant(id: bigint): Promise<MerchantState | null>
  setName(id: bigint, name: string): Promise<void>
  /** Sets or clears what stops the merchant on all nodes. */
  setDisabled(
    id: bigint,
    disabled: { readonly by: string; readonly reason: string } | null,
  ): Promise<void>
  /** Ends the open portal sessions of its users; gives their number. */
  endSessions(id: bigint): Promise<number>
}

export interface NewMerchant {
  readonly name: string
  /** An IANA name. */
  readonly timeZone: string
}

export interface NewSite extends NewSiteSettings {
  readonly merchantId: bigint
}

/** An operator's changes of merchants. Each one and its audit entry are one transaction. */
export interface MerchantAdmin {
  /** `id`: null takes the next one. */
  create(
    id: bigint | null,
    merchant: NewMerchant,
    by: AuditAuthor,
  ): Promise<Result<{ readonly id: bigint }>>
  rename(id: bigint, name: string, by: AuditAuthor): Promise<Result>
  /**
   * Stops payments, card tokens, renewals and the portal of the merchant, on all nodes. Queued
   * advices still go to their bank. Gives the number of portal sessions that it ended.
   */
  disable(
    id: bigint,
    reason: string,
    by: AuditAuthor,
  ): Promise<Result<{ readonly endedSessions: number }>>
  /** Everything works again; a renewal that was missed is charged once for all missed periods. */
  enable(id: bigint, by: AuditAuthor): Promise<Result<{ readonly disabledAt: Date }>>
  /** Creates a site in test mode, without an account. `id`: null takes the next one. */
  createSite(
    id: bigint | null,
    site: NewSite,
    by: AuditAuthor,
  ): Promise<Result<{ readonly id: bigint }>>
}

/** `isTimeZone`: whether the gateway can reckon in a zone of this name. */
export function createMerchantAdmin(
  transact: Transact<MerchantAdminTx>,
  isTimeZone: (name: string) => boolean,
): MerchantAdmin {
  /** Decides and writes under the lock of the merchant. */
  function onLockedMerchant<Done>(
    id: bigint,
    work: (tx: MerchantAdminTx, before: MerchantState) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return transact(async (tx) => {
      const before = await tx.lockMerchant(id)
      return before === null ? noSuchMerchant(id) : work(tx, before)
    })
  }

  return {
    create: (wantedId, merchant, by) =>
      transact(async (tx) => {
        await tx.lockCreation()
        const id = wantedId ?? (await tx.nextMerchantId())
        const { name, timeZone } = merchant
        const isTaken = await tx.hasMerchant(id)
        const knowsTimeZone = isTimeZone(timeZone) && (await tx.knowsTimeZone(timeZone))
        const refusal = decideNewMerchant({ id, name, isTaken, timeZone, knowsTimeZone })
        if (refusal !== null) return refusal
        await tx.insertMerchant({ ...merchant, id })
        await tx.audit([entryOf(id, by, 'merchant.created', { name, timeZone })])
        return { ok: true, id }
      }),

    rename: (id, name, by) =>
      onLockedMerchant(id, async (tx, { name: before }) => {
        const refusal = decideNewName(id, before, name)
        if (refusal !== null) return refusal
        await tx.setName(id, name)
        await tx.audit([entryOf(id, by, 'merchant.renamed', { before, after: name })])
        return { ok: true }
      }),

    disable: (id, reason, by) =>
      onLockedMerchant(id, async (tx, before) => {
        const refusal = decideDisabling(id, before, reason)
        if (refusal !== null) return refusal
        await tx.setDisabled(id, { by: by.actor, reason })
        const endedSessions = await tx.endSessions(id)
        await tx.audit([entryOf(id, by, 'merchant.disabled', { reason, endedSessions })])
        return { ok: true, endedSessions }
      }),

    enable: (id, by) =>
      onLockedMerchant(id, async (tx, before) => {
        const refusal = decideEnabling(id, before)
        const { disabled } = before
        if (refusal !== null || disabled === null) return refusal ?? noSuchMerchant(id)
        await tx.setDisabled(id, null)
        const { at, reason } = disabled
        const details = { disabledAt: at.toISOString(), disabledBy: disabled.by, reason }
        await tx.audit([entryOf(id, by, 'merchant.enabled', details)])
        return { ok: true, disabledAt: at }
      }),

    createSite: (wantedId, site, by) =>
      transact(async (tx) => {
        await tx.lockCreation()
        const { merchantId, ...settings } = site
        if (!(await tx.hasMerchant(merchantId))) return noSuchMerchant(merchantId)
        const id = wantedId ?? (await tx.nextSiteId())
        const refusal = decideNewSite({ id, settings, isTaken: await tx.hasSite(id) })
        if (refusal !== null) return refusal
        await tx.insertSite({ ...site, id })
        const entry = entryOf(merchantId, by, 'site.created', { ...settings, mode: 'test' })
        await tx.audit([{ ...entry, object: `site ${id}` }])
        return { ok: true, id }
      }),
  }
}

function entryOf(
  merchantId: bigint,
  by: AuditAuthor,
  operation: AuditEntry['operation'],
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  const object = `merchant ${merchantId}`
  return { ...by, operation, object, merchantId, result: 'done', details }
}
