import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Secret } from '../base/secret.ts'
import { isVaultKey } from './value-forms.ts'

/** First line of a key that the sandbox made for itself; production refuses a file that has it. */
const SANDBOX_MARK = '# Made by the Tollgate sandbox. Not for production.'

export type VaultKeyFile =
  | {
      readonly kind: 'key'
      readonly key: Secret
      readonly isSandboxKey: boolean
      /** A sentence that warns the operator; null for none. */
      readonly warning: string | null
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'faulty'; readonly problem: string }

type NamedKey = Secret | { readonly kmsKey: string } | { readonly transitKey: string }

/** `VAULT_KEY_PREVIOUS`, read. */
export type PreviousKey =
  | { readonly ok: true; readonly key: NamedKey | null }
  | { readonly ok: false; readonly problem: string }

/** @param value `file:<path>`, `kms:<key>`, `transit:<key>`, or empty. */
export function readPreviousKey(value: string): PreviousKey {
  if (value.startsWith('kms:')) return { ok: true, key: { kmsKey: value.slice('kms:'.length) } }
  if (value.startsWith('transit:'))
    return { ok: true, key: { transitKey: value.slice('transit:'.length) } }
  if (!value.startsWith('file:')) return { ok: true, key: null }
  const path = resolve(value.slice('file:'.length))
  const found = readVaultKeyFile(path)
  if (found.kind === 'key') return { ok: true, key: found.key }
  if (found.kind === 'faulty') return { ok: false, problem: found.problem }
  return { ok: false, problem: `VAULT_KEY_PREVIOUS names ${path}, a file that is not there.` }
}

/** Reads a key file: the base64 text of 32 bytes; lines that start with `#` are comments. */
export function readVaultKeyFile(path: string): VaultKeyFile {
  let content: string
  let isOpen: boolean
  try {
    content = readFileSync(path, 'utf8')
    isOpen = (statSync(path).mode & 0o007) !== 0
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { kind: 'missing' }
    const problem =
      `The vault key file ${path} cannot be read (${code}): run this as the user it belongs to, ` +
      'or set DATA_DIR or VAULT_KEY_FILE to another place.'
    return { kind: 'faulty', problem }
  }
  const lines = content.split('\n').map((line) => line.trim())
  const key = lines.filter((line) => line !== '' && !line.startsWith('#')).join('')
  if (!isVaultKey(key)) {
    const problem =
      `The vault key file ${path} must hold the base64 text of 32 random ` + 'bytes, and does not.'
    return { kind: 'faulty', problem }
  }
  const warning = isOpen
    ? `The key file ${path} is open to every user of this machine: "chmod 600 ${path}" closes it.`
    : null
  return { kind: 'key', key: new Secret(key), isSandboxKey: lines.includes(SANDBOX_MARK), warning }
}

/**
 * Makes a key file for the sandbox (mode 0600, in a folder of mode 0700) unless one exists.
 * Several processes may call it at once: the first one's key wins, and all use it. The file is on
 * disk before this returns, because without it no stored card can be read again.
 */
export function createSandboxVaultKey(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, `${SANDBOX_MARK}\n${randomBytes(32).toString('base64')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(draft)
  }
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
