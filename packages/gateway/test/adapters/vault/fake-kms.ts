import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Faults that the fake can answer with: an error of KMS, no answer, or a broken line. */
export type Trouble = { readonly error: string } | 'silent' | 'cut'

/** A key management service that speaks the parts of AWS KMS' wire protocol (JSON 1.1) in use. */
export interface FakeKms {
  /** For AWS_ENDPOINT_URL_KMS. */
  readonly url: string
  /** Makes a key and returns its ARN. */
  createKey(alias?: string): string
  disable(arn: string): void
  /** Operations in the sequence in which they were asked for. */
  readonly calls: {
    readonly operation: string
    readonly context: Readonly<Record<string, string>>
  }[]
  /** Sets the faults of the next calls, one each; `null` serves again. */
  trouble(next: Trouble | null, times?: number): void
  /** Requests to this path of the address get only errors; null serves all again. */
  refuse(path: string | null): void
  stop(): Promise<void>
}

interface Key {
  readonly arn: string
  readonly bytes: Buffer
  enabled: boolean
}

interface Asked {
  readonly KeyId?: string
  readonly Plaintext?: string
  readonly CiphertextBlob?: string
  readonly EncryptionContext?: Readonly<Record<string, string>>
}

class Refusal extends Error {}

/** Settings that make the real client library connect here. */
export function awsEnvironment(kms: Pick<FakeKms, 'url'>): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'not a secret',
  }
}

export async function startFakeKms(): Promise<FakeKms> {
  const keys = new Map<string, Key>()
  const aliases = new Map<string, string>()
  const calls: FakeKms['calls'] = []
  let refused: string | null = null
  let next: { trouble: Trouble | null; times: number } = { trouble: null, times: 0 }

  function findKey(name: string | undefined): Key {
    const key = keys.get(aliases.get(name ?? '') ?? name ?? '')
    if (key === undefined) throw new Refusal('NotFoundException')
    return key
  }

  function usableKey(name: string | undefined): Key {
    const key = findKey(name)
    if (!key.enabled) throw new Refusal('DisabledException')
    return key
  }

  const operations: Readonly<Record<string, (asked: Asked) => object>> = {
    DescribeKey({ KeyId }) {
      const { arn, enabled } = findKey(KeyId)
      const KeyState = enabled ? 'Enabled' : 'Disabled'
      const KeyMetadata = {
        KeyId: arn,
        Arn: arn,
        Enabled: enabled,
        KeyState,
        KeyUsage: 'ENCRYPT_DECRYPT',
      }
      return { KeyMetadata }
    },
    Encrypt({ KeyId, Plaintext = '', EncryptionContext }) {
      const { arn, bytes } = usableKey(KeyId)
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(
        contextBytes(EncryptionContext),
      )
      const body = Buffer.concat([cipher.update(Buffer.from(Plaintext, 'base64')), cipher.final()])
      const blob = Buffer.concat([Buffer.from(`${arn}\n`), nonce, body, cipher.getAuthTag()])
      return {
        CiphertextBlob: blob.toString('base64'),
        KeyId: arn,
        EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
      }
    },
    Decrypt({ KeyId, CiphertextBlob = '', EncryptionContext }) {
      const blob = Buffer.from(CiphertextBlob, 'base64')
      const at = blob.indexOf('\n') + 1
      const { arn, bytes } = usableKey(blob.subarray(0, Math.max(0, at - 1)).toString())
      if (KeyId !== undefined && findKey(KeyId).arn !== arn)
        throw new Refusal('IncorrectKeyException')
      const decipher = createDecipheriv('aes-256-gcm', bytes, blob.subarray(at, at + 12))
      decipher.setAAD(contextBytes(EncryptionContext)).setAuthTag(blob.subarray(-16))
      try {
        const plain = Buffer.concat([
          decipher.update(blob.subarray(at + 12, -16)),
          decipher.final(),
        ])
        return {
          Plaintext: plain.toString('base64'),
          KeyId: arn,
          EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
        }
      } catch {
        throw new Refusal('InvalidCiphertextException')
      }
    },
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as Asked
    const [service, operation = ''] = String(incoming.headers['x-amz-target']).split('.')
    calls.push({ operation, context: asked.EncryptionContext ?? {} })
    const trouble =
      refused === incoming.url ? { error: 'DependencyTimeoutException' } : next.trouble
    if (next.times > 0) next.times -= 1
    if (next.times === 0) next = { trouble: null, times: 0 }
    if (trouble === 'silent') return
    if (trouble === 'cut') return void incoming.socket.destroy()
    const answer = (status: number, body: object): void => {
      outgoing
        .writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(body))
    }
    const signed = /^AWS4-HMAC-SHA256 Credential=.+\/kms\/aws4_request/.test(
      incoming.headers.authorization ?? '',
    )
    const perform = service === 'TrentService' && signed ? operations[operation] : undefined
    try {
      if (trouble !== null) throw new Refusal(trouble.error)
      if (perform === undefined) throw new Refusal('UnrecognizedClientException')
      answer(200, perform(asked))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      answer(400, { __type: error.message, message: `the fake says ${error.message}` })
    }
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    createKey(alias) {
      const arn = `arn:aws:kms:eu-central-1:000000000000:key/${crypto.randomUUID()}`
      keys.set(arn, { arn, bytes: randomBytes(32), enabled: true })
      if (alias !== undefined) aliases.set(alias, arn)
      return arn
    },
    disable(arn) {
      findKey(arn).enabled = false
    },
    calls,
    trouble(trouble, times = 1) {
      next = { trouble, times: trouble === null ? 0 : times }
    },
    refuse(path) {
      refused = path
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function contextBytes(context: Readonly<Record<string, string>> = {}): Buffer {
  return Buffer.from(
    JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  )
}
