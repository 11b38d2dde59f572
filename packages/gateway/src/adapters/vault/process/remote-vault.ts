import { invariant } from '../../../base/invariant.ts'
import { Secret } from '../../../base/secret.ts'
import { CardNumber } from '../../../domain/payments/card-number.ts'
import {
  CardUnreadableError,
  VaultUnavailableError,
  type CardVault,
} from '../../../usecases/vault/card-vault.ts'
import { dataKeyIdOf } from '../sealed-format.ts'
import type { DestroyedKeys } from './destroyed-keys.ts'
import type { VaultAnswer } from './frames.ts'
import type { VaultClient } from './vault-client.ts'
import { NOTHING, placeKind, type VaultWork } from './vault-work.ts'

const FINGERPRINT_DIGITS = 64
/** A batch of a re-encryption is a transaction with many rows. */
const REENCRYPT_WAIT_MS = 60_000
const NO_ROW = { kind: 0, id: 0n, merchantId: 0n, name: '', content: NOTHING } as const

/** The vault of a gateway process that has no data key: it asks the vault process. */
export function createRemoteVault(client: VaultClient, destroyed: DestroyedKeys): VaultWork {
  return {
    vault: remoteCards(client, destroyed),
    places: {
      async seal(plain, name) {
        const content = typeof plain === 'string' ? Buffer.from(plain, 'utf8') : plain
        const answer = await client.ask({ ...NO_ROW, operation: 'seal', name, content })
        return { ciphertext: resultOf(answer), dataKeyId: answer.dataKeyId }
      },
      async open(stored, name) {
        const content = bufferOf(stored)
        return resultOf(await client.ask({ ...NO_ROW, operation: 'open', name, content }))
      },
    },
    codes: {
      async seal(code, token, id) {
        const content = Buffer.from(code.reveal(), 'utf8')
        const name = token.reveal()
        return resultOf(await client.ask({ ...NO_ROW, operation: 'seal code', id, name, content }))
      },
      async open(stored, token, id) {
        const content = bufferOf(stored)
        const name = token.reveal()
        const answer = await client.ask({ ...NO_ROW, operation: 'open code', id, name, content })
        return answer.status === 'destroyed' ? null : new Secret(resultOf(answer).toString('utf8'))
      },
    },
    reencryption: {
      async step() {
        const answer = await client.ask({ ...NO_ROW, operation: 're-encrypt' }, REENCRYPT_WAIT_MS)
        return JSON.parse(resultOf(answer).toString('utf8')) as {
          readonly moved: number
          readonly more: boolean
        } | null
      },
    },
  }
}

function remoteCards(client: VaultClient, destroyed: DestroyedKeys): CardVault {
  return {
    async seal(pan, place, merchantId) {
      const content = Buffer.from(pan.reveal(), 'latin1')
      const row = { kind: placeKind(place), id: place.id, merchantId, name: '', content }
      const answer = await client.ask({ operation: 'seal card', ...row })
      const text = resultOf(answer).toString('latin1')
      const ciphertext = text.slice(FINGERPRINT_DIGITS)
      return {
        sealed: { ciphertext, dataKeyId: answer.dataKeyId },
        fingerprint: text.slice(0, FINGERPRINT_DIGITS),
      }
    },
    isReadable: (stored) => destroyed.find(dataKeyIdOf(stored)) === null,
    async reveal(stored, place, reason, merchantId) {
      const content = bufferOf(stored)
      const row = { kind: placeKind(place), id: place.id, merchantId, name: reason, content }
      const answer = await client.ask({ operation: 'reveal card', ...row })
      if (answer.status !== 'destroyed') return new CardNumber(resultOf(answer).toString('latin1'))
      const dataKeyId = dataKeyIdOf(stored)
      // The process may know of it first.
      if (destroyed.find(dataKeyId) === null) await destroyed.refresh()
      const found = destroyed.find(dataKeyId)
      invariant(found !== null, 'the vault process takes a data key for destroyed that is not')
      throw new CardUnreadableError(dataKeyId, found.at, found.by)
    },
  }
}

/** Throws VaultUnavailableError where another try may help, and else what the process says. */
function resultOf({ content, status }: VaultAnswer): Buffer {
  if (status === 'done') return content
  const sentence = content.toString('utf8')
  if (status === 'unavailable' || status === 'limited') throw new VaultUnavailableError(sentence)
  throw new Error(
    `The vault process ${status === 'refused' ? 'refused it' : 'failed'}: ${sentence}`,
  )
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
