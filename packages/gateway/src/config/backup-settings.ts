import { resolve } from 'node:path'
import { Secret } from '../base/secret.ts'
import type { BackupConfig, DerivedConfig } from './derived-config.ts'
import { text, wholeNumber } from './setting-kinds.ts'
import { isBackupPlace, isOrigin, isVaultKey } from './value-forms.ts'

type Shown = Pick<DerivedConfig, 'backup'>

const NO_BACKUP = '(no backup)'
const S3 = 's3://'

/** The settings of backups of the embedded database, as rows of the table of settings. */
export const BACKUP_SETTINGS = {
  BACKUP_TO: {
    ...text('a folder, or a bucket such as s3://backups/tollgate', isBackupPlace),
    fallbackText: 'none: no backups are made',
    shown: ({ backup }: Shown) => backup?.place.name ?? NO_BACKUP,
  },
  BACKUP_KEY: {
    ...text('the base64 text of 32 random bytes', isVaultKey),
    secret: true,
    shown: ({ backup }: Shown) => (backup === null ? NO_BACKUP : '***'),
  },
  BACKUP_LAG_S: {
    ...wholeNumber('60', 1, 3_600, ' of seconds'),
    shown: ({ backup }: Shown) => String(backup?.lagS ?? NO_BACKUP),
  },
  BACKUP_S3_ENDPOINT: {
    ...text('an address such as https://s3.example.com, without path or query', isOrigin),
    fallbackText: 'that of AWS',
    shown: ({ backup }: Shown) => s3Of(backup)?.endpoint ?? '(AWS)',
  },
  BACKUP_S3_REGION: {
    ...text('a region such as eu-central-1', (value) => /^[a-z0-9-]{1,40}$/.test(value)),
    fallbackText: 'us-east-1',
    shown: ({ backup }: Shown) => s3Of(backup)?.region ?? '(none)',
  },
  BACKUP_S3_ACCESS_KEY: {
    ...text('the id of an access key', (value) => /^[!-~]{1,256}$/.test(value)),
    fallbackText: "AWS's own chain",
    shown: ({ backup }: Shown) => s3Of(backup)?.accessKey ?? '(none)',
  },
  BACKUP_S3_SECRET_KEY: {
    ...text('the secret of that access key', (value) => /^[!-~]{1,1024}$/.test(value)),
    fallbackText: "AWS's own chain",
    secret: true,
    shown: ({ backup }: Shown) => (s3Of(backup)?.secretKey ? '***' : '(none)'),
  },
} as const

/** The values of these settings. */
export interface BackupValues {
  readonly BACKUP_TO: string
  readonly BACKUP_KEY: string
  readonly BACKUP_LAG_S: number
  readonly BACKUP_S3_ENDPOINT: string
  readonly BACKUP_S3_REGION: string
  readonly BACKUP_S3_ACCESS_KEY: string
  readonly BACKUP_S3_SECRET_KEY: string
}

/** The place and key of backups, from values that were checked; null where none are made. */
export function backupOf(values: BackupValues): BackupConfig | null {
  if (values.BACKUP_TO === '' || values.BACKUP_KEY === '') return null
  return {
    place: placeOf(values),
    key: new Secret(values.BACKUP_KEY),
    lagS: values.BACKUP_LAG_S,
  }
}

/** A stolen backup key must not open card data. @param vaultKey null where the KMS keeps it */
export function oneKeyForTwo({ BACKUP_KEY }: BackupValues, vaultKey: Secret | null): string[] {
  if (BACKUP_KEY === '' || vaultKey?.reveal() !== BACKUP_KEY) return []
  return [
    'BACKUP_KEY is the key that card data is encrypted under, but backups need a key of their ' +
      'own: "tollgate backup key <file>" makes one.',
  ]
}

/** A sentence about backups that are not made; null for none. */
export function backupWarning({ BACKUP_TO }: BackupValues, databaseUrl: string): string | null {
  if (BACKUP_TO === '' || databaseUrl === '') return null
  return (
    'BACKUP_TO saves the embedded PostgreSQL only, and DATABASE_URL names one of your own: back ' +
    'that up with its own tools (docs/operators/backup.md).'
  )
}

function placeOf(values: BackupValues): BackupConfig['place'] {
  if (!values.BACKUP_TO.startsWith(S3)) {
    const folder = resolve(values.BACKUP_TO)
    return { kind: 'folder', name: folder, folder }
  }
  const [bucket = '', ...prefix] = values.BACKUP_TO.slice(S3.length).split('/')
  return {
    kind: 's3',
    name: values.BACKUP_TO,
    bucket,
    prefix: prefix.filter((part) => part !== '').join('/'),
    endpoint: values.BACKUP_S3_ENDPOINT || null,
    region: values.BACKUP_S3_REGION || 'us-east-1',
    accessKey: values.BACKUP_S3_ACCESS_KEY || null,
    secretKey: values.BACKUP_S3_SECRET_KEY === '' ? null : new Secret(values.BACKUP_S3_SECRET_KEY),
  }
}

function s3Of(backup: BackupConfig | null) {
  return backup?.place.kind === 's3' ? backup.place : null
}
