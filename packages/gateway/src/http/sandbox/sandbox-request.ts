import { maskText } from '../../base/card-masking.ts'
import { Secret } from '../../base/secret.ts'

/** An invalid body. The message states what was found and what was expected. */
export class SandboxRequestError extends Error {
  readonly field: string

  constructor(field: string, sentence: string) {
    super(sentence)
    this.field = field
  }
}

export type Body = Readonly<Record<string, unknown>>

export interface Caller {
  readonly username: string
  readonly password: Secret
  readonly site: string
}

/** Throws for a body that is no object. */
export function readBody(body: unknown): Body {
  if (!Buffer.isBuffer(body) || body.length === 0) {
    throw new SandboxRequestError(
      '',
      'The request has no body. Expected a JSON object with username, password and site.',
    )
  }
  let value: unknown
  try {
    value = JSON.parse(body.toString('utf8'))
  } catch {
    throw new SandboxRequestError(
      '',
      'The body is no JSON. Expected an object with username, password and site.',
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SandboxRequestError(
      '',
      'The body is no JSON object. Expected one with username, password and site.',
    )
  }
  return value as Body
}

export function readCaller(body: Body): Caller {
  const { username, password, site } = body
  if (typeof username !== 'string' || username === '')
    throw missing('username', 'the name of an API user')
  if (typeof password !== 'string' || password === '')
    throw missing('password', "the API user's password")
  const siteText = typeof site === 'number' ? String(site) : site
  if (typeof siteText !== 'string' || !/^[1-9][0-9]{0,17}$/.test(siteText))
    throw missing('site', 'the number of a site')
  return { username, password: new Secret(password), site: siteText }
}

/** Refuses names that are not read: a mistake in them would go unnoticed. */
export function assertMembers(body: Body, names: readonly string[]): void {
  assertOnly(body, ['username', 'password', 'site', ...names])
}

/** The same for an object within the body. */
export function assertOnly(body: Body, known: readonly string[]): void {
  const strange = Object.keys(body).find((name) => !known.includes(name))
  if (strange === undefined) return
  throw new SandboxRequestError(
    maskText(strange).slice(0, 40),
    `The body has a member that is not known here. Expected no others than ${known.join(', ')}.`,
  )
}

function missing(field: string, what: string): SandboxRequestError {
  return new SandboxRequestError(field, `${field} is missing. Expected ${what}.`)
}
