import { DecryptCommand, DescribeKeyCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import type { KeyBinding, KeyWrapper } from './key-wrapper.ts'

/** Beyond what a busy KMS needs; with the client's own retries a call ends within some 15 s. */
const CALL_TIMEOUT_MS = 15_000
const ATTEMPT_TIMEOUT_MS = 4_000
const ATTEMPTS = 4

/**
 * A key-encrypting key that AWS KMS keeps; data keys go there to be wrapped and unwrapped. Region,
 * credentials and endpoint come from AWS's own environment variables. The encryption context binds
 * a wrapped key to its row. Throws a plain sentence when the key cannot be used.
 *
 * @param name key id, ARN or alias. The `id` is the key that it names now: an alias may move on.
 */
export async function openKmsKeyWrapper(name: string): Promise<KeyWrapper> {
  const client = await clientFor(name)
  const description = await call(name, 'describe', (abortSignal) =>
    client.send(new DescribeKeyCommand({ KeyId: name }), { abortSignal }),
  )
  const {
    Arn: arn,
    Enabled: enabled,
    KeyUsage: usage,
    KeyState: state,
  } = description.KeyMetadata ?? {}
  if (arn === undefined) throw new Error(`AWS KMS does not say which key ${name} is.`)
  if (enabled !== true || (usage !== undefined && usage !== 'ENCRYPT_DECRYPT')) {
    throw new Error(
      `The KMS key ${name} cannot wrap data keys: its state is ${state ?? 'unknown'} and its use ` +
        `${usage ?? 'unknown'}; it must be enabled, symmetric, and for ENCRYPT_DECRYPT.`,
    )
  }
  return {
    id: `kms:${arn}`,
    async wrap(key, binding) {
      const { CiphertextBlob: wrapped } = await call(name, 'encrypt with', (abortSignal) =>
        client.send(
          new EncryptCommand({ KeyId: arn, Plaintext: key, EncryptionContext: contextOf(binding) }),
          { abortSignal },
        ),
      )
      if (wrapped === undefined) throw new Error(`AWS KMS gave no ciphertext for the key ${name}.`)
      return Buffer.from(wrapped)
    },
    async unwrap(wrapped, binding) {
      const { Plaintext: key, KeyId: by } = await call(name, 'decrypt with', (abortSignal) =>
        client.send(
          new DecryptCommand({
            KeyId: arn,
            CiphertextBlob: wrapped,
            EncryptionContext: contextOf(binding),
          }),
          { abortSignal },
        ),
      )
      if (key?.length !== 32 || by !== arn) {
        throw new Error(
          `AWS KMS unwrapped data key ${binding.id} to something that is no data key.`,
        )
      }
      return Buffer.from(key)
    },
  }
}

/** The region may be in the ARN; a missing region is reported before anything else. */
async function clientFor(name: string): Promise<KMSClient> {
  const [, region] = /^arn:[^:]*:kms:([^:]+):/.exec(name) ?? []
  const client = new KMSClient({
    ...(region === undefined ? {} : { region }),
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: ATTEMPT_TIMEOUT_MS,
      requestTimeout: ATTEMPT_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  })
  try {
    await client.config.region()
  } catch {
    throw new Error(
      `The KMS key ${name} is in no region: set AWS_REGION, or name the key by its ARN.`,
    )
  }
  return client
}

function contextOf({ purpose, id }: KeyBinding): Record<string, string> {
  return { application: 'tollgate', purpose, data_key: String(id) }
}

/** The error of KMS, for operators; the names are those of its documentation. */
const REASONS: Readonly<Record<string, string>> = {
  AccessDeniedException:
    'the credentials may not use it (kms:DescribeKey, kms:Encrypt, kms:Decrypt)',
  NotFoundException: 'there is no such key in this account and region',
  DisabledException: 'the key is disabled',
  KMSInvalidStateException: 'the key is disabled or about to be deleted',
  InvalidCiphertextException:
    'the data key was wrapped by another key or for another row, or was changed',
  IncorrectKeyException: 'the data key was wrapped by another key',
  ThrottlingException: 'it is asked too often (ThrottlingException)',
  CredentialsProviderError: 'no AWS credentials were found',
  UnrecognizedClientException: 'the AWS credentials are not valid',
  AbortError: 'it did not answer in time',
  TimeoutError: 'it did not answer in time',
}

async function call<T>(
  name: string,
  doing: string,
  send: (abortSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await send(AbortSignal.timeout(CALL_TIMEOUT_MS))
  } catch (cause) {
    const { name: kind, code, message } = cause as Error & { readonly code?: string }
    const reason = REASONS[kind] ?? `${code ?? kind}: ${message.split('\n')[0]}`
    throw new Error(`AWS KMS cannot ${doing} the key ${name}: ${reason}.`, { cause })
  }
}
