import type { GatewayConfig } from '@tollgate/gateway/config'
import { claimPort, type WantedPort } from './ports.ts'

type Environment = Record<string, string | undefined>

function wantedPorts({ http, tls, bank, bundledBank, metrics }: GatewayConfig): WantedPort[] {
  const wanted: WantedPort[] = []
  if (http !== null) wanted.push({ ...http, portSetting: 'PORT', hostSetting: 'HOST' })
  if (tls !== null) {
    wanted.push({
      host: tls.host,
      port: tls.port,
      portSetting: 'TLS_PORT',
      hostSetting: 'TLS_HOST',
    })
  }
  if (bundledBank === 'on') {
    wanted.push({ ...bank, portSetting: 'BANK_PORT', hostSetting: 'BANK_HOST' })
  }
  if (metrics !== null) {
    wanted.push({ ...metrics, portSetting: 'METRICS_PORT', hostSetting: 'METRICS_HOST' })
  }
  return wanted
}

/** Finds out whether every port is to be had, and which one stands for 0. */
export async function resolvePorts(config: GatewayConfig, env: Environment): Promise<Environment> {
  const resolved: Environment = { ...env, BANK_PORT: String(config.bank.port) }
  for (const wanted of wantedPorts(config)) {
    resolved[wanted.portSetting] = String(await claimPort(wanted))
  }
  if (config.bundledBank === 'on') {
    resolved['BANK_CONTROL_PORT'] = String(await controlPort(config, resolved))
  }
  resolved['THREE_DS_RESULTS_PORT'] = String(await resultsPort(config, resolved))
  return resolved
}

/**
 * A port that was asked for must be free. In place of a default port in use a free one is taken
 * here, so that the announcement and every process know it.
 */
async function controlPort(
  { bankControlPort: asked }: GatewayConfig,
  resolved: Environment,
): Promise<number> {
  const wanted = {
    host: '127.0.0.1',
    portSetting: 'BANK_CONTROL_PORT',
    hostSetting: 'BANK_CONTROL_PORT',
  }
  if (asked !== null) return await claimPort({ ...wanted, port: asked })
  const next = Number(resolved['BANK_PORT']) + 1
  const others = [resolved['PORT'], resolved['TLS_PORT'], resolved['METRICS_PORT']]
  const anyPort = () => claimPort({ ...wanted, port: 0 })
  if (next > 65_535 || others.includes(String(next))) return await anyPort()
  return await claimPort({ ...wanted, port: next }).catch(anyPort)
}

/**
 * All workers share it, so that it is chosen here; a default port in use is
 * replaced by a free one.
 */
async function resultsPort({ threeDs }: GatewayConfig, resolved: Environment): Promise<number> {
  const wanted = {
    host: threeDs.resultsHost,
    portSetting: 'THREE_DS_RESULTS_PORT',
    hostSetting: 'THREE_DS_RESULTS_HOST',
  }
  if (threeDs.resultsPort !== null) return await claimPort({ ...wanted, port: threeDs.resultsPort })
  const bankPort = Number(resolved['BANK_PORT'])
  const usual = bankPort + 5
  const others = ['PORT', 'TLS_PORT', 'BANK_CONTROL_PORT', 'METRICS_PORT'].map(
    (name) => resolved[name],
  )
  const anyPort = () => claimPort({ ...wanted, port: 0 })
  if (bankPort === 0 || usual > 65_535 || others.includes(String(usual))) return await anyPort()
  return await claimPort({ ...wanted, port: usual }).catch(anyPort)
}
