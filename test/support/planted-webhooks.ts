import type { RunningGateway } from './running-gateway.ts'

type Pool = RunningGateway['pool']

/**
 * An endpoint of the demo site that no event of payments goes to; gives its id. A paused one was
 * paused by the gateway, after 25 failures.
 */
export async function plantEndpoint(
  pool: Pool,
  state: 'enabled' | 'paused',
  secrets: readonly ('current' | 'previous')[] = ['current'],
): Promise<string> {
  const isPaused = state === 'paused'
  const { rows } = await pool.query<{ id: string }>(
    `insert into webhook_endpoints
       (merchant_id, site_id, url, types, position, state, reason, failures, failing_since)
     select 1, 1001, 'https://shop.example/webhooks', '{dispute.}', position, $1, $2, $3, $4
       from event_head returning id`,
    [state, isPaused ? 'failing' : '', isPaused ? 25 : 0, isPaused ? '2026-11-20T10:00:00Z' : null],
  )
  const id = rows[0]?.id ?? ''
  await pool.query(
    `insert into webhook_secrets (endpoint_id, generation, secret_ciphertext, data_key_id)
     select $1, generation, '\\x00', (select min(id) from data_keys)
       from unnest($2::text[]) as g (generation)`,
    [id, secrets],
  )
  return id
}

/** A failed delivery of an event that is no longer kept; gives its id. */
export async function plantDelivery(pool: Pool, endpointId: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into webhook_deliveries (merchant_id, endpoint_id, day, position, event_id, type,
       object, object_id, state, due_at, ended_at)
     values (1, $1, '2026-01-01', 1, 'evt_planted', 'batch.closed', 'batch', 1, 'failed', now(),
             now()) returning id`,
    [endpointId],
  )
  return rows[0]?.id ?? ''
}
