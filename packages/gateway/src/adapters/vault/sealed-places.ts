import { cardBinding } from './card-binding.ts'
import { answerTextBinding, evidenceKeyBinding } from './evidence-seal.ts'
import { BOUND_TO_MERCHANT, BOUND_TO_ROW, type SealedFormat } from './sealed-format.ts'
import {
  cavvBinding,
  linkKeyBinding,
  operatorSecondFactorBinding,
  secondFactorBinding,
  threeDsKeyBinding,
  tokenKeyBinding,
  webhookSecretBinding,
} from './secret-seal.ts'

/** A column of ciphertexts under data keys. */
export interface SealedPlace {
  readonly table: string
  readonly column: string
  readonly keyColumn: string
  /** By which its rows are walked: a bigint, unique. */
  readonly idColumn?: string
  /** SQL of what else `binding` needs. */
  readonly nameColumn: string
  readonly binding: (id: string, name: string, format: SealedFormat) => string
  /** The format of new values; re-encryption moves the others to it. */
  readonly format: SealedFormat
  /** The kind of one value, and whether it is a card number. */
  readonly noun: string
  readonly holdsCards: boolean
}

/** Every place of sealed values. A new column must be added here, or it is never re-encrypted. */
export const SEALED_PLACES: readonly SealedPlace[] = [
  {
    table: 'payment_methods',
    column: 'pan_ciphertext',
    keyColumn: 'data_key_id',
    nameColumn: 'merchant_id::text',
    binding: (id, merchantId, format) =>
      cardBinding({ kind: 'payment method', id: BigInt(id) }, BigInt(merchantId), format),
    format: BOUND_TO_MERCHANT,
    noun: 'payment method',
    holdsCards: true,
  },
  {
    table: 'card_tokens',
    column: 'pan_ciphertext',
    keyColumn: 'data_key_id',
    nameColumn: 'merchant_id::text',
    binding: (id, merchantId, format) =>
      cardBinding({ kind: 'card token', id: BigInt(id) }, BigInt(merchantId), format),
    format: BOUND_TO_MERCHANT,
    noun: 'card token',
    holdsCards: true,
  },
  {
    table: 'processor_links',
    column: 'tls_key_ciphertext',
    keyColumn: 'tls_key_data_key_id',
    nameColumn: 'name',
    binding: (_, name) => linkKeyBinding(name),
    format: BOUND_TO_ROW,
    noun: "processor link's client key",
    holdsCards: false,
  },
  {
    // Null without a client key, and once the request ended.
    table: 'operator_requests',
    column: 'link_key_ciphertext',
    keyColumn: 'link_key_data_key_id',
    nameColumn: `wanted->'link'->>'name'`,
    binding: (_, name) => linkKeyBinding(name),
    format: BOUND_TO_ROW,
    noun: 'client key of a requested processor link',
    holdsCards: false,
  },
  {
    table: 'site_token_keys',
    column: 'key_ciphertext',
    keyColumn: 'data_key_id',
    nameColumn: 'site_id::text',
    binding: (_, siteId) => tokenKeyBinding(BigInt(siteId)),
    format: BOUND_TO_ROW,
    noun: "site's token key",
    holdsCards: false,
  },
  {
    table: 'webhook_secrets',
    column: 'secret_ciphertext',
    keyColumn: 'data_key_id',
    nameColumn: 'endpoint_id::text',
    binding: (_, endpointId) => webhookSecretBinding(BigInt(endpointId)),
    format: BOUND_TO_ROW,
    noun: 'secret of an endpoint of webhooks',
    holdsCards: false,
  },
  {
    table: 'three_ds_keys',
    column: 'private_key_ciphertext',
    keyColumn: 'data_key_id',
    nameColumn: 'kid',
    binding: (_, kid) => threeDsKeyBinding(kid),
    format: BOUND_TO_ROW,
    noun: '3-D Secure signing key',
    holdsCards: false,
  },
  {
    // Null once the payment was decided on.
    table: 'three_ds_authentications',
    column: 'cavv_ciphertext',
    keyColumn: 'cavv_data_key_id',
    idColumn: 'transaction_id',
    nameColumn: 'server_trans_id::text',
    binding: (_, serverTransId) => cavvBinding(serverTransId),
    format: BOUND_TO_ROW,
    noun: '3-D Secure authentication value',
    holdsCards: false,
  },
  {
    // Null for who has none.
    table: 'portal_users',
    column: 'second_factor_ciphertext',
    keyColumn: 'second_factor_data_key_id',
    nameColumn: `''`,
    binding: (id) => secondFactorBinding(BigInt(id)),
    format: BOUND_TO_ROW,
    noun: "portalUser's second factor",
    holdsCards: false,
  },
  {
    // Null for who has none.
    table: 'operators',
    column: 'second_factor_ciphertext',
    keyColumn: 'second_factor_data_key_id',
    nameColumn: `''`,
    binding: (id) => operatorSecondFactorBinding(BigInt(id)),
    format: BOUND_TO_ROW,
    noun: "operator's second factor",
    holdsCards: false,
  },
  {
    // Null once it was erased.
    table: 'dispute_files',
    column: 'key_ciphertext',
    keyColumn: 'data_key_id',
    nameColumn: `''`,
    binding: (id) => evidenceKeyBinding(BigInt(id)),
    format: BOUND_TO_ROW,
    noun: 'key of an evidence file',
    holdsCards: false,
  },
  {
    // Null without a text, and once it was erased.
    table: 'dispute_answers',
    column: 'text_ciphertext',
    keyColumn: 'text_data_key_id',
    nameColumn: `''`,
    binding: (id) => answerTextBinding(BigInt(id)),
    format: BOUND_TO_ROW,
    noun: 'answer to a dispute',
    holdsCards: false,
  },
]
