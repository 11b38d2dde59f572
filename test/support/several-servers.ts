import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterFile } from '../../packages/gateway/src/adapters/postgres/connection/cluster-memory.ts'
import { prepareDatabase } from '../../packages/gateway/src/wiring/prepare-database.ts'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { startGatewayNode } from './gateway-node.ts'
import type { RunningGateway } from './running-gateway.ts'

const CLI = builtProgram(new URL('../../packages/tollgate/src/cli.ts', import.meta.url))

/** The settings of one run: an address, the folder of a node, and more by their names. */
type Run = Readonly<Record<string, string>> & { readonly url: string; readonly dataDir: string }

/** Runs the program on a DATABASE_URL until it ends. */
export async function tollgate(
  args: readonly string[],
  { url, dataDir, ...settings }: Run,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--conditions=tollgate-source', CLI, ...args], {
    cwd: tmpdir(),
    env: { ...CHILD_ENVIRONMENT, DATABASE_URL: url, DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (text) => (output += String(text)))
  child.stderr.on('data', (text) => (output += String(text)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** Prepares the database as a start does, serves with a node, and runs commands; once each. */
export async function startsEverything(
  gateway: RunningGateway,
  url: string,
  dataDir: string,
): Promise<void> {
  const memory = clusterFile(dataDir)
  await prepareDatabase({ databaseUrl: { url, memory }, vaultKey: gateway.vaultKey, sandbox: true })
  const [port, tlsPort] = await freePorts(2)
  const node = await startGatewayNode({
    ...gateway.nodeSettings,
    VAULT_KEY: gateway.vaultKey.reveal(),
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    TLS_CERT: join(gateway.nodeSettings['DATA_DIR'] ?? '', 'keys', 'tls-cert.pem'),
    TLS_KEY: join(gateway.nodeSettings['DATA_DIR'] ?? '', 'keys', 'tls-key.pem'),
    PORT: String(port),
    TLS_PORT: String(tlsPort),
  })
  const { status } = await fetch(new URL('/health/ready', node.baseUrl))
  assert.equal(status, 200)
  assert.equal(await node.stop(), 0)
  const commands = [['queue'], ['links'], ['keys', 'list']].map((command) =>
    tollgate(command, { url, dataDir }),
  )
  for (const { code, output } of await Promise.all(commands)) assert.equal(code, 0, output)
}
