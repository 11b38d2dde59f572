import type { ConsoleFees, FeePreview } from '../answers/console-fees.ts'
import type {
  ConsoleHealth,
  ConsoleLink,
  ConsoleMerchant,
  ConsoleMerchantSummary,
  ConsoleRequest,
  ConsoleSessionView,
  Created,
  DoneOrRequested,
  LinkPreview,
  NewConsoleAccount,
  OperatorLink,
  OperatorSummary,
} from '../answers/console.ts'
import type { PortalUserSummary, SupportVisit } from '../answers/portal-users.ts'
import type { ConsoleRight, ConsoleRole } from '../console-rights.ts'
import { methodsOf } from '../route.ts'
import { sessionTable } from './session.ts'

export { consoleFeatures } from './console-features.ts'

const { get, post, put } = methodsOf<ConsoleRight>()

/** The path of the console's API. */
export const CONSOLE_API = '/console/api'

/** Signing in to the console and out of it. */
export const consoleSession = sessionTable<ConsoleSessionView>()

/** An operator's own access. The addresses are those of the portal, whose pages call them too. */
export const consoleAccount = {
  changePassword: put('/account/password', null).answers<
    object,
    { body: { readonly password: string; readonly newPassword: string } }
  >(),
  beginSecondFactor: post('/account/second-factor/begin', null, 'second_factor').answers<{
    readonly secret: string
    readonly uri: string
    readonly sealed: string
  }>(),
  setSecondFactor: post('/account/second-factor', null, 'second_factor').answers<
    { readonly recoveryCodes: readonly string[] },
    {
      body: { readonly sealed: string; readonly code: string; readonly password: string | null }
    }
  >(),
}

interface Name {
  body: { readonly name: string }
}

export const consoleMerchants = {
  list: get('/merchants', 'merchants.see').answers<readonly ConsoleMerchantSummary[]>(),
  read: get('/merchants/:id', 'merchants.see').answers<ConsoleMerchant>(),
  create: post('/merchants', 'merchants.change').answers<
    Created,
    { body: { readonly name: string; readonly timeZone: string } }
  >(),
  rename: put('/merchants/:id/name', 'merchants.change').answers<object, Name>(),
  createSite: post('/merchants/:id/sites', 'merchants.change').answers<
    Created,
    { body: { readonly name: string; readonly defaultCurrency: string } }
  >(),
  renameSite: put('/sites/:id/name', 'merchants.change').answers<object, Name>(),
  createAccount: post('/merchants/:id/accounts', 'merchants.change').answers<
    Created,
    { body: NewConsoleAccount }
  >(),
  renameAccount: put('/accounts/:id/name', 'merchants.change').answers<object, Name>(),
  disable: post('/merchants/:id/disable', 'merchants.change').answers<
    DoneOrRequested,
    { body: { readonly reason: string } }
  >(),
  enable: post('/merchants/:id/enable', 'merchants.change').answers<DoneOrRequested>(),
  /** Amounts as decimal text; an empty one takes the limit away. */
  setLimits: put('/accounts/:id/limits', 'merchants.change').answers<
    DoneOrRequested,
    {
      body: {
        readonly currency: string
        readonly payment: string
        readonly day: string
        readonly reason: string
      }
    }
  >(),
  /** Countries as two letters each, between blanks or commas; `any` names none. */
  setCountries: put('/accounts/:id/countries', 'merchants.change').answers<
    DoneOrRequested,
    {
      body: {
        readonly rule: 'any' | 'allow' | 'refuse'
        readonly codes: string
        readonly reason: string
      }
    }
  >(),
  /** No brand names all of them. */
  setDemands: put('/accounts/:id/demands', 'merchants.change').answers<
    DoneOrRequested,
    {
      body: {
        readonly brands: readonly string[]
        readonly requiredFields: readonly string[]
        readonly reason: string
      }
    }
  >(),
}

/** The portal users of a merchant. */
export const consolePortalUsers = {
  /** By name. */
  list: get('/merchants/:id/portal-users', 'merchants.see').answers<
    readonly Omit<PortalUserSummary, 'merchantId' | 'refundLimit'>[]
  >(),
  /** The owner of a merchant without portal users. */
  inviteFirst: post('/merchants/:id/portal-users', 'merchants.change').answers<
    { readonly link: OperatorLink },
    { body: { readonly email: string; readonly name: string } }
  >(),
  /** Removes password and second factor. The link is null where a second operator confirms. */
  reset: post('/portal-users/:id/reset', 'merchants.change').answers<
    DoneOrRequested & { readonly link: OperatorLink | null },
    { body: { readonly reason: string } }
  >(),
}

/** Plans of fees. Texts of plans are as in the file of the command. */
export const consoleFees = {
  read: get('/merchants/:id/fees', 'merchants.see').answers<ConsoleFees>(),
  /** Judges a plan and prices one payment by it. Stores nothing. */
  preview: post('/merchants/:id/fees/preview', 'merchants.change').answers<
    FeePreview,
    { body: { readonly plan: string; readonly amount: string; readonly currency: string } }
  >(),
  put: put('/merchants/:id/fees', 'merchants.change').answers<
    DoneOrRequested,
    { body: { readonly plan: string; readonly reason: string } }
  >(),
}

/** The file of a link, as the command reads it, and the PEM files that it names. */
interface LinkFiles {
  readonly file: string
  readonly pem: readonly { readonly name: string; readonly text: string }[]
}

export const consoleLinks = {
  /** By name. */
  list: get('/links', 'merchants.see').answers<readonly ConsoleLink[]>(),
  /** Judges a link beside the stored one. Stores nothing. */
  preview: post('/links/preview', 'merchants.change').answers<LinkPreview, { body: LinkFiles }>(),
  put: put('/links', 'merchants.change').answers<
    DoneOrRequested,
    { body: LinkFiles & { readonly reason: string } }
  >(),
}

/** Read-only visits to the portal of a merchant, at the address of the console. */
export const consoleVisits = {
  /** Of a merchant, newest first, at most 50. */
  list: get('/merchants/:id/visits', 'merchants.see').answers<readonly SupportVisit[]>(),
  begin: post('/merchants/:id/visits', 'support.visit').answers<
    object,
    { body: { readonly reason: string; readonly minutes: number } }
  >(),
  end: post('/visits/:id/end', 'support.visit').answers<object>(),
}

export const consoleOperators = {
  list: get('/operators', 'operators.see').answers<readonly OperatorSummary[]>(),
  /** As a viewer; a second operator confirms any other role. */
  invite: post('/operators', 'operators.change').answers<
    { readonly link: OperatorLink },
    { body: { readonly email: string; readonly name: string } }
  >(),
  setRole: put('/operators/:id/role', 'operators.change').answers<
    DoneOrRequested,
    { body: { readonly role: ConsoleRole } }
  >(),
  setActive: put('/operators/:id/active', 'operators.change').answers<
    DoneOrRequested,
    { body: { readonly active: boolean } }
  >(),
  /** The link is for an operator who never signed in; any other waits for a second operator. */
  reset: post('/operators/:id/reset', 'operators.change').answers<
    DoneOrRequested & { readonly link: OperatorLink | null }
  >(),
}

export const consoleHealth = {
  read: get('/health', 'health.see').answers<ConsoleHealth>(),
}

/** Operations on encryption keys that a command does after a second operator approved them. */
export const consoleKeys = {
  destroy: post('/keys/destroy', 'keys.change').answers<
    object,
    { body: { readonly key: number; readonly unreadable: number; readonly reason: string } }
  >(),
  /** `key` is the name of the key that the file is encrypted under. */
  export: post('/keys/export', 'keys.change').answers<
    object,
    { body: { readonly key: string; readonly reason: string } }
  >(),
  /** `to` is the id of the new key-encrypting key. */
  replace: post('/keys/replace', 'keys.change').answers<
    object,
    { body: { readonly to: string; readonly reason: string } }
  >(),
}

export const consoleRequests = {
  list: get('/requests', 'requests.see').answers<readonly ConsoleRequest[]>(),
  /** The link of a reset goes to the operator who approves it. */
  approve: post('/requests/:id/approve', 'requests.see').answers<{
    readonly link: OperatorLink | null
  }>(),
  refuse: post('/requests/:id/refuse', 'requests.see').answers<object>(),
  withdraw: post('/requests/:id/withdraw', 'requests.see').answers<object>(),
}
