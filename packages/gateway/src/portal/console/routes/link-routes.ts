import { consoleLinks as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import type { LinkSummary } from '../../../usecases/merchants/operator.ts'
import { orFault } from '../../shell/portal-route.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import type { OperateLinks } from '../usecases/operate-links.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

// The reader of the file judges them further.
const SENT = {
  file: z.string().max(20_000),
  pem: z
    .array(z.strictObject({ name: z.string().max(255), text: z.string().max(100_000) }))
    .max(10),
}

/** The routes of processor links. No answer has a key. */
export function linkRoutes(
  links: OperateLinks,
  readLinks: () => Promise<readonly LinkSummary[]>,
): readonly ConsoleRoute[] {
  return [
    implementConsole(table.list, { handle: async () => (await readLinks()).map(linkAnswer) }),
    implementConsole(table.preview, {
      body: z.strictObject(SENT),
      async handle({ body }) {
        const read = await links.judge(body)
        return read.ok ? { faults: [], link: read.judged } : { faults: read.faults, link: null }
      },
    }),
    implementConsole(table.put, {
      body: z.strictObject({ ...SENT, reason: z.string().trim().max(200) }),
      async handle({ session, address, body: { reason, ...sent } }) {
        const { done } = orFault(await links.put(requesterOf(session, address), sent, reason))
        return { done }
      },
    }),
  ]
}

function linkAnswer({ batchAgreement: _batches, ...link }: LinkSummary) {
  return link
}
