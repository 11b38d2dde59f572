import { readFileSync } from 'node:fs'
import { Secret } from '../base/secret.ts'
import type { DerivedConfig } from './derived-config.ts'
import { text } from './setting-kinds.ts'

type Shown = Pick<DerivedConfig, 'auditPush'>

const PROTOCOLS: readonly string[] = ['syslog+tls:', 'syslog+tcp:', 'https:', 'http:']

/**
 * Whether a text is the address of a receiver. User information and a query could be secrets, which
 * the settings and the doctor would show. Syslog has no path.
 */
function isReceiver(value: string): boolean {
  const url = URL.parse(value)
  if (url === null || !PROTOCOLS.includes(url.protocol) || url.hostname === '') return false
  if (/[?#@\s\\]/.test(value) || url.port === '0' || value.length > 2_048) return false
  return (url.protocol.startsWith('syslog') ? /^[^/]+\/\/[^/]+$/ : /^[^/]+\/\/[^/]/).test(value)
}

/** The settings of the receiver of the audit log, as rows of the table of settings. */
export const AUDIT_PUSH_SETTINGS = {
  AUDIT_PUSH_URL: {
    ...text(
      'an address such as syslog+tls://logs.example.com:6514 or https://logs.example.com/audit',
      isReceiver,
    ),
    shown: ({ auditPush }: Shown) => auditPush?.url ?? '(not sent)',
  },
  AUDIT_PUSH_CA: {
    ...text('a file', () => true),
    shown: ({ auditPush }: Shown) => (auditPush?.ca ? '(from the file)' : '(public authorities)'),
  },
  AUDIT_PUSH_SECRET: {
    ...text('16 to 1024 printable characters without spaces', (value) =>
      /^[!-~]{16,1024}$/.test(value),
    ),
    secret: true,
    shown: ({ auditPush }: Shown) => (auditPush?.secret ? '***' : '(none)'),
  },
} as const

/** The values of these settings. */
export interface AuditPushValues {
  readonly AUDIT_PUSH_URL: string
  readonly AUDIT_PUSH_CA: string
  readonly AUDIT_PUSH_SECRET: string
}

/** The receiver of these values, which were checked; null where none is named. */
export function auditPushOf(values: AuditPushValues): DerivedConfig['auditPush'] {
  if (values.AUDIT_PUSH_URL === '') return null
  return {
    url: values.AUDIT_PUSH_URL,
    ca: values.AUDIT_PUSH_CA === '' ? null : readFileSync(values.AUDIT_PUSH_CA, 'utf8'),
    secret: values.AUDIT_PUSH_SECRET === '' ? null : new Secret(values.AUDIT_PUSH_SECRET),
  }
}
