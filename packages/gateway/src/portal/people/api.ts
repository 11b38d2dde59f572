// What the portal's API answers about people, accounts and the audit log. Types alone.
import type { Wire } from '../shell/api.ts'
import type * as invitations from '../shell/usecases/invitations.ts'
import type * as account from './usecases/account.ts'
import type * as audit from './usecases/audit-view.ts'
import type * as answers from './usecases/people-answers.ts'

export type Account = Wire<account.AccountView>
export type AuditEntries = Wire<audit.AuditPage>
export type AuditEntry = AuditEntries['entries'][number]
export type ChainCheck = Wire<answers.ChainCheckAnswer>
export type Invitation = Wire<invitations.InvitationView>
export type Link = Wire<answers.LinkAnswer>
export type NewSecondFactor = Wire<answers.NewSecondFactorAnswer>
export type People = Wire<answers.PeopleAnswer>
export type Person = People['people'][number]
export type Roles = Wire<answers.RolesAnswer>
