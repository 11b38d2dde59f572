import type pg from 'pg'
import type { DeliveryFault } from '../../../domain/webhooks/delivery-faults.ts'
import type { EndpointFaults, FaultStore } from '../../../usecases/webhooks/change-faults.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { lockSite } from '../merchants/locked-site.ts'
import { readSiteMode } from './site-mode.ts'

const LIST = `
select e.id, e.url,
       coalesce((select json_agg(json_build_object('kind', f.kind, 'type', f.type,
                                                   'share', f.share, 'seconds', f.seconds,
                                                   'left', f.events_left) order by f.id)
                   from webhook_faults f where f.endpoint_id = e.id), '[]') as faults
  from webhook_endpoints e where e.site_id = $1 order by e.id`

const INSERT = `
insert into webhook_faults (endpoint_id, site_id, kind, type, share, seconds, events_left)
select $2, $1, f.* from unnest($3::text[], $4::text[], $5::int[], $6::int[], $7::int[]) f`

/** Faults of endpoints in the database. */
export function createFaultStore(pool: pg.Pool): FaultStore {
  return {
    transact: createTransact(pool, (client) => ({
      lockSite: (siteId: bigint) => lockSite(client, siteId),
      readMode: (siteId: bigint) => readSiteMode(client, siteId),
      setFaults: (siteId: bigint, id: bigint, faults: readonly DeliveryFault[]) =>
        setFaults(client, siteId, id, faults),
    })),
    async list(siteId) {
      type Row = Omit<EndpointFaults, 'endpointId'> & { readonly id: string }
      const { rows } = await pool.query<Row>(LIST, [siteId])
      return rows.map(({ faults, id, url }) => ({ endpointId: BigInt(id), url, faults }))
    },
  }
}

async function setFaults(
  client: pg.ClientBase,
  siteId: bigint,
  id: bigint,
  faults: readonly DeliveryFault[],
): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from webhook_endpoints where id = $1 and site_id = $2 for update',
    [id, siteId],
  )
  if (rowCount === 0) return false
  await client.query('delete from webhook_faults where endpoint_id = $1', [id])
  await client.query(INSERT, [
    siteId,
    id,
    faults.map(({ kind }) => kind),
    faults.map(({ type }) => type),
    faults.map(({ share }) => share),
    faults.map(({ seconds }) => seconds),
    faults.map(({ left }) => left),
  ])
  return true
}
