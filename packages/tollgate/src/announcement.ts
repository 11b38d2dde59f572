import { SANDBOX, saleCommand, type GatewayConfig } from '@tollgate/gateway/config'

/** The text printed when a payment can be taken. Scripts wait for its first line. */
export function announcement(config: GatewayConfig): string {
  const lines = [`tollgate ready ${config.baseUrl}`]
  if (config.mode === 'sandbox') {
    lines.push(
      '',
      'Sandbox credentials (published, so never for real cards):',
      `  API user          ${SANDBOX.apiUser}`,
      `  API password      ${SANDBOX.apiPassword}`,
      `  SITE_ID           ${SANDBOX.siteId}`,
      `  MERCH_ACCT_ID     ${SANDBOX.merchantAccountId} (USD, EUR, GBP, JPY, KWD)`,
      `  token site key    ${SANDBOX.tokenSiteKey}`,
      `  welcome page      ${config.publicUrl}/`,
      `  portal            ${config.portalUrl}/portal`,
      `  portal sign-in    ${SANDBOX.portalUser} with ${SANDBOX.portalPassword}`,
    )
    if (config.tls !== null) {
      lines.push(`  HTTPS             port ${config.tls.port} (${tlsKind(config.tls.selfMade)})`)
    }
    lines.push(`  bank, ISO 8583    ${bankText(config)}`)
    if (config.bundledBank === 'on' && config.bankControlPort !== null) {
      lines.push(
        `  bank, faults      http://127.0.0.1:${config.bankControlPort} (docs/test-bank.md)`,
      )
    }
    if (config.http !== null) lines.push('', 'A first payment:', saleCommand(config.baseUrl))
  }
  return `${lines.join('\n')}\n`
}

function bankText({ bank, bundledBank }: GatewayConfig): string {
  if (bundledBank === 'off') return 'none (BANK=off): test payments fail'
  return `${bank.host} port ${bank.port}${bundledBank === 'shared' ? ' (shared)' : ''}`
}

function tlsKind(selfMade: boolean): string {
  return selfMade ? 'self-signed certificate' : 'your certificate'
}
