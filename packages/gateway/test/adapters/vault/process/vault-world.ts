import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCardVault } from '../../../../src/adapters/vault/card-vault.ts'
import type { KeyRing } from '../../../../src/adapters/vault/key-ring.ts'
import { createPlaceSeal } from '../../../../src/adapters/vault/place-seal.ts'
import {
  createOpeningLimit,
  type OpeningLimit,
} from '../../../../src/adapters/vault/process/policy.ts'
import { createRemoteVault } from '../../../../src/adapters/vault/process/remote-vault.ts'
import {
  connectToVault,
  type VaultClient,
} from '../../../../src/adapters/vault/process/vault-client.ts'
import {
  startVaultServer,
  type VaultServer,
} from '../../../../src/adapters/vault/process/vault-server.ts'
import type { VaultWork } from '../../../../src/adapters/vault/process/vault-work.ts'
import { createSecurityCodeSeal } from '../../../../src/adapters/vault/security-code-seal.ts'
import { Secret } from '../../../../src/base/secret.ts'
import type { AuditEntry } from '../../../../src/usecases/audit/audit-log.ts'
import type { Reencryption } from '../../../../src/usecases/vault/reencrypt.ts'

export const SECRET = new Secret('the secret of this node')
export const DESTROYED = { at: new Date('2026-11-21T10:00:00Z'), by: 'operator:ada' } as const

/** The vault with keys of its own, without a database. */
export interface VaultWorld {
  readonly work: VaultWork
  readonly entries: AuditEntry[]
}

export interface WorldOptions {
  readonly append?: (entry: AuditEntry) => Promise<void>
  readonly reencryption?: Reencryption
}

export function ownVault(
  keys: KeyRing,
  { append = async () => undefined, reencryption = NOTHING_TO_DO }: WorldOptions = {},
  actor = 'gateway:test:1',
): VaultWorld {
  const entries: AuditEntry[] = []
  const audit = {
    async append(entry: AuditEntry) {
      await append(entry)
      entries.push(entry)
    },
  }
  const vault = createCardVault({ keys, audit, actor, onUnreadable: () => undefined })
  const places = createPlaceSeal(keys)
  return {
    work: { vault, places, codes: createSecurityCodeSeal(keys), reencryption },
    entries,
  }
}

const NOTHING_TO_DO: Reencryption = { step: async () => null }

/** A server at a socket of its own, and a client of it. */
export interface ServedVault extends VaultWorld {
  readonly path: string
  readonly client: VaultClient
  readonly states: string[]
  readonly turnedAway: string[]
  readonly limits: number[]
  /** Ends the server at once, and starts another with the same keys. */
  restart(): Promise<void>
  stopServer(): Promise<void>
  stop(): Promise<void>
}

export async function servedVault(
  keys: KeyRing,
  options: WorldOptions & { readonly openings?: OpeningLimit } = {},
): Promise<ServedVault> {
  const folder = mkdtempSync(join(tmpdir(), 'vault-'))
  const path = join(folder, 'vault.sock')
  const { entries, work } = ownVault(keys, options)
  const states: string[] = []
  const turnedAway: string[] = []
  const limits: number[] = []
  const start = (): Promise<VaultServer> =>
    startVaultServer({
      path,
      secret: SECRET,
      digestKey: 'ab'.repeat(32),
      workFor: (actor) => {
        const own = ownVault(keys, { append: async (entry) => void entries.push(entry) }, actor)
        return actor === 'gateway:test:1' ? work : own.work
      },
      openings: options.openings ?? createOpeningLimit(1_000, () => 0),
      isUnavailable: (error) => error instanceof Error && error.message === 'away',
      onLimit: () => limits.push(1),
      onWorked: () => undefined,
      onTurnedAway: (why) => turnedAway.push(why),
    })
  let server = await start()
  const client = connectToVault({
    socket: { path, secret: SECRET },
    actor: 'gateway:test:1',
    monotonicMs: () => performance.now(),
    onState: (state) => states.push(state),
    onAnswered: () => undefined,
  })
  const destroyed = {
    find: (id: number) => (keys.look(id)?.kind === 'destroyed' ? DESTROYED : null),
    refresh: async () => undefined,
  }
  return {
    work: createRemoteVault(client, destroyed),
    entries,
    path,
    client,
    states,
    turnedAway,
    limits,
    async restart() {
      await server.stop()
      server = await start()
    },
    stopServer: () => server.stop(),
    async stop() {
      client.close()
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
