import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** A server that speaks the parts of the transit engine's HTTP interface in use. */
export interface FakeTransit {
  /** For VAULT_ADDR. */
  readonly url: string
  /** The token that it accepts. */
  token: string
  /** The answer to a look-up of the token; null where its policy refuses that. */
  tokenLife: {
    readonly ttl: number
    readonly creation_ttl: number
    readonly renewable: boolean
  } | null
  /** Null: requests may name no namespace. */
  namespace: string | null
  /** @param path mount and name */
  createKey(path: string, more?: { readonly type?: string; readonly derived?: boolean }): void
  rotate(path: string): void
  /** Ciphertexts of older versions are refused. */
  demandVersion(path: string, version: number): void
  /** Paths in the sequence in which they were asked for, with their method. */
  readonly calls: string[]
  /** Answers of the next calls, one each; `cut` breaks the connection. */
  readonly trouble: ('cut' | { readonly status: number; readonly errors: readonly string[] })[]
  sealed: boolean
  /** As Vaults before version 1.13 do. */
  ignoresAssociatedData: boolean
  stop(): Promise<void>
}

interface Key {
  readonly type: string
  readonly derived: boolean
  readonly versions: Buffer[]
  lowest: number
}

interface Asked {
  readonly plaintext?: string
  readonly ciphertext?: string
  readonly associated_data?: string
  readonly context?: string
}

class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** @param tls certificate and key as PEM, for HTTPS; plain HTTP without */
export async function startFakeTransit(tls?: {
  readonly cert: string
  readonly key: string
}): Promise<FakeTransit> {
  const keys = new Map<string, Key>()

  function keyOf(path: string): Key {
    const key = keys.get(path)
    if (key === undefined) throw new Refusal(404, '')
    return key
  }

  const bound = (key: Key, { associated_data: data = '', context = '' }: Asked): Buffer => {
    if (key.derived && context === '') {
      throw new Refusal(
        400,
        "missing 'context' for key derivation; the key was created using a derived key",
      )
    }
    return Buffer.from(
      JSON.stringify([fake.ignoresAssociatedData ? '' : data, key.derived ? context : '']),
    )
  }

  const operations: Readonly<Record<string, (key: Key, asked: Asked) => object>> = {
    keys: (key) => ({
      type: key.type,
      derived: key.derived,
      supports_encryption: true,
      latest_version: key.versions.length,
      min_decryption_version: key.lowest,
    }),
    encrypt(key, asked) {
      const version = key.versions.length
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key.versions.at(-1) ?? '', nonce)
      cipher.setAAD(bound(key, asked))
      const plain = Buffer.from(asked.plaintext ?? '', 'base64')
      const parts = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]
      const ciphertext = `vault:v${version}:${Buffer.concat(parts).toString('base64')}`
      return { ciphertext, key_version: version }
    },
    decrypt(key, asked) {
      const [, version = '', text = ''] = /^vault:v(\d+):(.+)$/.exec(asked.ciphertext ?? '') ?? []
      if (Number(version) < key.lowest) {
        throw new Refusal(400, 'ciphertext or signature version is disallowed by policy (too old)')
      }
      const sealed = Buffer.from(text, 'base64')
      const bytes = key.versions[Number(version) - 1]
      if (bytes === undefined) throw new Refusal(400, 'invalid ciphertext: no prefix')
      const decipher = createDecipheriv('aes-256-gcm', bytes, sealed.subarray(0, 12))
      decipher.setAAD(bound(key, asked)).setAuthTag(sealed.subarray(-16))
      try {
        const plain = [decipher.update(sealed.subarray(12, -16)), decipher.final()]
        return { plaintext: Buffer.concat(plain).toString('base64') }
      } catch {
        throw new Refusal(400, 'cipher: message authentication failed')
      }
    },
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const text = Buffer.concat(await incoming.toArray()).toString()
    const asked = (text === '' ? {} : JSON.parse(text)) as Asked
    fake.calls.push(`${incoming.method} ${incoming.url}`)
    const answer = (status: number, body: object): void => {
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const trouble = fake.trouble.shift()
    if (trouble === 'cut') return void incoming.socket.destroy()
    try {
      if (trouble !== undefined) return answer(trouble.status, { errors: trouble.errors })
      if (fake.sealed) throw new Refusal(503, 'Vault is sealed')
      if (incoming.headers['x-vault-token'] !== fake.token) {
        throw new Refusal(403, `permission denied for ${incoming.headers['x-vault-token']}`)
      }
      if (incoming.url === '/v1/auth/token/lookup-self') {
        if (fake.tokenLife === null) throw new Refusal(403, 'permission denied')
        return answer(200, { data: { id: fake.token, ...fake.tokenLife } })
      }
      const [, mount, operation, name] =
        /^\/v1\/(.+)\/(keys|encrypt|decrypt)\/([^/]+)$/.exec(incoming.url ?? '') ?? []
      const isHere = (incoming.headers['x-vault-namespace'] ?? null) === fake.namespace
      const perform = isHere ? operations[operation ?? ''] : undefined
      if (perform === undefined) throw new Refusal(404, 'no handler for route')
      answer(200, { request_id: 'r', data: perform(keyOf(`${mount}/${name}`), asked) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      answer(error.status, { errors: error.message === '' ? [] : [error.message] })
    }
  }

  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void =>
    void serve(incoming, outgoing)
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeTransit = {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'hvs.first-token',
    tokenLife: { ttl: 3_000, creation_ttl: 3_600, renewable: true },
    namespace: null,
    createKey(path, { type = 'aes256-gcm96', derived = false } = {}) {
      keys.set(path, { type, derived, versions: [randomBytes(32)], lowest: 1 })
    },
    rotate: (path) => void keyOf(path).versions.push(randomBytes(32)),
    demandVersion(path, version) {
      keyOf(path).lowest = version
    },
    calls: [],
    trouble: [],
    sealed: false,
    ignoresAssociatedData: false,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return fake
}
