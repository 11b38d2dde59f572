import type { GatewayConfig } from '@tollgate/gateway/config'

/** The published credentials of the sandbox's demo merchant. They open nothing but the sandbox. */
const DEMO = {
  user: 'demo@tollgate.test',
  password: 'Sandbox-4.14-demo',
  siteId: '1001',
  merchantAccountId: '2001',
  tokenSiteKey: 'sandbox-site-key-1001',
  person: 'owner@tollgate.test',
  personPassword: 'Sandbox-4.14-portal',
} as const

const PAYMENT_PATH = '/payment/pmt_service.cfm'

/**
 * One line that makes a sale of 12.50 with a test card; plain enough to be pasted into any shell.
 */
export function saleCommand(baseUrl: string): string {
  const fields = {
    request_action: 'CCAUTHCAP',
    req_username: DEMO.user,
    req_password: DEMO.password,
    site_id: DEMO.siteId,
    request_api_version: '4.14',
    request_response_format: 'JSON',
    pmt_numb: '4111111111111111',
    pmt_expiry: '122040',
    pmt_key: '123',
    li_value_1: '12.50',
  }
  const options = Object.entries(fields).map(([name, value]) => `-d ${name}=${value}`)
  return `curl -sS '${baseUrl}${PAYMENT_PATH}' ${options.join(' ')}`
}

/**
 * What is printed once a payment can be taken. The first line is for scripts to wait for.
 * `bankPage`: where browsers find the simulated bank's page for 3-D Secure, if there is one.
 */
export function announcement(config: GatewayConfig, bankPage: string | null): string {
  const lines = [`tollgate ready ${config.baseUrl}`]
  if (config.mode === 'sandbox') {
    lines.push(
      '',
      'Sandbox credentials (published, so never for real cards):',
      `  API user          ${DEMO.user}`,
      `  API password      ${DEMO.password}`,
      `  SITE_ID           ${DEMO.siteId}`,
      `  MERCH_ACCT_ID     ${DEMO.merchantAccountId} (USD, EUR, GBP, JPY, KWD)`,
      `  token site key    ${DEMO.tokenSiteKey}`,
      `  portal            ${config.publicUrl}/portal`,
      `  portal sign-in    ${DEMO.person} with ${DEMO.personPassword}`,
    )
    if (config.tls !== null) {
      lines.push(`  HTTPS             port ${config.tls.port} (${tlsKind(config.tls.selfMade)})`)
    }
    lines.push(`  bank, ISO 8583    ${config.bank.host} port ${config.bank.port}`)
    if (config.bankControlPort !== null) {
      lines.push(
        `  bank, faults      http://127.0.0.1:${config.bankControlPort} (docs/test-bank.md)`,
      )
    }
    if (bankPage !== null) {
      lines.push(`  bank, 3-D Secure  ${bankPage} (open it once, so that your browser trusts it)`)
    }
    if (config.http !== null) lines.push('', 'A first payment:', saleCommand(config.baseUrl))
  }
  return `${lines.join('\n')}\n`
}

function tlsKind(selfMade: boolean): string {
  return selfMade ? 'self-made certificate' : 'your certificate'
}
