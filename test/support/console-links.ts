import { generate } from 'selfsigned'
import { linkKeyBinding } from '../../packages/gateway/src/adapters/vault/secret-seal.ts'
import { createOperatorsRecords } from '../../packages/gateway/src/portal/console/store/operators-records.ts'
import { createExpireRequests } from '../../packages/gateway/src/portal/console/usecases/decide-requests.ts'
import { openSeal } from '../../packages/gateway/src/wiring/operator-seal.ts'
import type { RunningGateway } from './running-gateway.ts'

/** The file of a link with a client certificate, and its PEM files, as a browser sends them. */
export async function linkFiles({ name, mode }: { name: string; mode: 'test' | 'live' }): Promise<{
  readonly sent: {
    readonly file: string
    readonly pem: readonly { readonly name: string; readonly text: string }[]
  }
  readonly key: string
}> {
  const made = await generate([{ name: 'commonName', value: 'gateway' }], { keyType: 'ec' })
  const file = JSON.stringify({
    name,
    mode,
    addresses: ['127.0.0.1:2'],
    profile: 'house',
    institutionId: '500001',
    tls: { caFile: 'pki/ca.pem', certFile: 'client.pem', keyFile: 'client.key' },
  })
  const pem = [
    { name: 'ca.pem', text: made.cert },
    { name: 'client.pem', text: made.cert },
    { name: 'client.key', text: made.private },
  ]
  return { sent: { file, pem }, key: made.private }
}

/** The client key of a link, opened as a gateway opens it. */
export async function openedLinkKey(
  { pool, vaultKey }: Pick<RunningGateway, 'pool' | 'vaultKey'>,
  name: string,
  sealed: Uint8Array,
): Promise<string> {
  const seal = await openSeal(pool, { vaultKey })
  return (await seal.open(sealed, linkKeyBinding(name))).reveal()
}

/** Does at once what the job does each minute. */
export async function expireRequests({ pool }: Pick<RunningGateway, 'pool'>): Promise<void> {
  const noPortalUsers = (): never => {
    throw new Error('A request that ends changes no portal user.')
  }
  const portalUsers = { lockForReset: noPortalUsers, reset: noPortalUsers }
  await createExpireRequests(createOperatorsRecords(pool, 0, () => portalUsers))()
}
