import { readFileSync } from 'node:fs'
import { Secret } from '../base/secret.ts'
import { isMailAddress } from '../domain/mail/mail-address.ts'
import type { DerivedConfig } from './derived-config.ts'
import { host, oneOf, port, text } from './setting-kinds.ts'

type Shown = Pick<DerivedConfig, 'smtp'>

const NO_MAIL = '(no mail)'

/** The settings of the operator's mail server, as rows of the table of settings. */
export const MAIL_SETTINGS = {
  SMTP_HOST: { ...host(''), shown: ({ smtp }: Shown) => smtp?.host ?? NO_MAIL },
  SMTP_PORT: { ...port('587'), shown: ({ smtp }: Shown) => String(smtp?.port ?? NO_MAIL) },
  SMTP_TLS: {
    ...oneOf('starttls', ['starttls', 'implicit', 'none']),
    shown: ({ smtp }: Shown) => smtp?.tls ?? NO_MAIL,
  },
  SMTP_USER: {
    ...text('a user name of at most 254 characters', (value) => value.length <= 254),
    shown: ({ smtp }: Shown) => smtp?.user || '(none)',
  },
  SMTP_PASSWORD: {
    ...text('a password of at most 1024 characters', (value) => value.length <= 1_024),
    secret: true,
    shown: ({ smtp }: Shown) => (smtp?.password ? '***' : '(none)'),
  },
  SMTP_CA: {
    ...text('a file', () => true),
    shown: ({ smtp }: Shown) => (smtp?.ca ? '(from the file)' : '(public authorities)'),
  },
  MAIL_FROM: {
    ...text('an e-mail address such as receipts@pay.example.com, without a name', isMailAddress),
    shown: ({ smtp }: Shown) => smtp?.from ?? NO_MAIL,
  },
} as const

/** The values of these settings. */
export interface MailValues {
  readonly SMTP_HOST: string
  readonly SMTP_PORT: number
  readonly SMTP_TLS: 'starttls' | 'implicit' | 'none'
  readonly SMTP_USER: string
  readonly SMTP_PASSWORD: string
  readonly SMTP_CA: string
  readonly MAIL_FROM: string
}

/** The mail server of these values, which were checked; null where none is named. */
export function smtpOf(values: MailValues): DerivedConfig['smtp'] {
  if (values.SMTP_HOST === '') return null
  return {
    host: values.SMTP_HOST,
    port: values.SMTP_PORT,
    tls: values.SMTP_TLS,
    user: values.SMTP_USER,
    password: values.SMTP_PASSWORD === '' ? null : new Secret(values.SMTP_PASSWORD),
    ca: values.SMTP_CA === '' ? null : readFileSync(values.SMTP_CA, 'utf8'),
    from: values.MAIL_FROM,
  }
}
