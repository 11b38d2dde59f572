import type pg from 'pg'

type Client = Pick<pg.ClientBase, 'query'>

/** Rows as JSON has them: texts, numbers, booleans, null, and times as ISO 8601. */
export type EvidenceRows = readonly Readonly<Record<string, unknown>>[]

/** The facts that assessors ask for, each with its statement. No secret is in a column of them. */
const STATEMENTS = {
  operators: `
select email, name, role, active, second_factor_ciphertext is not null as "hasSecondFactor",
       password_hash is not null as "hasPassword", password_changed_at as "passwordChangedAt",
       created_at as "createdAt", last_seen_at as "lastSeenAt"
  from operators order by email`,
  portal_users: `
select merchant_id::text as "merchantId", email, name, role, active,
       second_factor_ciphertext is not null as "hasSecondFactor",
       password_hash is not null as "hasPassword", password_changed_at as "passwordChangedAt",
       created_at as "createdAt", last_seen_at as "lastSeenAt"
  from portal_users order by merchant_id, email`,
  api_users: `
select u.merchant_id::text as "merchantId", u.username, u.active, u.made_at as "madeAt",
       u.made_by as "madeBy", u.last_used_at as "lastUsedAt", u.reads_api as "readsApi",
       cardinality(u.allowed_from) as "allowedNetworks",
       (select json_agg(json_build_object('number', p.number, 'madeAt', p.made_at,
                'lastUsedAt', p.last_used_at) order by p.number)
          from api_user_passwords p
         where p.user_id = u.id and p.retired_at is null) as "passwords"
  from api_users u order by u.merchant_id, u.username`,
  keys: `
select id, purpose, state, created_at as "createdAt", retired_at as "retiredAt",
       destroyed_at as "destroyedAt", destroyed_by as "destroyedBy",
       wrapped is not null as "isKept",
       floor(extract(epoch from now() - created_at) / 86400)::int as "ageDays",
       (select json_agg(h.worker order by h.worker) from data_key_holders h
         where k.id = any(h.data_key_ids) and h.seen_at > now() - interval '1 minute')
         as "inMemoryOf"
  from data_keys k order by id`,
  schema: `
select number, name, applied_at as "appliedAt" from schema_migrations order by number`,
  merchants: `
select m.id::text as id, m.name, m.created_at as "createdAt", m.disabled_at as "disabledAt",
       (select count(*)::int from sites s where s.merchant_id = m.id) as sites,
       (select count(*)::int from sites s where s.merchant_id = m.id and s.mode = 'live')
         as "liveSites"
  from merchants m order by m.id`,
} as const

export type EvidenceSubject = keyof typeof STATEMENTS

export async function readEvidence(
  client: Client,
  subject: EvidenceSubject,
): Promise<EvidenceRows> {
  const { rows } = await client.query<Record<string, unknown>>(STATEMENTS[subject])
  return rows
}

/** The certificates of processor links, which are public. */
export async function readLinkCertificates(
  client: Client,
): Promise<readonly { readonly link: string; readonly pem: string }[]> {
  const { rows } = await client.query<{ link: string; pem: string }>(
    `select name as link, tls_certificate as pem from processor_links
      where tls_certificate is not null order by name`,
  )
  return rows
}
