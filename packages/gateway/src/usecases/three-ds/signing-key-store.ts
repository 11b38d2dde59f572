import type { Secret } from '../../base/secret.ts'

/** A key pair that signs tokens of 3-D Secure. */
export interface StoredSigningKey {
  /** RFC 7638 thumbprint of the public key. */
  readonly kid: string
  /** JSON Web Key text. */
  readonly publicKey: string
  readonly createdAt: Date
  /** Opens the private key: JSON Web Key text. */
  open(): Promise<Secret>
}

/** The store of the installation's signing keys, for all its processes. */
export interface SigningKeyStore {
  /** The newest first. */
  read(): Promise<readonly StoredSigningKey[]>
  /**
   * Keeps a new pair, unless there is one that was made at `since` or later: of many callers, one
   * does.
   */
  add(
    key: {
      readonly kid: string
      readonly publicKey: string
      readonly privateKey: Secret
      readonly createdAt: Date
    },
    since: Date,
  ): Promise<void>
  /** Forgets the pairs whose successor was made before. */
  forget(succeededBefore: Date): Promise<void>
}
