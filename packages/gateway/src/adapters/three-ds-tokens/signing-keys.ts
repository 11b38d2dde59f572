import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type CryptoKey,
  type JWK,
} from 'jose'
import type { Clock } from '../../base/clock.ts'
import { Secret } from '../../base/secret.ts'
import type {
  SigningKeyStore,
  StoredSigningKey,
} from '../../usecases/three-ds/signing-key-store.ts'

export const ALGORITHM = 'ES256'

const ROTATE_AFTER_MS = 90 * 86_400_000
/**
 * The validity of the previous key after a new one. The longest token lives for 30 minutes, and a
 * process may sign with the old key until it reads again.
 */
export const GOOD_AFTER_ROTATION_MS = 3_600_000
/** How long a process goes on with what it read. */
const READ_AGAIN_AFTER_MS = 60_000
/** Tokens with made-up key ids must not become queries. */
const LOOK_FOR_UNKNOWN_AFTER_MS = 2_000

export interface SigningKeys {
  /** The pair to sign with; the first call ever makes it. */
  current(): Promise<{ readonly kid: string; readonly privateKey: CryptoKey }>
  /** The public key that a token names; null: none of ours, or one whose tokens are all expired. */
  find(kid: string): Promise<CryptoKey | null>
}

interface Known {
  readonly readAtMs: number
  /** The newest first. */
  readonly keys: readonly StoredSigningKey[]
}

/** The key pairs of the installation, as one process sees them. */
export function createSigningKeys(deps: {
  readonly store: SigningKeyStore
  readonly clock: Clock
  readonly monotonicMs: () => number
}): SigningKeys {
  const { store, clock, monotonicMs } = deps
  let known: Known | null = null
  let reading: Promise<Known> | null = null
  let signing: { readonly kid: string; readonly privateKey: CryptoKey } | null = null
  const publicKeys = new Map<string, CryptoKey>()

  function read(): Promise<Known> {
    reading ??= store
      .read()
      .then((keys) => (known = { readAtMs: monotonicMs(), keys }))
      .finally(() => (reading = null))
    return reading
  }

  async function fresh(withinMs: number): Promise<Known> {
    return known !== null && monotonicMs() - known.readAtMs < withinMs ? known : read()
  }

  function dueSince(): Date {
    return new Date(clock.now().getTime() - ROTATE_AFTER_MS)
  }

  async function makePair(): Promise<void> {
    const pair = await generateKeyPair(ALGORITHM, { extractable: true })
    const publicKey = await exportJWK(pair.publicKey)
    const privateKey = await exportJWK(pair.privateKey)
    const made = {
      kid: await calculateJwkThumbprint(publicKey),
      publicKey: JSON.stringify(publicKey),
      privateKey: new Secret(JSON.stringify(privateKey)),
      createdAt: clock.now(),
    }
    await store.add(made, dueSince())
  }

  return {
    async current() {
      let [newest] = (await fresh(READ_AGAIN_AFTER_MS)).keys
      if (newest === undefined || newest.createdAt < dueSince()) {
        await makePair()
        newest = (await read()).keys[0]
      }
      if (newest === undefined) throw new Error('The key that signs 3-D Secure tokens is gone.')
      if (signing?.kid !== newest.kid) {
        const opened = await newest.open()
        signing = { kid: newest.kid, privateKey: await importKey(opened.reveal()) }
      }
      return signing
    },

    async find(kid) {
      let { keys } = await fresh(READ_AGAIN_AFTER_MS)
      if (!keys.some((key) => key.kid === kid)) ({ keys } = await fresh(LOOK_FOR_UNKNOWN_AFTER_MS))
      const at = keys.findIndex((key) => key.kid === kid)
      const found = keys[at]
      if (found === undefined) return null
      const successor = keys[at - 1]
      const goodUntilMs = (successor?.createdAt.getTime() ?? Infinity) + GOOD_AFTER_ROTATION_MS
      if (clock.now().getTime() > goodUntilMs) return null
      const imported = publicKeys.get(kid) ?? (await importKey(found.publicKey))
      publicKeys.set(kid, imported)
      return imported
    },
  }
}

async function importKey(text: string): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(text) as JWK, ALGORITHM)
  if (key instanceof Uint8Array) throw new Error('A signing key is not an elliptic curve key.')
  return key
}
