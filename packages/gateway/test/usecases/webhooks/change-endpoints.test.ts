import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import { createChangeEndpoints } from '../../../src/usecases/webhooks/change-endpoints.ts'
import type { EndpointTx } from '../../../src/usecases/webhooks/endpoint-store.ts'

test('the event of a resumed endpoint names the interface, the portal or the operator as its origin', async () => {
  const origins: string[] = []
  const endpoint = { url: 'https://shop.example/', types: [], state: 'paused', secrets: 1 } as const
  const tx: Partial<EndpointTx> = {
    lockSite: () => Promise.resolve(1n),
    lock: () => Promise.resolve(endpoint),
    setState: () => Promise.resolve(),
    recordEvent: (_id, _type, origin) => Promise.resolve(void origins.push(origin)),
    audit: () => Promise.resolve(),
  }
  const changes = createChangeEndpoints({
    store: { transact: (work) => work(tx as EndpointTx) },
    rulesOf: () => ({ allowsLoopback: false, allowed: [], refused: [], ports: [443] }),
    newSecret: () => new Secret('whsec_'),
    openSeal: () => Promise.reject(new Error('No secret is made.')),
  })
  for (const actor of [
    'api:demo@tollgate.test',
    'portal:api:x@shop.example',
    'operator:root@host',
  ]) {
    await changes.resume(11n, 1n, { actor, address: '' })
  }
  assert.deepEqual(origins, ['API', 'PORTAL', 'OPERATOR'])
})
