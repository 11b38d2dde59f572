import { merchant } from '@tollgate/portal-contract/routes/settings'
import { z } from 'zod'
import type { ChangeTimeZone } from '../../../usecases/merchants/change-time-zone.ts'
import { orFault, implement, type PortalRoute } from '../../shell/portal-route.ts'
import { authorOf } from './outcome.ts'

/** No IANA name is nearly as long. */
const ZONE = z.string().min(1).max(100)

export interface MerchantRoutesDeps {
  readonly changeTimeZone: ChangeTimeZone
}

/** Settings of the whole merchant. */
export function merchantRoutes({ changeTimeZone }: MerchantRoutesDeps): readonly PortalRoute[] {
  return [
    implement(merchant.changeTimeZone, {
      body: z.strictObject({ timeZone: ZONE, seen: ZONE }),
      async handle(call) {
        orFault(await changeTimeZone(call.portalUser.merchantId, call.body, authorOf(call)))
        return { timeZone: call.body.timeZone }
      },
    }),
  ]
}
