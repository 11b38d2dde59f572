import type pg from 'pg'
import type { SealedLink } from '../../../domain/banks/link-outline.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { LinkTx, StoredLink } from '../../../usecases/banks/put-link.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { LinkSummary } from '../../../usecases/merchants/operator.ts'
import { createTransact } from '../audit/admin-transaction.ts'

const PUT = `
insert into processor_links as l
  (name, mode, addresses, profile, institution_id, echo_idle_seconds, request_window,
   message_timeout_ms, tls_ca, tls_certificate, tls_key_ciphertext, tls_key_data_key_id,
   batch_agreement)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict (name) do update
   set (mode, addresses, profile, institution_id, echo_idle_seconds, request_window,
        message_timeout_ms, tls_ca, tls_certificate, tls_key_ciphertext, tls_key_data_key_id,
        batch_agreement, revision, changed_at) =
       ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, l.revision + 1, now())
returning revision`

/** Transactions in which a processor link is created or changed. */
export function linkTransact(pool: pg.Pool): Transact<LinkTx> {
  return createTransact(pool, linkTx)
}

/** The same on the connection of a transaction that the caller began. */
export function linkTx(client: pg.ClientBase): Omit<LinkTx, 'audit'> {
  return {
    lockLink: (name: string) => lockLink(client, name),

    async readModesInUse(name: string) {
      const { rows } = await client.query<{ mode: Mode }>(
        `select distinct a.mode from merchant_accounts a
           join processor_links l on l.id = a.processor_link_id where l.name = $1`,
        [name],
      )
      return rows.map(({ mode }) => mode)
    },

    writeLink: (sealed: SealedLink) => upsertLink(client, sealed),
  }
}

/** Whether the link is a new one. */
async function upsertLink(db: pg.ClientBase, { link, key }: SealedLink): Promise<boolean> {
  const { rows } = await db.query<{ revision: number }>(PUT, [
    link.name,
    link.mode,
    link.addresses,
    link.profile,
    link.institutionId,
    link.echoIdleSeconds,
    link.window,
    link.messageTimeoutMs,
    link.tls?.ca ?? null,
    link.tls?.cert ?? null,
    key?.ciphertext ?? null,
    key?.dataKeyId ?? null,
    link.batchAgreement,
  ])
  return rows[0]?.revision === 1
}

/**
 * Locks the link, and returns it as the audit log shows it: a JSON text without its key, with the
 * SHA-256 of each certificate's PEM. Null when there is none.
 */
async function lockLink(client: pg.ClientBase, name: string): Promise<string | null> {
  const { rows } = await client.query<{ state: string }>(
    `select (to_jsonb(l) - 'tls_key_ciphertext' || jsonb_build_object(
              'tls_ca', encode(sha256(convert_to(tls_ca, 'UTF8')), 'hex'),
              'tls_certificate', encode(sha256(convert_to(tls_certificate, 'UTF8')), 'hex')))::text as state
       from processor_links l where name = $1 for update`,
    [name],
  )
  return rows[0]?.state ?? null
}

/** Reads the description of a link; null for no such link. */
export async function readLink(
  db: pg.Pool | pg.ClientBase,
  name: string,
): Promise<StoredLink | null> {
  const { rows } = await db.query<StoredLink>(
    `select l.name, l.mode, l.addresses, l.profile, l.institution_id as "institutionId",
            l.echo_idle_seconds as "echoIdleSeconds", l.request_window as "window",
            l.message_timeout_ms as "messageTimeoutMs", l.batch_agreement as "batchAgreement",
            case when l.tls_ca is not null
                 then json_build_object('ca', l.tls_ca, 'cert', l.tls_certificate) end as tls,
            coalesce((select json_agg(json_build_object('id', a.id::text, 'mode', a.mode)
                                      order by a.id)
                        from merchant_accounts a where a.processor_link_id = l.id), '[]')
              as accounts
       from processor_links l where l.name = $1`,
    [name],
  )
  return rows[0] ?? null
}

interface SummaryRow {
  readonly name: string
  readonly mode: LinkSummary['mode']
  readonly addresses: readonly string[]
  readonly profile: LinkSummary['profile']
  readonly institution_id: string
  readonly batch_agreement: boolean
  readonly tls: LinkSummary['tls']
  readonly accounts: readonly string[]
  readonly states: readonly (Omit<LinkSummary['states'][number], 'signedOnSince'> & {
    readonly signedOnSince: string | null
  })[]
}

/** Every link by its name, with the reports of the running gateways. Shows no secret. */
export async function listLinks(pool: pg.Pool): Promise<LinkSummary[]> {
  const { rows } = await pool.query<SummaryRow>(`
    select l.name, l.mode, l.addresses, l.profile, l.institution_id, l.batch_agreement,
           case when l.tls_ca is null then 'off'
                when l.tls_certificate is null then 'without client certificate'
                else 'with client certificate' end as tls,
           array(select a.id::text from merchant_accounts a
                  where a.processor_link_id = l.id order by a.id) as accounts,
           coalesce((select json_agg(json_build_object(
                       'worker', s.worker, 'state', s.state, 'address', s.address,
                       'signedOnSince', s.signed_on_since, 'lastError', s.last_error,
                       'inFlight', s.in_flight) order by s.worker)
                       from processor_link_states s
                      where s.link_id = l.id
                        and s.reported_at > now() - interval '15 seconds'), '[]') as states
      from processor_links l order by l.name`)
  return rows.map(
    ({ institution_id: institutionId, batch_agreement: batchAgreement, states, ...row }) => ({
      ...row,
      institutionId,
      batchAgreement,
      states: states.map((state) => ({
        ...state,
        signedOnSince: state.signedOnSince === null ? null : new Date(state.signedOnSince),
      })),
    }),
  )
}
