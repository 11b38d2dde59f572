import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { parseEndpoint } from '../../../usecases/banks/processor-links.ts'
import type {
  LinkEndpoint,
  LinkProfile,
  ProcessorLink,
  ProcessorLinkStore,
} from '../../../usecases/banks/processor-links.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'

interface LinkRow {
  readonly id: string
  readonly name: string
  readonly mode: Mode
  readonly addresses: readonly string[]
  readonly profile: LinkProfile
  readonly institution_id: string
  readonly echo_idle_seconds: number
  readonly request_window: number
  readonly message_timeout_ms: number
  readonly tls_ca: string | null
  readonly tls_certificate: string | null
  readonly tls_key_ciphertext: Buffer | null
  readonly revision: number
}

const FIND_IN_USE = `
select id, name, mode, addresses, profile, institution_id, echo_idle_seconds, request_window,
       message_timeout_ms, tls_ca, tls_certificate, tls_key_ciphertext, revision
  from processor_links l
 where exists (select from merchant_accounts a where a.processor_link_id = l.id)
 order by id`

/** A process that crashed leaves its row; it is shown for a short time only. */
const REPORT = `
with gone as (
  delete from processor_link_states
   where reported_at < now() - interval '1 hour' or (worker = $1 and link_id <> all($2::bigint[]))
)
insert into processor_link_states
  (link_id, worker, state, address, signed_on_since, last_error, in_flight, reported_at)
select n.link_id, $1, n.state, n.address, n.signed_on_since, n.last_error, n.in_flight, now()
  from unnest($2::bigint[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::int[])
       as n (link_id, state, address, signed_on_since, last_error, in_flight)
 where exists (select from processor_links l where l.id = n.link_id)
on conflict (link_id, worker) do update
   set (state, address, signed_on_since, last_error, in_flight, reported_at) =
       (excluded.state, excluded.address, excluded.signed_on_since, excluded.last_error,
        excluded.in_flight, excluded.reported_at)`

/** `worker` names this process among all that report. */
export function createProcessorLinkStore(pool: pg.Pool, worker: string): ProcessorLinkStore {
  return {
    async findLinksInUse() {
      const { rows } = await pool.query<LinkRow>({ name: 'links in use', text: FIND_IN_USE })
      return rows.map(processorLink)
    },
    async reportStates(states) {
      const rows = states.filter((state) => state.linkId !== null)
      await pool.query({
        name: 'report link states',
        text: REPORT,
        values: [
          worker,
          rows.map((row) => row.linkId),
          rows.map((row) => row.state),
          rows.map((row) => row.address),
          rows.map((row) => row.signedOnSince),
          rows.map((row) => row.lastError),
          rows.map((row) => row.inFlight),
        ],
      })
    },
  }
}

function processorLink(row: LinkRow): ProcessorLink {
  const [address, standby = null] = row.addresses.map(storedEndpoint)
  invariant(address !== undefined, 'a stored link has no address')
  const client =
    row.tls_certificate === null || row.tls_key_ciphertext === null
      ? null
      : { cert: row.tls_certificate, sealedKey: row.tls_key_ciphertext }
  return {
    id: BigInt(row.id),
    name: row.name,
    mode: row.mode,
    address,
    standby,
    profile: row.profile,
    institutionId: row.institution_id,
    echoIdleMs: row.echo_idle_seconds * 1_000,
    window: row.request_window,
    messageTimeoutMs: row.message_timeout_ms,
    tls: row.tls_ca === null ? null : { ca: row.tls_ca, client },
    revision: row.revision,
  }
}

function storedEndpoint(text: string): LinkEndpoint {
  const endpoint = parseEndpoint(text)
  invariant(endpoint !== null, 'a stored link has an address that is none')
  return endpoint
}
