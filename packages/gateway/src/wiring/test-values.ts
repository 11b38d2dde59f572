import { bundledBankPlace, createTestBank } from '../adapters/bank-control/test-bank.ts'
import type { GatewayConfig } from '../config/config.ts'
import { valuesService } from '../http/sandbox/values-service.ts'
import { httpPlugin, type HttpPlugin } from '../http/servers/http-plugin.ts'

/** The address of the published test values, in sandbox mode only. */
export function wireTestValues(
  config: Pick<GatewayConfig, 'bundledBank' | 'dataDir' | 'mode'>,
): readonly HttpPlugin[] {
  if (config.mode !== 'sandbox') return []
  const { tables } = createTestBank(bundledBankPlace(config))
  return [httpPlugin(valuesService, { readTables: tables })]
}
