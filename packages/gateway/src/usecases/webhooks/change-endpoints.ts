import type { Result } from '../../base/refusal.ts'
import type { Secret } from '../../base/secret.ts'
import {
  doubledEndpoint,
  draftRefusal,
  noSuchEndpoint,
  removalRefusal,
  rotationRefusal,
  tooManyEndpoints,
  type EndpointDraft,
} from '../../domain/webhooks/endpoint-draft.ts'
import type { OutwardRules } from '../../domain/webhooks/outward-rules.ts'
import { liveSiteRefusal } from '../../domain/webhooks/receiver-answer.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import { onLockedSite, type SiteEntry } from '../merchants/locked-site.ts'
import type { SealedSecret } from './delivery-ports.ts'
import type { EndpointStore, EndpointTx, ResendFilter } from './endpoint-store.ts'

export interface ChangeEndpointsDeps {
  readonly store: Pick<EndpointStore, 'transact'>
  readonly rulesOf: (mode: 'test' | 'live') => OutwardRules
  readonly newSecret: () => Secret
  /** Called before the site is locked, because it may load a key. */
  readonly openSeal: () => Promise<(endpointId: bigint, secret: Secret) => Promise<SealedSecret>>
}

type WithSecret = Result<{ readonly secret: Secret }>
type Added = Result<{ readonly id: bigint; readonly secret: Secret }>

/** Changes of a site's endpoints. Each is decided under the site's lock, and audited with it. */
export interface ChangeEndpoints {
  /** The secret is returned this once. */
  add(siteId: bigint, draft: EndpointDraft, by: AuditAuthor): Promise<Added>
  /** The same for the sandbox's own receiver of that id, on a test site. */
  addReceiver(
    siteId: bigint,
    receiverId: string,
    draft: EndpointDraft,
    by: AuditAuthor,
  ): Promise<Added>
  change(
    siteId: bigint,
    id: bigint,
    changes: Partial<EndpointDraft>,
    by: AuditAuthor,
  ): Promise<Result>
  remove(siteId: bigint, id: bigint, by: AuditAuthor): Promise<Result>
  /** The secret before the new one signs too, until it is removed. */
  rotate(siteId: bigint, id: bigint, by: AuditAuthor): Promise<WithSecret>
  removeOldSecret(siteId: bigint, id: bigint, by: AuditAuthor): Promise<Result>
  pause(siteId: bigint, id: bigint, by: AuditAuthor): Promise<Result>
  /** Delivers on, also what came since the pause. */
  resume(siteId: bigint, id: bigint, by: AuditAuthor): Promise<Result>
  /** Records an event that only this endpoint receives. */
  test(siteId: bigint, id: bigint, by: AuditAuthor): Promise<Result>
  sendAgain(
    siteId: bigint,
    id: bigint,
    filter: ResendFilter,
    by: AuditAuthor,
  ): Promise<Result<{ readonly count: number }>>
}

export function createChangeEndpoints(deps: ChangeEndpointsDeps): ChangeEndpoints {
  const { newSecret, openSeal, rulesOf, store } = deps
  type Locked = NonNullable<Awaited<ReturnType<EndpointTx['lock']>>>
  const onEndpoint = <Done>(
    siteId: bigint,
    id: bigint,
    by: AuditAuthor,
    work: (tx: EndpointTx, endpoint: Locked, entry: SiteEntry) => Promise<Result<Done>>,
  ): Promise<Result<Done>> =>
    onLockedSite(store.transact, siteId, by, async (tx, entry) => {
      const endpoint = await tx.lock(siteId, id)
      return endpoint === null ? noSuchEndpoint(id) : work(tx, endpoint, entry)
    })
  const about = (id: bigint) => ({ endpoint: Number(id) })
  const addFor = async (
    receiverId: string | null,
    siteId: bigint,
    draft: EndpointDraft,
    by: AuditAuthor,
  ): Promise<Added> => {
    const seal = await openSeal()
    return onLockedSite(store.transact, siteId, by, async (tx, entry) => {
      const mode = await tx.readMode(siteId)
      const refusal =
        (receiverId === null ? null : liveSiteRefusal(siteId, mode)) ??
        draftRefusal(draft, rulesOf(mode)) ??
        tooManyEndpoints(siteId, await tx.count(siteId)) ??
        doubledEndpoint(await tx.findSame(siteId, draft, null))
      if (refusal !== null) return refusal
      const id = await tx.nextId()
      const secret = newSecret()
      await tx.add({ siteId, id }, draft, await seal(id, secret))
      if (receiverId !== null) await tx.addReceiver(siteId, id, receiverId)
      await tx.audit([entry('site.webhook_added', { ...about(id), ...shown(draft) })])
      return { ok: true, id, secret }
    })
  }

  return {
    add: (siteId, draft, by) => addFor(null, siteId, draft, by),
    addReceiver: (siteId, receiverId, draft, by) => addFor(receiverId, siteId, draft, by),
    change: (siteId, id, changes, by) =>
      onEndpoint(siteId, id, by, async (tx, before, entry) => {
        const draft = { url: changes.url ?? before.url, types: changes.types ?? before.types }
        const refusal =
          draftRefusal(draft, rulesOf(await tx.readMode(siteId))) ??
          doubledEndpoint(await tx.findSame(siteId, draft, id))
        if (refusal !== null) return refusal
        await tx.change(id, draft)
        await tx.audit([entry('site.webhook_changed', { ...about(id), ...shown(draft) })])
        return { ok: true }
      }),
    remove: (siteId, id, by) =>
      onEndpoint(siteId, id, by, async (tx, before, entry) => {
        await tx.remove(id)
        await tx.audit([entry('site.webhook_removed', { ...about(id), ...shown(before) })])
        return { ok: true }
      }),
    async rotate(siteId, id, by) {
      const seal = await openSeal()
      return onEndpoint(siteId, id, by, async (tx, { secrets }, entry) => {
        const refusal = rotationRefusal(secrets)
        if (refusal !== null) return refusal
        const secret = newSecret()
        await tx.addSecret(id, await seal(id, secret))
        await tx.audit([entry('site.webhook_secret_made', about(id))])
        return { ok: true, secret }
      })
    },
    removeOldSecret: (siteId, id, by) =>
      onEndpoint(siteId, id, by, async (tx, { secrets }, entry) => {
        const refusal = removalRefusal(secrets)
        if (refusal !== null) return refusal
        await tx.removePreviousSecret(id)
        await tx.audit([entry('site.webhook_secret_removed', about(id))])
        return { ok: true }
      }),
    pause: (siteId, id, by) =>
      onEndpoint(siteId, id, by, async (tx, { state }, entry) => {
        // One that is disabled stays so: nothing is sent to it either.
        if (state === 'disabled') return { ok: true }
        await tx.setState(id, 'paused', 'requested')
        if (state === 'enabled') await tx.recordEvent(id, 'endpoint.paused', originOf(by))
        await tx.audit([entry('site.webhook_paused', about(id))])
        return { ok: true }
      }),
    resume: (siteId, id, by) =>
      onEndpoint(siteId, id, by, async (tx, { state }, entry) => {
        if (state === 'enabled') return { ok: true }
        await tx.setState(id, 'enabled', '')
        await tx.recordEvent(id, 'endpoint.resumed', originOf(by))
        await tx.audit([entry('site.webhook_resumed', about(id))])
        return { ok: true }
      }),
    test: (siteId, id, by) =>
      onEndpoint(siteId, id, by, async (tx) => {
        await tx.recordEvent(id, 'endpoint.tested', originOf(by))
        return { ok: true }
      }),
    sendAgain: (siteId, id, filter, by) =>
      onEndpoint(siteId, id, by, async (tx, _, entry) => {
        const count = await tx.sendAgain(id, filter)
        await tx.audit([entry('site.webhook_sent_again', { ...about(id), deliveries: count })])
        return { ok: true, count }
      }),
  }
}

/** For the audit log: without the query of the URL, which may hold a secret of the merchant. */
function shown({ types, url }: EndpointDraft) {
  const { host, pathname, protocol } = new URL(url)
  return { url: `${protocol}//${host}${pathname}`, types: types.join(' ') }
}

function originOf({ actor }: AuditAuthor): 'API' | 'PORTAL' | 'OPERATOR' {
  if (actor.startsWith('api:')) return 'API'
  return actor.startsWith('portal:') ? 'PORTAL' : 'OPERATOR'
}
