import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import type { Secret } from '../../base/secret.ts'
import {
  decideActive,
  decideNetworkCount,
  decideNetworkList,
  decideNetworks,
  decideNewPassword,
  decideNewUser,
  decidePasswordMaker,
  decideReadsApi,
  decideRetirement,
  nameInUse,
  noSuchUser,
  passwordsChanged,
  rememberedHashes,
  stateOf,
  usedBefore,
  type NewPasswordPlace,
  type StoredPassword,
} from '../../domain/logins/api-user.ts'
import { decideRequestRate, type RequestRateLimit } from '../../domain/logins/request-rate.ts'
import type { AuditOperation, AuditAuthor, AuditEntry } from '../audit/audit-log.ts'
import type { ApiUserStore, ApiUserTx, LockedApiUser } from './api-user-store.ts'
import type { ApiUserAdmin, MadePassword } from './api-users.ts'

export interface ChangeApiUsersDeps {
  readonly store: ApiUserStore
  readonly by: AuditAuthor
  /** The portal user in whose name it happens; null for an operator. */
  readonly portalUserId: bigint | null
  readonly generatePassword: () => Secret
  readonly passwordFaults: (
    password: Secret,
    username: string,
    names: readonly string[],
  ) => string[]
  readonly hashPassword: (password: Secret, alongside?: string) => Promise<string>
  readonly matchPassword: (password: Secret, hashes: readonly string[]) => Promise<number>
}

/** A password that is hashed already, for the place that was free when it was. */
interface Prepared extends NewPasswordPlace {
  readonly ok: true
  readonly hash: string
  readonly generated: Secret | null
}

/**
 * Changes of API users by operators and portal users; each locks the API user, and is audited with
 * it.
 */
export function createApiUserAdmin(deps: ChangeApiUsersDeps): ApiUserAdmin {
  const { store, by } = deps

  function entryFor(
    user: Pick<LockedApiUser, 'name' | 'merchantId'>,
    operation: AuditOperation,
    details: NonNullable<AuditEntry['details']>,
  ): AuditEntry {
    const object = `api user ${user.name}`
    return { ...by, operation, object, merchantId: user.merchantId, result: 'done', details }
  }

  /** Reads the portal user's limit under a lock: it may be set while a password is hashed. */
  async function refuseMaker(tx: ApiUserTx): Promise<Refusal | null> {
    const { portalUserId: id } = deps
    return id === null ? null : decidePasswordMaker(await tx.hasRefundLimit(id))
  }

  /** Holds the user while `work` decides and writes. */
  function onUser<Done>(
    name: string,
    work: (tx: ApiUserTx, user: LockedApiUser) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return store.transact(async (tx) => {
      const user = await tx.lockUser(name)
      return user === null ? noSuchUser(name, await tx.countUsers()) : work(tx, user)
    })
  }

  /** Before anything is held: judging and hashing a password takes a good part of a second. */
  async function prepare(
    name: string,
    passwords: readonly StoredPassword[],
    given: Secret | null,
    readMerchantName: () => Promise<string>,
  ): Promise<Prepared | Refusal> {
    const place = decideNewPassword(name, passwords)
    if (!place.ok) return place
    if (given !== null) {
      const faults = deps.passwordFaults(given, name, [await readMerchantName()])
      if (faults.length > 0) return refused('invalid', faults)
      const last = rememberedHashes(passwords)
      if (last.length > 0 && (await deps.matchPassword(given, last)) !== -1) return usedBefore(name)
    }
    const password = given ?? deps.generatePassword()
    const hash = await deps.hashPassword(password, place.alongside ?? undefined)
    return { ...place, hash, generated: given === null ? password : null }
  }

  function setActive(name: string, active: boolean): Promise<Result> {
    return onUser(name, async (tx, user) => {
      const before = stateOf(user)
      const refusal = decideActive(user.name, before, active)
      if (refusal !== null) return refusal
      await tx.setActive(user.id, active)
      await tx.audit([entryFor(user, active ? 'user.enabled' : 'user.disabled', { before })])
      return { ok: true }
    })
  }

  return {
    list: (merchantId) => store.list(merchantId),

    async add(merchantId, name, given) {
      const prepared = await prepare(name, [], given, () =>
        store.readMerchantName(BigInt(merchantId)),
      )
      return store.transact(async (tx): Promise<Result<MadePassword>> => {
        const merchant = BigInt(merchantId)
        const refusal =
          (await refuseMaker(tx)) ?? decideNewUser(name, merchant, await tx.findMerchants(merchant))
        if (refusal !== null) return refusal
        if ((await tx.lockUser(name)) !== null) return nameInUse(name)
        if (!prepared.ok) return prepared
        const id = await tx.insertUser(merchant, name, by.actor)
        if (id === null) return nameInUse(name)
        const { number, generated } = prepared
        await tx.insertPassword(id, prepared, by.actor)
        const user = { name, merchantId: merchant }
        await tx.audit([
          entryFor(user, 'user.made', {}),
          entryFor(user, 'user.password_made', { password: number }),
        ])
        return { ok: true, number, generated }
      })
    },

    async addPassword(name, given) {
      const prepared = await prepare(name, await store.readPasswords(name), given, () =>
        store.readMerchantNameOf(name),
      )
      return onUser(name, async (tx, user): Promise<Result<MadePassword>> => {
        const refusal = await refuseMaker(tx)
        if (refusal !== null) return refusal
        const place = decideNewPassword(user.name, await tx.readPasswords(user.id))
        if (!place.ok) return place
        if (!prepared.ok) return prepared
        const isSamePlace =
          place.number === prepared.number && place.alongside === prepared.alongside
        if (!isSamePlace) return passwordsChanged(user.name)
        const { number, generated } = prepared
        await tx.insertPassword(user.id, prepared, by.actor)
        const details = { password: number, generated: generated !== null }
        await tx.audit([entryFor(user, 'user.password_made', details)])
        return { ok: true, number, generated }
      })
    },

    retirePassword: (name, number) =>
      onUser(name, async (tx, user) => {
        const decided = decideRetirement(user.name, await tx.readPasswords(user.id), number)
        if (!decided.ok) return decided
        await tx.retirePassword(user.id, number, by.actor)
        await tx.audit([entryFor(user, 'user.password_retired', { password: number })])
        return decided
      }),

    async allowFrom(name, wanted, seen) {
      const read = await readNetworks(store, wanted)
      if (!read.ok) return read
      const { networks } = read
      return onUser(name, async (tx, user): Promise<Result<{ readonly networks: string[] }>> => {
        const refusal = decideNetworks(user.name, user.allowedFrom, seen)
        if (refusal !== null) return refusal
        await tx.setAllowedFrom(user.id, networks)
        const details = { before: user.allowedFrom, after: networks }
        await tx.audit([entryFor(user, 'user.allowed_from', details)])
        return { ok: true, networks }
      })
    },

    disable: (name) => setActive(name, false),
    enable: (name) => setActive(name, true),
    setReadsApi: (name, readsApi) =>
      onUser(name, async (tx, user) => {
        const refusal = decideReadsApi(user.name, user.readsApi, readsApi)
        if (refusal !== null) return refusal
        await tx.setReadsApi(user.id, readsApi)
        const details = { before: user.readsApi, after: readsApi }
        await tx.audit([entryFor(user, 'user.api_set', details)])
        return { ok: true }
      }),
    setRequestRate: (name, rate) =>
      onUser(name, async (tx, user) => {
        const refusal = decideRequestRate(user.name, user.requestRate, rate)
        if (refusal !== null) return refusal
        await tx.setRequestRate(user.id, rate)
        const details = { before: rateText(user.requestRate), after: rateText(rate) }
        await tx.audit([entryFor(user, 'user.rate_set', details)])
        return { ok: true }
      }),
  }
}

function rateText(rate: RequestRateLimit | null): string | null {
  return rate === null ? null : `${rate.perSecond} a second, ${rate.burst} at once`
}

/** Networks as the database stores them: `192.0.2.7` becomes `192.0.2.7/32`. */
export async function readNetworks(
  store: Pick<ApiUserStore, 'readNetwork'>,
  wanted: readonly string[],
): Promise<Result<{ readonly networks: string[] }>> {
  const refusal = decideNetworkCount(wanted.length)
  if (refusal !== null) return refusal
  const read = []
  for (const text of wanted) read.push({ text, network: await store.readNetwork(text) })
  return decideNetworkList(read)
}
