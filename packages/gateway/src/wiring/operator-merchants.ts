import { isTimeZone } from '@tollgate/kernel/time-zone'
import type pg from 'pg'
import { readAccountFile } from '../adapters/operator-files/account-file.ts'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import { accountTransact } from '../adapters/postgres/merchants/account-admin.ts'
import { accountLimitsTransact } from '../adapters/postgres/merchants/account-limits-store.ts'
import { merchantAdminTransact } from '../adapters/postgres/merchants/merchant-admin.ts'
import { createMerchantReader } from '../adapters/postgres/merchants/merchant-reader.ts'
import { siteModeTx } from '../adapters/postgres/merchants/site-mode-store.ts'
import { siteSettingsTransact } from '../adapters/postgres/merchants/site-settings-store.ts'
import { refused, type Result } from '../base/refusal.ts'
import { findCurrency } from '../domain/currency.ts'
import type { AmountLimit, CountryRule } from '../domain/merchants/account-limits.ts'
import type { ModeChange } from '../domain/merchants/site-mode.ts'
import { nameFault } from '../domain/merchants/site-settings.ts'
import { parseAmount } from '../domain/money.ts'
import type { AuditAuthor } from '../usecases/audit/audit-log.ts'
import { createMerchantAdmin, type NewSite } from '../usecases/merchants/administer-merchants.ts'
import { createChangeAccountLimits } from '../usecases/merchants/change-account-limits.ts'
import { createChangeSiteSettings } from '../usecases/merchants/change-site-settings.ts'
import type { MerchantReader } from '../usecases/merchants/merchant-views.ts'
import { createPutAccount } from '../usecases/merchants/put-account.ts'
import { createSetSiteMode } from '../usecases/merchants/set-site-mode.ts'

export type { CountryRule } from '../domain/merchants/account-limits.ts'
export type { ModeChange } from '../domain/merchants/site-mode.ts'
export type { NewSite } from '../usecases/merchants/administer-merchants.ts'
export type {
  AccountView,
  MerchantSummary,
  MerchantView,
  SiteView,
} from '../usecases/merchants/merchant-views.ts'

/** An operator's operations on merchants and their sites. */
export interface MerchantOperator extends MerchantReader {
  /** `id`: null takes the next one. */
  create(
    id: bigint | null,
    name: string,
    timeZone: string,
  ): Promise<Result<{ readonly id: bigint }>>
  rename(id: bigint, name: string): Promise<Result>
  /** Stops payments, card tokens, renewals and the portal, on all nodes. */
  disable(id: bigint, reason: string): Promise<Result<{ readonly endedSessions: number }>>
  enable(id: bigint): Promise<Result<{ readonly disabledAt: Date }>>
  /** Creates a site in test mode. `id`: null takes the next one. */
  createSite(id: bigint | null, site: NewSite): Promise<Result<{ readonly id: bigint }>>
  renameSite(id: bigint, name: string): Promise<Result>
  /**
   * Sets limits of an account in a currency, as decimal text. `none` takes one away, and one that
   * is undefined stays.
   */
  limitAmounts(
    accountId: bigint,
    currency: string,
    limits: { readonly payment: string | undefined; readonly day: string | undefined },
  ): Promise<Result>
  /** Sets the billing countries that an account takes or refuses; null takes every country. */
  limitCountries(accountId: bigint, countries: CountryRule | null): Promise<Result>
}

/** An operator's operations on merchants, sites and accounts. */
export interface MerchantPlaces {
  readonly merchants: MerchantOperator
  putAccount(text: string): Promise<
    Result<{
      readonly id: number
      readonly created: boolean
      readonly kept: readonly string[]
    }>
  >
  setSiteMode(
    siteId: number,
    mode: 'test' | 'live',
  ): Promise<Result<{ readonly change: ModeChange }>>
}

/** @param by the operator, as the audit log names them */
export function createMerchantPlaces(pool: pg.Pool, by: AuditAuthor): MerchantPlaces {
  return {
    merchants: createMerchantOperator(pool, by),
    async putAccount(text) {
      const read = readAccountFile(text)
      if (!read.ok) return read
      const put = await createPutAccount(accountTransact(pool))(read.account, by)
      return put.ok ? { ...put, id: read.account.id } : put
    },
    setSiteMode: (siteId, mode) =>
      createSetSiteMode(createTransact(pool, siteModeTx))(BigInt(siteId), mode, by),
  }
}

function createMerchantOperator(pool: pg.Pool, by: AuditAuthor): MerchantOperator {
  const admin = createMerchantAdmin(merchantAdminTransact(pool), isTimeZone)
  const changeSettings = createChangeSiteSettings(siteSettingsTransact(pool))
  const limits = createChangeAccountLimits(accountLimitsTransact(pool))
  return {
    ...createMerchantReader(pool),
    create: (id, name, timeZone) => admin.create(id, { name, timeZone }, by),
    rename: (id, name) => admin.rename(id, name, by),
    disable: (id, reason) => admin.disable(id, reason, by),
    enable: (id) => admin.enable(id, by),
    createSite: (id, site) => admin.createSite(id, site, by),
    async limitAmounts(accountId, code, given) {
      const read = readLimits(code, given)
      return read.ok ? limits.setAmounts(accountId, code, read.change, by) : read
    },
    limitCountries: (accountId, countries) => limits.setCountries(accountId, countries, by),
    async renameSite(id, name) {
      const fault = nameFault(name)
      return fault === null
        ? changeSettings(id, { name }, {}, by)
        : refused('invalid', fault, { field: 'name' })
    },
  }
}

/** Reads limits as an operator types them. */
function readLimits(
  code: string,
  given: { readonly payment: string | undefined; readonly day: string | undefined },
): Result<{ readonly change: Partial<AmountLimit> }> {
  const currency = findCurrency(code)
  if (currency === null || currency.code !== code) {
    return refused('invalid', `${code} is no currency; expected a code such as EUR.`)
  }
  const change: { paymentMinor?: bigint | null; dayMinor?: bigint | null } = {}
  const faults: string[] = []
  for (const [name, field] of [
    ['payment', 'paymentMinor'],
    ['day', 'dayMinor'],
  ] as const) {
    const text = given[name]
    if (text === undefined) continue
    const amount = text === 'none' ? null : parseAmount(text, currency)
    if (amount?.kind === 'refused') {
      faults.push(`--${name} is "${text}"; expected an amount in ${code} such as 500, or none.`)
    } else {
      change[field] = amount?.minor ?? null
    }
  }
  if (faults.length === 0 && Object.keys(change).length === 0) {
    return refused('invalid', 'Name at least one limit: --payment or --day.')
  }
  return faults.length > 0 ? refused('invalid', faults) : { ok: true, change }
}
