import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { MerchantAdminTx } from '../../../usecases/merchants/administer-merchants.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { merchantState, type MerchantStateRow } from './merchant-reader.ts'

/** Transactions in which an operator creates or changes merchants and sites. */
export function merchantAdminTransact(pool: pg.Pool): Transact<MerchantAdminTx> {
  return createTransact(pool, merchantAdminTx)
}

/** The same on the connection of a transaction that the caller began. */
export function merchantAdminTx(client: pg.ClientBase): Omit<MerchantAdminTx, 'audit'> {
  return { ...creation(client), ...changes(client) }
}

function creation(
  client: pg.ClientBase,
): Omit<MerchantAdminTx, 'audit' | 'lockMerchant' | 'setName' | 'setDisabled' | 'endSessions'> {
  const next = async (table: 'merchants' | 'sites', above: number): Promise<bigint> => {
    const { rows } = await client.query<{ id: string }>(
      `select greatest(max(id), $1) + 1 as id from ${table}`,
      [above],
    )
    invariant(rows[0] !== undefined, 'a greatest value is one row')
    return BigInt(rows[0].id)
  }
  const has = async (text: string, value: unknown): Promise<boolean> =>
    (await client.query(text, [value])).rowCount === 1

  return {
    async lockCreation() {
      // Neither payments nor their foreign keys wait for this.
      await client.query('lock table merchants, sites in share row exclusive mode')
    },
    nextMerchantId: () => next('merchants', 0),
    nextSiteId: () => next('sites', 1000),
    hasMerchant: (id) => has('select from merchants where id = $1', id),
    hasSite: (id) => has('select from sites where id = $1', id),
    knowsTimeZone: (name) => has('select from pg_timezone_names where name = $1', name),
    async insertMerchant({ id, name, timeZone }) {
      await client.query('insert into merchants (id, name, time_zone) values ($1, $2, $3)', [
        id,
        name,
        timeZone,
      ])
    },
    async insertSite({ id, merchantId, name, defaultCurrency, tolerance }) {
      await client.query(
        `insert into sites (id, merchant_id, name, default_currency, tolerance)
         values ($1, $2, $3, $4, $5)`,
        [id, merchantId, name, defaultCurrency, tolerance],
      )
    },
  }
}

function changes(
  client: pg.ClientBase,
): Pick<MerchantAdminTx, 'lockMerchant' | 'setName' | 'setDisabled' | 'endSessions'> {
  return {
    async lockMerchant(id) {
      await client.query('select from merchants where id = $1 for no key update', [id])
      const { rows } = await client.query<MerchantStateRow>(
        'select name, disabled_at, disabled_by, disabled_reason from merchants where id = $1',
        [id],
      )
      return rows[0] === undefined ? null : merchantState(rows[0])
    },
    async setName(id, name) {
      await client.query('update merchants set name = $2 where id = $1', [id, name])
    },
    async setDisabled(id, disabled) {
      await client.query(
        `update merchants
            set disabled_at = case when $2::text is null then null else now() end,
                disabled_by = $2, disabled_reason = $3
          where id = $1`,
        [id, disabled?.by ?? null, disabled?.reason ?? null],
      )
    },
    async endSessions(id) {
      const { rowCount } = await client.query(
        `update portal_sessions s set ended_at = now() from portal_users p
          where p.id = s.portal_user_id and p.merchant_id = $1 and s.ended_at is null`,
        [id],
      )
      return rowCount ?? 0
    },
  }
}
