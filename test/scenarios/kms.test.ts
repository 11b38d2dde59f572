import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import {
  createSingleRequestClient,
  type SingleRequestClient,
} from '../../packages/client/src/single-requests.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import {
  openKeyOperator,
  type KeyOperator,
} from '../../packages/gateway/src/wiring/operator-keys.ts'
import {
  awsEnvironment,
  startFakeKms,
  type FakeKms,
} from '../../packages/gateway/test/adapters/vault/fake-kms.ts'
import {
  startFakeTransit,
  type FakeTransit,
} from '../../packages/gateway/test/adapters/vault/fake-transit.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { auditedAsDone } from '../support/audit.ts'
import { operatorSettings, runHere } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { outcome, payment, untilRow } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'

let gateway: RunningGateway
let kms: FakeKms
let key: string
let transit: FakeTransit
const folder = mkdtempSync(join(tmpdir(), 'tollgate-transit-'))
const tokenFile = join(folder, 'token')
const environment = { ...process.env }
before(async () => {
  gateway = await startRunningGateway()
  kms = await startFakeKms()
  key = kms.createKey('alias/tollgate')
  transit = await startFakeTransit()
  transit.createKey('transit/tollgate')
  writeFileSync(tokenFile, transit.token)
  Object.assign(process.env, awsEnvironment(kms))
})
after(async () => {
  process.env = environment
  await kms?.stop()
  await transit?.stop()
  rmSync(folder, { recursive: true, force: true })
  await gateway?.stop()
})

async function aNode(t: TestContext, more: Record<string, string>): Promise<GatewayNode> {
  const [port, tlsPort] = await freePorts(2)
  const node = await startGatewayNode({
    ...gateway.nodeSettings,
    PORT: String(port),
    TLS_PORT: String(tlsPort),
    ...awsEnvironment(kms),
    ...more,
  })
  t.after(() => node.stop())
  return node
}

function clientOf({ baseUrl }: GatewayNode): SingleRequestClient {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  return createSingleRequestClient({ baseUrl, username, password, siteId: 1001 })
}

const KMS = { vaultKmsKey: 'alias/tollgate' }
const transitKey = () => ({
  vaultTransitKey: 'tollgate',
  vaultServer: { address: transit.url, tokenFile, namespace: '', caFile: null },
})

/** The output of `tollgate doctor` on a node with the transit key. */
async function diagnosis(vault: Readonly<Record<string, string>>): Promise<string> {
  const settings = { ...operatorSettings(gateway, folder), VAULT_KEY: '', ...vault }
  const { output } = await runHere(['doctor', '--json'], {
    ...settings,
    VAULT_TRANSIT_KEY: 'tollgate',
  })
  return output
}

async function operator(
  t: TestContext,
  keys: Omit<Parameters<typeof openKeyOperator>[0], 'databaseUrl' | 'mode' | 'vaultKey'> & {
    readonly vaultKey?: Secret
  },
): Promise<KeyOperator> {
  const databaseUrl = new Secret(gateway.databaseUrl)
  const opened = await openKeyOperator({ mode: 'sandbox', vaultKey: null, ...keys, databaseUrl })
  t.after(() => opened.close())
  return opened
}

test('a gateway moves from a key in a file to one of the KMS, and cards stay readable', async (t) => {
  const saved = await gateway.client().sale(payment('5.00'))
  await assert.rejects(
    aNode(t, { VAULT_KMS_KEY: key }),
    new RegExp(
      `Data key 1 is wrapped by the key-encrypting key local:[0-9a-f]{16}, and this process has kms:${key}\\.`,
    ),
  )

  const { to, from } = await (
    await operator(t, { ...KMS, vaultKeyPrevious: gateway.vaultKey })
  ).rewrap(null)
  await gateway.stopGateway()
  const node = await aNode(t, { VAULT_KMS_KEY: 'alias/tollgate' })

  assert.equal(to, `kms:${key}`)
  assert.match(from.join(), /^local:/)
  const operations = ['key.made', 'key.rewrapped'] as const
  assert.deepEqual(await auditedAsDone(gateway.pool, operations), operations)
  const again = await clientOf(node).sale({ customerId: saved.customerId, amount: '5.00' })
  assert.equal(outcome(again), 'APPROVED 0/100')
})

test('a gateway whose KMS is away goes on with the keys it has, says so, and takes the new one up later', async (t) => {
  const [near, cutOff] = [
    await aNode(t, { VAULT_KMS_KEY: key }),
    await aNode(t, { VAULT_KMS_KEY: key, AWS_ENDPOINT_URL_KMS: `${kms.url}/cut-off` }),
  ]
  const keys = await operator(t, KMS)
  kms.refuse('/cut-off/')

  const { made } = await keys.rotate()
  await untilRow(
    gateway,
    'one gateway has the new key',
    'select 1 from data_key_holders where $1 = any(data_key_ids)',
    [made],
  )
  await eventually('the gateway that is cut off says so in its log', () =>
    /AWS KMS cannot decrypt with the key/.test(cutOff.log()),
  )
  const there = await clientOf(near).sale(payment('5.00'))
  const here = await clientOf(cutOff).sale({ customerId: there.customerId, amount: '5.00' })
  const { holders } = await keys.list()
  kms.refuse(null)
  await untilRow(
    gateway,
    'everybody encrypts under the new key',
    'select 1 from data_key_holders having bool_and(seals_under = $1) and count(*) = 2',
    [made],
  )

  assert.equal(outcome(here), 'APPROVED 0/100')
  assert.deepEqual(
    holders.map(({ dataKeyIds, sealsUnder }) => [dataKeyIds.includes(made), sealsUnder]).toSorted(),
    [
      [false, 1],
      [true, 1],
    ],
  )
  const later = await clientOf(cutOff).sale(payment('5.00'))
  assert.equal(outcome(later), 'APPROVED 0/100')
})

test('a key of the KMS is replaced by one of a Vault and back, and payments outlive the Vault', async (t) => {
  const vault = { VAULT_ADDR: transit.url, VAULT_TOKEN_FILE: tokenFile }
  const there = { ...transitKey(), vaultKeyPrevious: { kmsKey: key } }
  const moved = await (await operator(t, there)).rewrap(null)
  const node = await aNode(t, { VAULT_TRANSIT_KEY: 'tollgate', ...vault })
  const saved = await clientOf(node).sale(payment('5.00'))
  transit.rotate('transit/tollgate')
  const rewrapped = await (await operator(t, transitKey())).rewrap(null)
  transit.demandVersion('transit/tollgate', 2)

  transit.sealed = true
  const again = await clientOf(node).sale({ customerId: saved.customerId, amount: '5.00' })
  const other = await clientOf(node).sale(payment('5.00'))
  await assert.rejects(
    aNode(t, { VAULT_TRANSIT_KEY: 'tollgate', ...vault }),
    /The Vault at .* cannot read the transit key transit\/tollgate: it is sealed or in maintenance/,
  )
  const sealed = await diagnosis(vault)
  transit.sealed = false
  const usable = await diagnosis(vault)
  const back = { ...transitKey(), ...KMS, vaultTransitKey: null }
  await (await operator(t, { ...back, vaultKeyPrevious: { transitKey: 'tollgate' } })).rewrap(null)
  const later = await aNode(t, { VAULT_KMS_KEY: key })
  const last = await clientOf(later).sale({ customerId: saved.customerId, amount: '5.00' })

  assert.deepEqual([moved.from, moved.to], [[`kms:${key}`], 'transit:transit/tollgate'])
  assert.deepEqual([rewrapped.from, rewrapped.to], [[moved.to], moved.to])
  assert.deepEqual(
    [again, other, last].map(outcome),
    Array.from({ length: 3 }, () => 'APPROVED 0/100'),
  )
  assert.match(
    sealed,
    /"vault","level":"fault","found":"The Vault at \S+ cannot read .* it is sealed or in maintenance/,
  )
  assert.match(
    usable,
    /transit:transit\/tollgate wraps and unwraps\. The token is valid for 50 min/,
  )
  for (const text of [node.log(), sealed, usable]) assert.ok(!text.includes(transit.token))
})

test('a gateway whose KMS key is disabled does not start, and says why in a sentence', async (t) => {
  kms.disable(key)

  await assert.rejects(
    aNode(t, { VAULT_KMS_KEY: 'alias/tollgate' }),
    /The KMS key alias\/tollgate cannot wrap data keys: its state is Disabled/,
  )
})
