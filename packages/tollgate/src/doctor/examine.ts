import { MOST_CONNECTIONS, reasonOf, VAULT_CONNECTIONS } from '@tollgate/gateway'
import { loadConfig, type GatewayConfig } from '@tollgate/gateway/config'
import {
  inspectCertificate,
  probeCollector,
  probeAuditReceiver,
  probeMailServer,
  probeVault,
  readDatabaseFacts,
} from '@tollgate/gateway/operator-doctor'
import { runningDatabase } from '../running-database.ts'
import { judgeAuditPush } from './audit-push-findings.ts'
import { judgeBackup } from './backup-findings.ts'
import { judgeCertificate } from './certificate-findings.ts'
import { judgeConsole } from './console-findings.ts'
import { judgeDatabase } from './database-findings.ts'
import { fault, good, warning, type Finding } from './finding.ts'
import { judgeGateway, readHealth } from './gateway-findings.ts'
import { judgeMachine, readMachine } from './machine-findings.ts'
import { judgeMail } from './mail-findings.ts'
import { readBackup } from './read-backup.ts'
import { judgeRetention } from './retention-findings.ts'
import { judgeMetrics, judgeTraces } from './trace-findings.ts'
import { judgeVault, judgeVaultProcess } from './vault-findings.ts'

/**
 * Examines an installation: settings, this machine, the certificate, the database, and the gateway
 * if it runs. So it does with the servers that the settings name. Changes nothing.
 * @param stray warnings about names that are no settings
 */
export async function examine(
  env: Readonly<Record<string, string | undefined>>,
  stray: readonly string[],
): Promise<readonly Finding[]> {
  const loaded = loadConfig(env)
  const correct = 'Correct it in the environment or in .env: docs/operators/running.md.'
  if (!loaded.ok) return loaded.problems.map((problem) => fault('settings', problem, correct))
  const { config, warnings } = loaded
  return [
    good('settings', `The settings are valid, and MODE is ${config.mode}.`),
    ...[...stray, ...warnings].map((text) => warning('settings', text, correct)),
    ...judgeMachine(readMachine(config.dataDir), config.maxConnections),
    ...(await examineCertificate(config)),
    ...(await examineDatabase(config)),
    judgeVaultProcess(config),
    ...(await examineVault(config)),
    ...(await examineBackup(config)),
    judgeMail(config.smtp, config.smtp === null ? null : await probeMailServer(config.smtp)),
    await examineTraces(config),
    await examineMetrics(config),
    await examineAuditPush(config),
    ...judgeGateway(await readHealth(config.baseUrl), config.baseUrl),
  ]
}

async function examineTraces({ traces }: GatewayConfig): Promise<Finding> {
  const url = traces?.url ?? null
  return judgeTraces(url, url === null ? null : await probeCollector(url, 'spans'))
}

async function examineMetrics({ metricsUrl: url }: GatewayConfig): Promise<Finding> {
  return judgeMetrics(url, url === null ? null : await probeCollector(url, 'metrics'))
}

async function examineCertificate(config: GatewayConfig): Promise<readonly Finding[]> {
  const { consoleEndpoint, consoleUrl, portalEndpoint, portalUrl, publicUrl, tls } = config
  if (tls === null || tls.selfMade) return []
  const { at, pair } = await inspectCertificate(tls)
  const addresses = {
    PUBLIC_URL: publicUrl,
    ...(portalEndpoint?.isTls === true ? { PORTAL_URL: portalUrl } : {}),
    ...(consoleEndpoint?.isTls === true ? { CONSOLE_URL: consoleUrl } : {}),
  }
  return judgeCertificate(pair, addresses, at)
}

/** The transit keys of the settings; none where the key-encrypting key is elsewhere. */
async function examineVault(config: GatewayConfig): Promise<readonly Finding[]> {
  const { vaultKeyPrevious: previous, vaultServer, vaultTransitKey } = config
  if (vaultServer === null) return []
  const before = previous !== null && 'transitKey' in previous ? previous.transitKey : null
  const keys = [vaultTransitKey, before].filter((key) => key !== null)
  return Promise.all(keys.map(async (key) => judgeVault(await probeVault(vaultServer, key))))
}

async function examineAuditPush({ auditPush }: GatewayConfig): Promise<Finding> {
  if (auditPush === null) return judgeAuditPush(null, null)
  return judgeAuditPush(auditPush.url, await probeAuditReceiver(auditPush))
}

async function examineBackup(config: GatewayConfig): Promise<readonly Finding[]> {
  const node = {
    isProduction: config.mode === 'production',
    isEmbedded: config.databaseUrl === null,
  }
  return judgeBackup(node.isEmbedded ? await readBackup(config) : null, node, new Date())
}

async function examineDatabase(config: GatewayConfig): Promise<readonly Finding[]> {
  const address = runningDatabase(config)
  if (address === null) {
    return [
      good('database', 'The embedded database is not running: start Tollgate to examine it.'),
      ...judgeConsole(config, null),
    ]
  }
  try {
    const facts = await readDatabaseFacts(address)
    const needs = {
      isProduction: config.mode === 'production',
      migratesAtStart: config.mode === 'sandbox' || config.databaseUrl === null,
      connections:
        config.workers * MOST_CONNECTIONS + (config.vaultProcess === 'on' ? VAULT_CONNECTIONS : 0),
    }
    return [
      ...judgeDatabase(facts, needs),
      ...judgeRetention(facts.retentionPasses, config.retention, new Date()),
      ...judgeConsole(config, facts.operators),
    ]
  } catch (error) {
    const found = `The database cannot be used: ${reasonOf(error)}.`
    return [
      fault('database', found, 'Check DATABASE_URL, the user, and that the server runs.'),
      ...judgeConsole(config, null),
    ]
  }
}
