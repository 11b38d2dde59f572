import { readNetwork } from '../domain/webhooks/network.ts'
import { listOf, type SettingKind } from './setting-kinds.ts'

/** Networks by which addresses of merchants' programs are judged. */
const networks: SettingKind<readonly string[]> = {
  fallback: '',
  expected: 'a comma-separated list of IP addresses or networks such as 10.0.0.5 or 10.0.0.0/8',
  schema: listOf((part) => readNetwork(part) !== null),
}

const isPort = (part: string): boolean => /^[1-9]\d{0,4}$/.test(part) && Number(part) <= 65_535

const ports: SettingKind<readonly number[]> = {
  fallback: '443',
  expected: 'a comma-separated list of port numbers from 1 to 65535',
  schema: listOf(isPort).transform((parts) => parts.map(Number)),
}

/** The settings of requests to addresses that merchants chose, as rows of the table of settings. */
export const OUTWARD_SETTINGS = {
  /** Networks that are reached although they are not public. */
  WEBHOOK_ALLOWED_NETWORKS: { ...networks, field: 'webhookAllowedNetworks' },
  /** Networks that are never reached. */
  WEBHOOK_REFUSED_NETWORKS: { ...networks, field: 'webhookRefusedNetworks' },
  WEBHOOK_PORTS: { ...ports, field: 'webhookPorts' },
} as const
