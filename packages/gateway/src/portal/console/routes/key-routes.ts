import { consoleKeys as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { orFault } from '../../shell/portal-route.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import type { RequestKeyOperation } from '../usecases/request-key-operations.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

const REASON = z.string().trim().max(200)
const NUMBER = z.number().int().min(0).max(2_147_483_647)

/** The routes that request operations on encryption keys and on all cards. */
export function keyRoutes(request: RequestKeyOperation): readonly ConsoleRoute[] {
  return [
    implementConsole(table.destroy, {
      body: z.strictObject({ key: NUMBER, unreadable: NUMBER, reason: REASON }),
      async handle({ session, address, body: { key: keyId, unreadable, reason } }) {
        const operation = { does: 'destroy_key', keyId, unreadable } as const
        return orFault(await request(requesterOf(session, address), operation, reason))
      },
    }),
    implementConsole(table.export, {
      body: z.strictObject({
        key: z
          .string()
          .trim()
          .regex(/^[a-p]{16}$/),
        reason: REASON,
      }),
      async handle({ session, address, body: { key: keyName, reason } }) {
        const operation = { does: 'export_vault', keyName } as const
        return orFault(await request(requesterOf(session, address), operation, reason))
      },
    }),
    implementConsole(table.replace, {
      body: z.strictObject({
        to: z
          .string()
          .trim()
          .regex(/^(?:local|kms|transit):[\w./:-]{1,2048}$/)
          .refine((id) => !/\d{13}/.test(id), 'It has the digits of a card number.'),
        reason: REASON,
      }),
      async handle({ session, address, body: { to, reason } }) {
        const operation = { does: 'replace_kek', to } as const
        return orFault(await request(requesterOf(session, address), operation, reason))
      },
    }),
  ]
}
