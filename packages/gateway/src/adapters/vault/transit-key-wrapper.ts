import type { KeyBinding, KeyWrapper } from './key-wrapper.ts'
import { transitCalls, type TransitAnswer, type TransitServer } from './transit-server.ts'

/** The kinds of transit keys that bind a ciphertext to data beside it, at 256 bits. */
const KINDS = ['aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305']

/**
 * A key-encrypting key that the transit engine of a Vault keeps; data keys go there to be wrapped
 * and unwrapped. Associated data bind a wrapped key to its row. Throws a plain sentence when the
 * key cannot be used.
 *
 * @param key `name` or `mount/name`. The `id` has namespace, mount and name, and no address: a
 *   Vault may move.
 */
export async function openTransitKeyWrapper(
  server: TransitServer,
  key: string,
): Promise<KeyWrapper> {
  const at = key.lastIndexOf('/')
  const mount = at === -1 ? 'transit' : key.slice(0, at)
  const name = key.slice(at + 1)
  const call = transitCalls(server)

  async function ask(
    doing: 'read' | 'encrypt with' | 'decrypt with',
    path: string,
    body: Readonly<Record<string, string>> | null,
  ): Promise<Readonly<Record<string, unknown>>> {
    let answer: TransitAnswer
    try {
      answer = await call(body === null ? 'GET' : 'POST', `${mount}/${path}/${name}`, body)
    } catch (cause) {
      const { message } = cause as Error
      throw new Error(`The transit key ${mount}/${name} cannot be used: ${message}.`, { cause })
    }
    if (answer.ok) return answer.data
    throw new Error(
      `The Vault at ${server.address} cannot ${doing} the transit key ${mount}/${name}: ` +
        `${reasonOf(answer, `${mount}/${path}/${name}`)}.`,
    )
  }

  // Asked first, because an encryption may create a key of a mistyped name.
  const { type, supports_encryption: encrypts, derived } = await ask('read', 'keys', null)
  if (encrypts === false || !KINDS.includes(String(type))) {
    throw new Error(
      `The transit key ${mount}/${name} cannot wrap data keys: its type is ${String(type)}; ` +
        `expected ${KINDS.join(', ')}. Name another key with VAULT_TRANSIT_KEY.`,
    )
  }
  const bound = (binding: KeyBinding): Record<string, string> => {
    const text = Buffer.from(bindingText(binding)).toString('base64')
    return { associated_data: text, ...(derived === true ? { context: text } : {}) }
  }

  /** A Vault that knows no associated data ignores them, and would unwrap for every row. */
  async function refuseUnbound(
    ciphertext: string,
    { context }: Readonly<Record<string, string>>,
  ): Promise<void> {
    const unbound = { ciphertext, ...(context === undefined ? {} : { context }) }
    const answer = await call('POST', `${mount}/decrypt/${name}`, unbound)
    if (!answer.ok) return
    throw new Error(
      `The Vault at ${server.address} does not bind data keys to their rows: it ignores ` +
        'associated_data. Update it to a version that knows them (1.13 or later).',
    )
  }

  return {
    id: `transit:${server.namespace === '' ? '' : `${server.namespace}/`}${mount}/${name}`,
    async wrap(dataKey, binding) {
      const plaintext = dataKey.toString('base64')
      const { ciphertext } = await ask('encrypt with', 'encrypt', { plaintext, ...bound(binding) })
      if (typeof ciphertext !== 'string' || !/^vault:v\d+:./.test(ciphertext)) {
        throw new Error(`The Vault gave no ciphertext for the transit key ${mount}/${name}.`)
      }
      await refuseUnbound(ciphertext, bound(binding))
      return Buffer.from(ciphertext)
    },
    async unwrap(wrapped, binding) {
      const ciphertext = wrapped.toString()
      const { plaintext } = await ask('decrypt with', 'decrypt', { ciphertext, ...bound(binding) })
      const dataKey = Buffer.from(typeof plaintext === 'string' ? plaintext : '', 'base64')
      if (dataKey.length === 32) return dataKey
      throw new Error(
        `The Vault unwrapped data key ${binding.id} to something that is no data key.`,
      )
    },
  }
}

function bindingText({ purpose, id }: KeyBinding): string {
  return `tollgate data key ${id} for ${purpose}`
}

/** The fault and the next step, by the statuses that the Vault documents. */
function reasonOf({ status, errors }: Extract<TransitAnswer, { ok: false }>, path: string): string {
  const said = errors.join('; ')
  if (status === 503 || /is sealed/i.test(said)) {
    return `it is sealed or in maintenance (HTTP ${status}): unseal it`
  }
  if (status === 403) {
    return (
      `permission denied (HTTP 403): the token of VAULT_TOKEN_FILE must be valid, and its policy ` +
      `must allow ${path}`
    )
  }
  if (status === 404) {
    return 'there is no such key or mount (HTTP 404): check VAULT_TRANSIT_KEY and VAULT_NAMESPACE'
  }
  if (/too old|disallowed by policy/i.test(said)) {
    return (
      'the version of the key that wrapped the data key is below min_decryption_version: lower ' +
      'that, and run "tollgate keys rewrap" before you raise it again'
    )
  }
  if (/authentication failed|invalid ciphertext|unable to decrypt/i.test(said)) {
    return (
      'the data key was wrapped by another key or for another row, or was changed: check that ' +
      'VAULT_ADDR is the Vault that wrapped it'
    )
  }
  return `HTTP ${status}${said === '' ? '' : `, ${said}`}`
}
