import { consoleMerchants as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
import { idOf } from '../../shell/ids.ts'
import { orFault, type ServedCall } from '../../shell/portal-route.ts'
import { requesterOf, type ConsoleSession } from '../usecases/console-operator.ts'
import type { SetUpMerchants } from '../usecases/set-up-merchants.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

// The rules of the operations judge texts further.
const TEXT = z.string().trim().max(100)
const NAME = z.strictObject({ name: TEXT })
const NEW_ACCOUNT = z.strictObject({
  mode: z.enum(['test', 'live']),
  link: TEXT.nullable(),
  processorName: TEXT,
  acquirerId: TEXT.nullable(),
  acquirerMerchantId: TEXT,
  categoryCode: TEXT,
  name: TEXT,
  city: TEXT,
  country: TEXT,
  currencies: z.array(z.string().max(3)).max(50),
  sites: z
    .array(
      z
        .string()
        .regex(/^[1-9][0-9]{0,10}$/, 'expected the id of a site')
        .transform(Number),
    )
    .max(100),
})

/** The routes that create and rename merchants, sites and accounts. */
export function setUpRoutes(setUp: SetUpMerchants): readonly ConsoleRoute[] {
  return [
    implementConsole(table.create, {
      body: z.strictObject({ name: TEXT, timeZone: TEXT }),
      handle: async (call) => created(await setUp.createMerchant(byOf(call), call.body)),
    }),
    implementConsole(table.createSite, {
      body: z.strictObject({ name: TEXT, defaultCurrency: z.string().max(3) }),
      async handle(call) {
        const id = idOf(call.params.id, 'merchant')
        return created(await setUp.createSite(byOf(call), id, call.body))
      },
    }),
    implementConsole(table.createAccount, {
      body: NEW_ACCOUNT,
      async handle(call) {
        const id = idOf(call.params.id, 'merchant')
        return created(await setUp.createAccount(byOf(call), id, call.body))
      },
    }),
    implementConsole(table.rename, {
      body: NAME,
      async handle(call) {
        const id = idOf(call.params.id, 'merchant')
        return done(await setUp.renameMerchant(byOf(call), id, call.body.name))
      },
    }),
    implementConsole(table.renameSite, {
      body: NAME,
      async handle(call) {
        const id = idOf(call.params.id, 'site')
        return done(await setUp.renameSite(byOf(call), id, call.body.name))
      },
    }),
    implementConsole(table.renameAccount, {
      body: NAME,
      async handle(call) {
        const id = idOf(call.params.id, 'account')
        return done(await setUp.renameAccount(byOf(call), id, call.body.name))
      },
    }),
  ]
}

function byOf({
  session,
  address,
}: Pick<ServedCall<ConsoleSession, unknown, unknown>, 'session' | 'address'>) {
  return requesterOf(session, address)
}

function created(result: Result<{ readonly id: bigint }>) {
  return { id: orFault(result).id }
}

function done(result: Result): object {
  orFault(result)
  return {}
}
