import { setTimeout as pause } from 'node:timers/promises'
import type { MeasuredServer } from './measured-servers.ts'

const PAYMENT_PATH = '/payment/pmt_service.cfm'
const PREPARE_PATH = '/payment/3dsrequest.cfm'
/** Always authenticated without a challenge by the simulator. */
const CARD = '4000000000002701'
const DEADLINE_MS = 60_000
const SHOP = {
  req_username: 'demo@tollgate.test',
  req_password: 'Sandbox-4.14-demo',
  site_id: '1001',
  request_api_version: '4.14',
  request_response_format: 'JSON',
}

/**
 * Forms of enrolment calls that end without a challenge, each with a reference of its own, which
 * serves again and again. Waits until the gateway knows the card ranges; rejects when it never
 * does.
 */
export async function enrolments(server: MeasuredServer, count: number): Promise<string[]> {
  const bodies: string[] = []
  for (let at = 0; at < count; at += 1) {
    const prepared = await post(server, PREPARE_PATH, {
      ...SHOP,
      merch_acct_id: '2001',
      pmt_bin: CARD.slice(0, 6),
    })
    bodies.push(formOf(String(prepared['DDC_REFERENCEID'])).toString())
  }
  const end = performance.now() + DEADLINE_MS
  for (;;) {
    const answer = await post(server, PAYMENT_PATH, new URLSearchParams(bodies[0]))
    if (answer['P3DS_RESPONSE'] === 'Y') return bodies
    if (performance.now() > end)
      throw new Error('No cardholder was authenticated: the card ranges are not known.')
    await pause(200)
  }
}

function formOf(reference: string): URLSearchParams {
  return new URLSearchParams({
    ...SHOP,
    request_action: 'CCAUTHORIZE',
    pmt_numb: CARD,
    pmt_expiry: '122040',
    pmt_key: '123',
    li_value_1: '10.00',
    request_enrollment: '1',
    ddc_referenceid: reference,
    p3ds_return_url: 'https://shop.example/back',
    p3ds_browser_language: 'en',
    user_agent_xtl: 'Mozilla/5.0',
    p3ds_browser_header: 'text/html',
    p3ds_java_enabled: 'FALSE',
    p3ds_javascript_enabled: 'TRUE',
    p3ds_browser_color_depth: '24',
    p3ds_screen_height: '1080',
    p3ds_screen_width: '1920',
    p3ds_browser_time_zone: '60',
  })
}

async function post(
  { host, port }: MeasuredServer,
  path: string,
  fields: Readonly<Record<string, string>> | URLSearchParams,
): Promise<Record<string, unknown>> {
  const body = new URLSearchParams(fields)
  const answer = await fetch(`http://${host}:${port}${path}`, { method: 'POST', body })
  return (await answer.json()) as Record<string, unknown>
}
