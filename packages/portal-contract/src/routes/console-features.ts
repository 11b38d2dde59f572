import type { AccountDetails, DoneOrRequested } from '../answers/console.ts'
import type { ThreeDsPolicy } from '../answers/settings.ts'
import type { ConsoleRight } from '../console-rights.ts'
import { methodsOf } from '../route.ts'

const { put } = methodsOf<ConsoleRight>()

/** Details of accounts, 3-D Secure of accounts and sites, and unreferenced credits. */
export const consoleFeatures = {
  setDetails: put('/accounts/:id/details', 'merchants.change').answers<
    DoneOrRequested,
    { body: AccountDetails & { readonly reason: string } }
  >(),
  /** Two empty texts take the registration away. */
  setAccountThreeDs: put('/accounts/:id/three-ds', 'merchants.change').answers<
    DoneOrRequested,
    {
      body: {
        readonly requestorId: string
        readonly requestorUrl: string
        readonly reason: string
      }
    }
  >(),
  /** `seen`: the settings that the operator was shown. */
  setSiteThreeDs: put('/sites/:id/three-ds', 'merchants.change').answers<
    DoneOrRequested,
    {
      body: {
        readonly policy: ThreeDsPolicy
        readonly seen: ThreeDsPolicy
        readonly reason: string
      }
    }
  >(),
  setUnreferencedCredits: put('/accounts/:id/unreferenced-credits', 'merchants.change').answers<
    DoneOrRequested,
    { body: { readonly allowed: boolean; readonly reason: string } }
  >(),
}
