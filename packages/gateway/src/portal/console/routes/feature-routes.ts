import { consoleFeatures as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { refused, type Result } from '../../../base/refusal.ts'
import type { AccountDetails } from '../../../domain/merchants/account-details.ts'
import type { AccountThreeDs } from '../../../domain/merchants/account-three-ds.ts'
import { isReturnHost } from '../../../http/payment/return-url.ts'
import { idOf } from '../../shell/ids.ts'
import { orFault } from '../../shell/portal-route.ts'
import { THREE_DS_POLICY } from '../../shell/three-ds-policy-body.ts'
import { cardTextFault, likeCardFault } from '../domain/new-merchant-parts.ts'
import { requesterOf } from '../usecases/console-operator.ts'
import type { OperateFeatures } from '../usecases/operate-features.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

const REASON = z.string().trim().max(200)

/** Reads a registration for 3-D Secure as the file of an account does, from JSON text. */
export type ReadThreeDs = (text: string) => Result<{ readonly threeDs: AccountThreeDs }>

/** Reads the details of an account as its file does, from JSON text. */
export type ReadDetails = (text: string) => Result<{ readonly details: AccountDetails }>

const TEXT = z.string().trim().max(100)

/** The routes of details, of 3-D Secure and of unreferenced credits. */
export function featureRoutes(
  features: OperateFeatures,
  readThreeDs: ReadThreeDs,
  readDetails: ReadDetails,
): readonly ConsoleRoute[] {
  return [
    implementConsole(table.setDetails, {
      body: z.strictObject({
        categoryCode: TEXT,
        name: TEXT,
        city: TEXT,
        country: TEXT,
        currencies: z.array(z.string().max(3)).max(50),
        reason: REASON,
      }),
      async handle({ session, address, params, body }) {
        const { reason, ...typed } = body
        const fault = cardTextFault({ ...typed, currencies: typed.currencies.join() })
        const { details } = orFault(fault ?? readDetails(JSON.stringify(typed)))
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'account')
        return { done: orFault(await features.setDetails(requester, id, details, reason)).done }
      },
    }),
    implementConsole(table.setAccountThreeDs, {
      body: z.strictObject({
        requestorId: z.string().trim().max(100),
        requestorUrl: z.string().trim().max(3_000),
        reason: REASON,
      }),
      async handle({ session, address, params, body }) {
        const { reason, ...typed } = body
        const { threeDs } = orFault(readTyped(typed, readThreeDs))
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'account')
        const set = await features.setAccountThreeDs(requester, id, threeDs, reason)
        return { done: orFault(set).done }
      },
    }),
    implementConsole(table.setSiteThreeDs, {
      body: z.strictObject({ policy: THREE_DS_POLICY, seen: THREE_DS_POLICY, reason: REASON }),
      async handle({ session, address, params, body }) {
        const { policy, seen, reason } = body
        const fault = hostsFault(policy.returnHosts)
        if (fault !== null) orFault(fault)
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'site')
        const set = await features.setSiteThreeDs(requester, id, policy, seen, reason)
        return { done: orFault(set).done }
      },
    }),
    implementConsole(table.setUnreferencedCredits, {
      body: z.strictObject({ allowed: z.boolean(), reason: REASON }),
      async handle({ session, address, params, body }) {
        const requester = requesterOf(session, address)
        const id = idOf(params.id, 'account')
        const set = await features.setUnreferencedCredits(requester, id, body.allowed, body.reason)
        return { done: orFault(set).done }
      },
    }),
  ]
}

/** Two empty fields take the registration away. */
function readTyped(
  typed: AccountThreeDs,
  readThreeDs: ReadThreeDs,
): Result<{ readonly threeDs: AccountThreeDs | null }> {
  if (typed.requestorId === '' && typed.requestorUrl === '') return { ok: true, threeDs: null }
  const fault =
    likeCardFault('requestorId', typed.requestorId) ??
    cardTextFault({ requestorUrl: typed.requestorUrl })
  return fault ?? readThreeDs(JSON.stringify(typed))
}

function hostsFault(hosts: readonly string[]) {
  const fault = cardTextFault({ returnHosts: hosts.join(' ') })
  const wrong = hosts.find((host) => !isReturnHost(host))
  if (fault !== null || wrong === undefined) return fault
  const sentence =
    `${wrong} is not a valid host. Enter a name such as shop.example, in lower case and without ` +
    'a port.'
  return refused('invalid', sentence, { field: 'returnHosts' })
}
