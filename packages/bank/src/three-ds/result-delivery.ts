import type { Certificates } from './certificates.ts'
import { clientAgent, postJson } from './post-json.ts'
import type { Message } from './protocol-error.ts'
import type { Schedule } from './schedule.ts'

const AGAIN_MS = 10_000
const GIVE_UP_MS = 600_000
/** The DS itself waits for the 3DS Server, twice at most. */
const READ_MS = 12_000

export interface ResultDeliveryParts {
  readonly certificates: Certificates
  readonly schedule: Schedule
  /** Address of the Directory Server. */
  readonly dsUrl: () => string
}

/**
 * Sends an RReq until it is answered: again at once, then every 10 seconds, for 10 minutes. True
 * once there is an RRes; false when the result is refused, or no server answers in that time.
 */
export async function deliverResult(
  { certificates, dsUrl, schedule }: ResultDeliveryParts,
  rreq: Message,
): Promise<boolean> {
  const agent = clientAgent(certificates['acs-client'], certificates.ca, null)
  const tries = GIVE_UP_MS / AGAIN_MS
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    if (attempt > 2) await new Promise<void>((resolve) => void schedule.after(AGAIN_MS, resolve))
    const result = await postJson({
      url: dsUrl(),
      json: JSON.stringify(rreq),
      timeoutMs: schedule.networkMs(READ_MS),
      agent,
    })
    if (result.kind !== 'answer' || result.status !== 200) continue
    const answer = JSON.parse(result.text) as Message
    if (answer['messageType'] === 'RRes') return true
    // No server was reached. Any other Erro rejects this result.
    if (!['402', '405'].includes(String(answer['errorCode']))) return false
  }
  return false
}
