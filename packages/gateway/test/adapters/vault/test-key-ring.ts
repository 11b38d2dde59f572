import { createSecretKey, randomBytes } from 'node:crypto'
import type { KeyRing } from '../../../src/adapters/vault/key-ring.ts'
import type { DataKey } from '../../../src/adapters/vault/sealed-format.ts'

/** A random data key. */
export function aDataKey(id: number): DataKey {
  return { id, key: createSecretKey(randomBytes(32)) }
}

/** A ring of these keys, without a database; the last one encrypts. */
export function ringOf(...keys: readonly [DataKey, ...DataKey[]]): KeyRing {
  const held = new Map(keys.map((key) => [key.id, { kind: 'key', key } as const]))
  const look = (id: number) => held.get(id) ?? null
  return {
    fingerprintKey: FINGERPRINT_KEY,
    sealing: () => keys.at(-1) ?? keys[0],
    look,
    async find(id) {
      const found = look(id)
      if (found === null) throw new Error(`There is no data key ${id}.`)
      return found
    },
  }
}

const FINGERPRINT_KEY = createSecretKey(randomBytes(32))
