import type { DerivedConfig } from './derived-config.ts'
import { hasPassword, maskDatabaseUrl } from './mask-database-url.ts'
import { text, wholeNumber } from './setting-kinds.ts'
import { isPostgresUrl } from './value-forms.ts'

type Shown = Pick<DerivedConfig, 'databaseUrl' | 'databaseWaitMs'>

/** The settings of the database, as rows of the table of settings. */
export const DATABASE_SETTINGS = {
  DATABASE_URL: {
    ...text('an address such as postgresql://user:password@host:5432/database', isPostgresUrl),
    fallbackText: 'embedded PostgreSQL',
    secret: true,
    shown: ({ databaseUrl }: Shown): string =>
      databaseUrl === null ? '(embedded)' : maskDatabaseUrl(databaseUrl),
  },
  DATABASE_PASSWORD: {
    ...text('text', () => true),
    fallbackText: 'the password in `DATABASE_URL`',
    secret: true,
    shown: ({ databaseUrl }: Shown): string =>
      databaseUrl !== null && hasPassword(databaseUrl) ? '***' : '(none)',
  },
  DATABASE_CA: { ...text('a file', () => true), field: 'databaseCa', none: '(none)' },
  DATABASE_WAIT_S: {
    ...wholeNumber('60', 0, 86_400, ' of seconds'),
    shown: ({ databaseWaitMs }: Shown): string => String(databaseWaitMs / 1_000),
  },
} as const
