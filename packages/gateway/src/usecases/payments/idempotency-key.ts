import type { Secret } from '../../base/secret.ts'
import type { IdempotencyKey, KeyHolder } from '../../domain/payments/idempotency-key.ts'
import type { SiteInMode } from '../merchants/merchant-directory.ts'

/** A request that its sender may repeat. Both parts may contain a card number. */
export interface RepeatableRequest {
  /** As sent: 1 to 64 printable characters. */
  readonly key: Secret
  /** Every value that decides what the request does, in one text. */
  readonly content: Secret
}

/** A transaction that takes a key. */
export interface NewKeyHolder {
  readonly site: SiteInMode
  readonly merchantId: bigint
  readonly transactionId: bigint
  readonly key: IdempotencyKey
  readonly at: Date
}

/** The key of a payment, and the transaction that this very request has written with it. */
export interface KeyUse {
  readonly key: IdempotencyKey
  /** Null until then. */
  transactionId: bigint | null
}

export interface IdempotencyKeyStore {
  /** Null: no request has taken the key at the site in its mode. */
  findKey(site: SiteInMode, key: string): Promise<KeyHolder | null>
  /** False: another transaction has the key, or this one had it before. */
  takeKey(holder: NewKeyHolder): Promise<boolean>
}

/** Another request has taken the key of a payment, and nothing stands for this one. */
export interface KeyTakenMeanwhile {
  readonly kind: 'key_taken'
}

export const KEY_TAKEN: KeyTakenMeanwhile = { kind: 'key_taken' }

/** Another request has taken the key; nothing was written. */
export class KeyTakenError extends Error {
  constructor() {
    super('Another request has taken the idempotency key')
    this.name = 'KeyTakenError'
  }
}

/** The digests differ in their purpose, so that no text is both. */
export function digestRequest(
  digest: (text: string) => string,
  { key, content }: RepeatableRequest,
): IdempotencyKey {
  return {
    key: digest(`idempotency key|${key.reveal()}`),
    content: digest(`idempotent request|${content.reveal()}`),
  }
}
