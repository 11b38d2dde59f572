import type { Secret } from '../base/secret.ts'
import type { SignInPolicy } from '../domain/logins/sign-in-policy.ts'
import type { RetentionDays } from '../domain/retention/retention-kinds.ts'
import type { ResultsCertificate, ThreeDsDirectory } from '../usecases/three-ds/directory.ts'
import type { PreviousKey } from './vault-key.ts'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

export interface TlsEndpoint extends Endpoint {
  readonly certFile: string
  readonly keyFile: string
  /** The two files are made by the gateway itself where they are missing. */
  readonly selfMade: boolean
}

/** The endpoints that 3-D Secure messages go to and come from. */
export interface ThreeDsConfig {
  /** Whether test accounts are authenticated by the simulator beside the bundled bank. */
  readonly simulator: boolean
  /** Names the Directory Servers of live accounts; null: there are none. */
  readonly directoryFile: string | null
  readonly liveDirectories: readonly ThreeDsDirectory[]
  /** Of the address for their results; null where there are none. */
  readonly liveResults: ResultsCertificate | null
  /** How long an answer to an AReq is waited for. */
  readonly timeoutMs: number
  readonly resultsHost: string
  /** Null: five behind the bank's, or a free one where that is taken. */
  readonly resultsPort: number | null
  /** Null: this machine. */
  readonly resultsUrl: string | null
  /** Of the simulator, which the bank reads for itself. */
  readonly simulatorSettings: Readonly<Record<SimulatorSetting, string>>
}

/** Settings that the gateway only hands to the bundled bank. */
export const SIMULATOR_SETTINGS = [
  'BANK_DS_PORT',
  'BANK_ACS_PORT',
  'BANK_ACS_BACK_PORT',
  'BANK_DS_HOST',
  'BANK_ACS_HOST',
  'BANK_3DS_TIME_SCALE',
] as const
export type SimulatorSetting = (typeof SIMULATOR_SETTINGS)[number]

/** The mail server that mails are handed to. */
export interface SmtpConfig extends Endpoint {
  /** `none` on loopback only. */
  readonly tls: 'starttls' | 'implicit' | 'none'
  readonly user: string
  /** Null: no login. */
  readonly password: Secret | null
  /** The sender's address of every mail. */
  readonly from: string
  /** PEM of the authorities that sign for the server; null for the public ones. */
  readonly ca: string | null
}

/** The receiver that the audit log is sent to. */
export interface AuditPushConfig {
  /** `syslog+tls:`, `syslog+tcp:`, `https:` or `http:`. */
  readonly url: string
  /** PEM of the authorities that sign for the receiver; null for the public ones. */
  readonly ca: string | null
  /** The bearer secret over HTTP; null for none. */
  readonly secret: Secret | null
}

/** The place that backups of the embedded database go to, and how. */
export interface BackupConfig {
  /** `name` is the place as an operator knows it. */
  readonly place:
    | { readonly kind: 'folder'; readonly name: string; readonly folder: string }
    | {
        readonly kind: 's3'
        readonly name: string
        readonly bucket: string
        /** Without slashes at its ends; '' for none. */
        readonly prefix: string
        /** Null: that of AWS. */
        readonly endpoint: string | null
        readonly region: string
        /** Null, like the secret: AWS's own chain finds them. */
        readonly accessKey: string | null
        readonly secretKey: Secret | null
      }
  /** Base64 of 32 bytes. */
  readonly key: Secret
  /** After this many seconds the log is archived, even if it is short. */
  readonly lagS: number
}

/** The HashiCorp Vault or OpenBao that keeps transit keys. */
export interface VaultServer {
  /** Scheme, host and port; no slash at the end. */
  readonly address: string
  /** An agent replaces the token in it before the token's end. */
  readonly tokenFile: string
  /** Without slashes at its ends; '' for none. */
  readonly namespace: string
  /** Null: the public authorities. */
  readonly caFile: string | null
}

/** The part of the configuration that is made of several settings, or is not what was written. */
export interface DerivedConfig {
  /** Null where plain HTTP is not served: in production without a trusted proxy in front. */
  readonly http: Endpoint | null
  /** Null where HTTPS is the proxy's work: in production with `TRUST_PROXY` and no certificate. */
  readonly tls: TlsEndpoint | null
  /** Scheme, host and port that this machine reaches the gateway by; no slash at the end. */
  readonly baseUrl: string
  /** Scheme, host and port that cardholders' browsers reach; no slash at the end. */
  readonly publicUrl: string
  /** Null where the portal is served with the payments. */
  readonly portalEndpoint: (Endpoint & { readonly isTls: boolean }) | null
  /** Scheme, host and port that portal users' browsers reach; no slash at the end. */
  readonly portalUrl: string
  /** Null where there is no operator's console. */
  readonly consoleEndpoint: (Endpoint & { readonly isTls: boolean }) | null
  /** Scheme, host and port that operators' browsers reach; empty where there is no console. */
  readonly consoleUrl: string
  /** Absolute. */
  readonly dataDir: string
  /** Null: the embedded PostgreSQL. A secret, since it may hold a password. */
  readonly databaseUrl: Secret | null
  /** How long a start waits for an unreachable database. */
  readonly databaseWaitMs: number
  readonly bank: Endpoint
  /** Null: the one that the bank makes in `dataDir`. */
  readonly bankSecret: Secret | null
  readonly threeDs: ThreeDsConfig
  /** Null where no metrics are served. */
  readonly metrics: Endpoint | null
  /** The collector of OpenTelemetry that metrics are sent to; null: none. */
  readonly metricsUrl: string | null
  /** The collector of traces, and the part of all requests that is recorded; null: no traces. */
  readonly traces: { readonly url: string; readonly ratio: number } | null
  /**
   * Base64 of 32 bytes. Null with a key of a KMS or a Vault, and in a sandbox that has not made its
   * key file yet.
   */
  readonly vaultKey: Secret | null
  /** The file of the key, which a new sandbox writes; null when the key came as `VAULT_KEY`. */
  readonly vaultKeyFile: string | null
  /** Key of AWS KMS that is used instead. */
  readonly vaultKmsKey: string | null
  /** Key of a Vault's transit engine that is used instead: `name` or `mount/name`. */
  readonly vaultTransitKey: string | null
  /** The Vault that keeps transit keys; null where none is named. */
  readonly vaultServer: VaultServer | null
  /** While the key-encrypting key is being replaced, the one before. */
  readonly vaultKeyPrevious: Extract<PreviousKey, { ok: true }>['key']
  /** The requirements on the sign-in of portal users. */
  readonly portal: SignInPolicy
  /** After how many days which data are erased. */
  readonly retention: RetentionDays
  /** The operator's mail server; null where none is named. */
  readonly smtp: SmtpConfig | null
  /** Null where the audit log is not sent. */
  readonly auditPush: AuditPushConfig | null
  /** Null where no backups are made. */
  readonly backup: BackupConfig | null
  /** Per user; 0 a second means no limit. */
  readonly requestRate: { readonly perSecond: number; readonly burst: number }
}
