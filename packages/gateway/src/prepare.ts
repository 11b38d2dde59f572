import { dirname } from 'node:path'
import { addressOf } from './adapters/postgres/connection/cluster-memory.ts'
import {
  createSandboxVaultKey,
  loadConfig,
  readEnvironment,
  type GatewayConfig,
} from './config/config.ts'
import { readCertificatePair } from './http/servers/certificate-pair.ts'
import { selfMadeCertificate } from './http/servers/certificate.ts'
import { isEmbedded, nodeMemory } from './wiring/node-memory.ts'
import { prepareDatabase } from './wiring/prepare-database.ts'

/**
 * Runs once before the workers: keys, certificate, schema, demo merchants. Nodes of production
 * share a database and start one after the other, so none of them changes its schema.
 */
async function run(): Promise<void> {
  const env = readEnvironment(process.cwd(), process.env)
  let config = requireConfig(env)
  if (config.databaseUrl === null) throw new Error('DATABASE_URL is not set.')
  const databaseUrl = addressOf(config.databaseUrl.reveal(), nodeMemory(env, config))
  if (config.vaultKey === null && config.vaultKeyFile !== null) {
    createSandboxVaultKey(config.vaultKeyFile)
    config = requireConfig(env)
  }
  if (config.tls?.selfMade === true) {
    await selfMadeCertificate(dirname(config.tls.certFile), new Date())
  } else if (config.tls !== null) {
    // Said once here, rather than by each worker in turn.
    const pair = await readCertificatePair(config.tls, new Date())
    if (pair.kind === 'faulty') throw new Error(pair.problem)
  }
  await prepareDatabase({
    ...config,
    databaseUrl,
    sandbox: config.mode === 'sandbox',
    checksSchema: config.mode === 'production' && !isEmbedded(env),
  })
}

function requireConfig(env: Record<string, string | undefined>): GatewayConfig {
  const loaded = loadConfig(env)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return loaded.config
}

run().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  },
)
