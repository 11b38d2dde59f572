import { resolve } from 'node:path'
import { databaseAddresses } from '../base/database-addresses.ts'
import { isLoopback } from './loopback.ts'
import type { SettingName, SettingValues } from './settings.ts'

type WholeUrl =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly problem: string }

type Given = Pick<SettingValues, 'DATABASE_CA' | 'DATABASE_PASSWORD' | 'DATABASE_URL'>

/** Scheme, user and password of an address, up to the `@`. */
const AUTHORITY = /^(postgres(?:ql)?:\/\/)([^:@/?#]*)(?::([^@/?#]*))?@/

/**
 * The address of the database with the password and the authority that are settings of their own,
 * on each of its servers. An address that has them already stays as it is. '' if there is none, or
 * a faulty one, which has its sentence.
 */
export function wholeDatabaseUrl(given: Given, faulty: ReadonlySet<SettingName>): WholeUrl {
  const { DATABASE_CA: ca, DATABASE_PASSWORD: password, DATABASE_URL: url } = given
  if (faulty.has('DATABASE_URL')) return { ok: true, url: '' }
  if (url === '' && (password !== '' || ca !== '')) {
    const lonely = password === '' ? 'DATABASE_CA' : 'DATABASE_PASSWORD'
    return { ok: false, problem: `${lonely} is set, but DATABASE_URL is not: set it too.` }
  }
  const whole = password === '' ? { ok: true as const, url } : withPassword(url, password)
  return whole.ok && ca !== '' ? { ok: true, url: withAuthority(whole.url, resolve(ca)) } : whole
}

function withPassword(url: string, password: string): WholeUrl {
  const [, scheme = '', user = '', written] = AUTHORITY.exec(url) ?? []
  const encoded = encodeURIComponent(password)
  if (user === '') {
    const problem = 'DATABASE_PASSWORD is set, but DATABASE_URL names no user: name one.'
    return { ok: false, problem }
  }
  if (written !== undefined && written !== encoded) {
    const problem =
      'DATABASE_URL has a password and DATABASE_PASSWORD is set, but it can come from one place ' +
      'only.'
    return { ok: false, problem }
  }
  return { ok: true, url: url.replace(AUTHORITY, () => `${scheme}${user}:${encoded}@`) }
}

function withAuthority(url: string, caFile: string): string {
  const { searchParams } = new URL(databaseAddresses(url)[0] ?? url)
  const more = [
    ['sslrootcert', caFile],
    ['sslmode', 'verify-full'],
  ].flatMap(([name = '', value = '']) =>
    searchParams.has(name) ? [] : [`${name}=${encodeURIComponent(value)}`],
  )
  return more.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${more.join('&')}`
}

const CHECKED = new Set(['require', 'verify-ca', 'verify-full'])

/**
 * The warning about a connection to the database that others on its way can read or forge. Null for
 * one that is protected, or does not leave this machine.
 */
export function databaseLinkRisk(url: string): string | null {
  for (const address of url === '' ? [] : databaseAddresses(url)) {
    const { hostname, searchParams } = new URL(address)
    const host = searchParams.get('host') ?? hostname
    if (host.startsWith('/') || host === '' || isLoopback(host.replace(/^\[|\]$/g, ''))) continue
    const mode = searchParams.get('sslmode') ?? 'disable'
    if (CHECKED.has(mode)) continue
    const risk =
      mode === 'no-verify'
        ? `the certificate of ${host} is not checked (sslmode=no-verify)`
        : `the connection to ${host} is not encrypted`
    return (
      `DATABASE_URL: ${risk}. Set DATABASE_CA to the certificate of its authority, or add ` +
      '?sslmode=verify-full to the address.'
    )
  }
  return null
}
