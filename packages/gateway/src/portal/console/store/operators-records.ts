import type { ConsoleRole } from '@tollgate/portal-contract/console-rights'
import type pg from 'pg'
import { createTransact } from '../../../adapters/postgres/audit/admin-transaction.ts'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { linkTx, readLink } from '../../../adapters/postgres/banks/link-admin.ts'
import { feePlanTx } from '../../../adapters/postgres/fees/fee-plan-store.ts'
import { accountTx } from '../../../adapters/postgres/merchants/account-admin.ts'
import { accountDemandsTx } from '../../../adapters/postgres/merchants/account-demands-store.ts'
import { accountDetailsTx } from '../../../adapters/postgres/merchants/account-details-store.ts'
import { accountFeaturesTx } from '../../../adapters/postgres/merchants/account-features-store.ts'
import { accountLimitsTx } from '../../../adapters/postgres/merchants/account-limits-store.ts'
import { merchantAdminTx } from '../../../adapters/postgres/merchants/merchant-admin.ts'
import { siteSettingsTx } from '../../../adapters/postgres/merchants/site-settings-store.ts'
import { threeDsPolicyTx } from '../../../adapters/postgres/three-ds/three-ds-admin.ts'
import { invariant } from '../../../base/invariant.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { accessTx } from '../../shell/store/access-statements.ts'
import { isIdle } from '../../shell/store/portal-user-rows.ts'
import type { ConsoleTx, OperatorsStore, OperatorSummary } from '../usecases/operators-store.ts'
import type { PortalUserLinks } from '../usecases/portal-user-links.ts'
import { OPERATOR, OPERATOR_TABLES, operatorOf, type OperatorRow } from './operator-rows.ts'
import { listRequests, requestTx } from './request-rows.ts'

type Row = OperatorRow & {
  readonly active: boolean
  readonly idle: boolean
  readonly password_hash: string | null
}

/**
 * Operators in the database. `idleDays`: days without a sign-in until a refusal; 0 for never.
 * `portalUsersOn`: portal users on the connection of a transaction.
 */
export function createOperatorsRecords(
  pool: pg.Pool,
  idleDays: number,
  portalUsersOn: (client: pg.ClientBase) => PortalUserLinks,
): OperatorsStore {
  return {
    transact: createTransact(pool, (client) => ({
      ...txOf(client, idleDays),
      portalUsers: portalUsersOn(client),
    })),
    list: () => listOperators(pool, idleDays),
    listRequests: () => listRequests(pool),
    async findByEmail(email) {
      const { rows } = await pool.query<{ id: string }>(
        'select id from operators where email = $1',
        [email],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },
  }
}

function txOf(client: pg.ClientBase, idleDays: number): Omit<ConsoleTx, 'audit' | 'portalUsers'> {
  const audit = (entries: readonly AuditEntry[]): Promise<void> => appendAudit(client, entries)
  return {
    ...requestTx(client),
    ...accessTx(client, OPERATOR_TABLES),
    merchants: { ...merchantAdminTx(client), audit },
    limits: { ...accountLimitsTx(client), audit },
    demands: { ...accountDemandsTx(client), audit },
    details: { ...accountDetailsTx(client), audit },
    fees: { ...feePlanTx(client), audit },
    features: { ...accountFeaturesTx(client), audit },
    policies: { ...threeDsPolicyTx(client), audit },
    sites: { ...siteSettingsTx(client), audit },
    accounts: { ...accountTx(client), audit },
    links: { ...linkTx(client), audit },
    readLink: (name) => readLink(client, name),

    async nextAccountId() {
      // Neither payments nor their foreign keys wait for this.
      await client.query('lock table merchant_accounts in share row exclusive mode')
      const { rows } = await client.query<{ id: string }>(
        'select greatest(max(id), 2000) + 1 as id from merchant_accounts',
      )
      invariant(rows[0] !== undefined, 'a greatest value is one row')
      return Number(rows[0].id)
    },

    async countLiveSites(merchantId) {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int as count from sites where merchant_id = $1 and mode = 'live'`,
        [merchantId],
      )
      return rows[0]?.count ?? 0
    },

    async readSiteMode(siteId) {
      const { rows } = await client.query<{ mode: Mode }>('select mode from sites where id = $1', [
        siteId,
      ])
      return rows[0]?.mode ?? null
    },

    async readAccountMode(accountId) {
      const { rows } = await client.query<{ mode: Mode }>(
        'select mode from merchant_accounts where id = $1',
        [accountId],
      )
      return rows[0]?.mode ?? null
    },

    async readKeyState(id) {
      const { rows } = await client.query<{ state: string }>(
        `select case purpose when 'pan' then state else 'the fingerprint key' end as state
           from data_keys where id = $1`,
        [id],
      )
      return rows[0]?.state ?? null
    },

    async readRole(operatorId) {
      const { rows } = await client.query<{ role: ConsoleRole }>(
        'select role from operators where id = $1 and active for share',
        [operatorId],
      )
      return rows[0]?.role ?? null
    },

    async lockOperator(id) {
      await client.query('select from operators where id = $1 for no key update', [id])
      const { rows } = await client.query<Row>(
        `select ${OPERATOR}, p.active, ${isIdle(idleDays)} as idle, p.password_hash
           from operators p where p.id = $1`,
        [id],
      )
      const [row] = rows
      if (row === undefined) return null
      const { active, idle, password_hash: passwordHash } = row
      return { ...operatorOf(row), active, idle, passwordHash }
    },

    async insertOperator({ email, name, role }) {
      const { rows } = await client.query<{ id: string }>(
        `insert into operators (email, name, role) values ($1, $2, $3)
         on conflict (email) do nothing returning id`,
        [email, name, role],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async hasFreshLink(id) {
      const { rowCount } = await client.query(
        `select from operator_invitations
          where operator_id = $1 and made_by like 'console:%'
            and made_at > now() - interval '24 hours' limit 1`,
        [id],
      )
      return rowCount === 1
    },
  }
}

async function listOperators(pool: pg.Pool, idleDays: number): Promise<readonly OperatorSummary[]> {
  const { rows } = await pool.query<
    Row & { has_second_factor: boolean; last_seen_at: Date | null; link_until: Date | null }
  >(
    `select ${OPERATOR}, p.active, ${isIdle(idleDays)} as idle, p.password_hash,
            p.second_factor_ciphertext is not null as has_second_factor,
            greatest(p.last_seen_at, (select max(s.last_seen_at) from operator_sessions s
                                       where s.operator_id = p.id and s.ended_at is null))
              as last_seen_at,
            (select i.expires_at from operator_invitations i
              where i.operator_id = p.id and i.ended_at is null and i.expires_at > now())
              as link_until
       from operators p order by lower(p.name), p.id`,
  )
  return rows.map((row) => ({
    ...operatorOf(row),
    state: !row.active
      ? 'disabled'
      : row.password_hash === null
        ? 'invited'
        : row.idle
          ? 'idle'
          : 'active',
    hasSecondFactor: row.has_second_factor,
    lastSeenAt: row.last_seen_at,
    linkUntil: row.link_until,
  }))
}
