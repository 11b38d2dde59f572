import type { WholeFact } from './whole-fact.ts'

/** The part of an audited operation that integrators may know. */
export interface AuditedChange {
  readonly operation: string
  readonly object: string
  readonly isDone: boolean
  /** The names of what changed; values stay in the audit log. */
  readonly settings: readonly string[]
  readonly actor: string
}

const SITE = /^site (\d+)$/
const API_USER = /^api user (\S+)$/
/** A request of a portal user that changes nothing yet, or no setting. */
const NO_CHANGE =
  /^site\.(?:go_live_|reset$|clock_changed$|webhook_sent_again$|mail_tested$|mail_sent_again$)/

/** A change that integrators must know, and its object: a site by number, an API user by name. */
export type SettingChange = { readonly content: WholeFact } & (
  | { readonly type: 'site.changed'; readonly siteId: bigint }
  | { readonly type: 'api_user.changed'; readonly name: string }
)

/** The fact of an audited operation on a site or an API user; null for every other operation. */
export function settingChange(change: AuditedChange): SettingChange | null {
  const { actor, isDone, object, operation, settings } = change
  if (!isDone) return null
  const origin = actor.startsWith('portal:') ? 'PORTAL' : 'OPERATOR'
  const content = { mode: null, origin, data: { operation, settings } } as const
  const [, siteId] = SITE.exec(object) ?? []
  if (siteId !== undefined && !NO_CHANGE.test(operation)) {
    return { type: 'site.changed', siteId: BigInt(siteId), content }
  }
  const [, name] = API_USER.exec(object) ?? []
  if (name === undefined || !operation.startsWith('user.')) return null
  return {
    type: 'api_user.changed',
    name,
    content: { ...content, data: { operation, settings, username: name } },
  }
}
