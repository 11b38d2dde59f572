import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { PlaceSeal, Sealed } from './place-seal.ts'
import { NONCE_BYTES } from './sealed-format.ts'

const KEY_BYTES = 32
const TAG_BYTES = 16

/** A file of evidence as it is stored. */
export interface SealedFile {
  /** 12 bytes nonce, ciphertext, 16 bytes tag: AES-256-GCM under the file's own key. */
  readonly content: Buffer
  /** The file's key, sealed under a data key in the format of card numbers. */
  readonly key: Buffer
  readonly dataKeyId: number
}

/** Encrypts what merchants answer to disputes. */
export interface EvidenceSeal {
  sealFile(content: Uint8Array, fileId: bigint): Promise<SealedFile>
  openFile(sealed: Pick<SealedFile, 'content' | 'key'>, fileId: bigint): Promise<Buffer>
  sealNote(text: string, answerId: bigint): Promise<Sealed>
  openNote(ciphertext: Buffer, answerId: bigint): Promise<string>
}

/**
 * Each file has a key of its own. A rotation of the data keys encrypts that key again, and not the
 * content.
 */
export function createEvidenceSeal(places: PlaceSeal): EvidenceSeal {
  return {
    async sealFile(content, fileId) {
      const binding = evidenceKeyBinding(fileId)
      const key = randomBytes(KEY_BYTES)
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      cipher.setAAD(Buffer.from(binding))
      const body = Buffer.concat([nonce, cipher.update(content), cipher.final()])
      const sealed = await places.seal(key, binding)
      return {
        content: Buffer.concat([body, cipher.getAuthTag()]),
        key: sealed.ciphertext,
        dataKeyId: sealed.dataKeyId,
      }
    },
    async openFile({ content, key: sealedKey }, fileId) {
      const binding = evidenceKeyBinding(fileId)
      const key = await places.open(sealedKey, binding)
      const nonce = content.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(binding))
      decipher.setAuthTag(content.subarray(-TAG_BYTES))
      const body = content.subarray(NONCE_BYTES, -TAG_BYTES)
      return Buffer.concat([decipher.update(body), decipher.final()])
    },
    sealNote: (text, answerId) => places.seal(text, answerTextBinding(answerId)),
    async openNote(ciphertext, answerId) {
      return (await places.open(ciphertext, answerTextBinding(answerId))).toString('utf8')
    },
  }
}

/** The binding of the key of a file of evidence. */
export function evidenceKeyBinding(fileId: bigint): string {
  return `key of evidence file ${fileId}`
}

/** The binding of the text of an answer to a dispute. */
export function answerTextBinding(answerId: bigint): string {
  return `text of dispute answer ${answerId}`
}
