/** The published credentials of the sandbox's demo merchant. They open only the sandbox. */
export const SANDBOX = {
  apiUser: 'demo@tollgate.test',
  apiPassword: 'Sandbox-4.14-demo',
  siteId: '1001',
  merchantAccountId: '2001',
  tokenSiteKey: 'sandbox-site-key-1001',
  portalUser: 'owner@tollgate.test',
  portalPassword: 'Sandbox-4.14-portal',
} as const

const PAYMENT_PATH = '/payment/pmt_service.cfm'

/**
 * One line that makes a sale of 12.50 with a test card; plain enough to be pasted into any shell.
 */
export function saleCommand(baseUrl: string): string {
  const fields = {
    request_action: 'CCAUTHCAP',
    req_username: SANDBOX.apiUser,
    req_password: SANDBOX.apiPassword,
    site_id: SANDBOX.siteId,
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
