import { constants } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'

/**
 * Suites of TLS 1.2 with forward secrecy and authenticated encryption only; those of 1.3 all are.
 */
export const TLS_1_2_SUITES = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
] as const
export const TLS_1_3_SUITES = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
] as const

/** For the key exchange, the best first; the first also stands up to a quantum computer. */
export const TLS_GROUPS = ['X25519MLKEM768', 'X25519', 'P-256', 'P-384'] as const

/** Neither SHA-1 nor DSA, nor RSA with anything weaker than SHA-256. */
const SIGNATURES = [
  'ecdsa_secp256r1_sha256',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
  'ed25519',
  'rsa_pss_rsae_sha256',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pss_pss_sha256',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
]

/** A ticket is good for as long at most, and never outlives the keys that sealed it. */
const TICKET_LIFE_S = 300

/** The gateway's TLS settings for every client; only the certificate is missing. */
export const TLS_POLICY: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers: [...TLS_1_3_SUITES, ...TLS_1_2_SUITES].join(':'),
  honorCipherOrder: true,
  ecdhCurve: TLS_GROUPS.join(':'),
  sigalgs: SIGNATURES.join(':'),
  // A client that has no AES in hardware says so by naming ChaCha20 first, and is given it.
  secureOptions:
    constants.SSL_OP_NO_RENEGOTIATION |
    constants.SSL_OP_NO_COMPRESSION |
    constants.SSL_OP_PRIORITIZE_CHACHA,
  sessionIdContext: 'tollgate',
  sessionTimeout: TICKET_LIFE_S,
}
