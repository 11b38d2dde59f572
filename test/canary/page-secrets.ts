import { Secret as OtpSecret, TOTP } from 'otpauth'
import type { Mark } from './marks.ts'
import type { ProgramRun } from './program-run.ts'

export interface Told {
  readonly status: number
  readonly body: any // oxlint-disable-line no-explicit-any -- looked into as it comes
  readonly cookie: string
}

/** The second factor that a user of pages was given. */
interface GivenFactor {
  readonly secret: string
  /** The code some steps of 30 seconds from now. */
  readonly codeOf: (steps: number) => string
  readonly recoveryCodes: readonly string[]
  readonly told: Told
}

/**
 * Secrets that the program generates for users of pages: one browser receives each, and no place
 * may have it.
 */
export interface PageSecrets {
  /** To be asked once the path was taken. */
  marks(): readonly Mark[]
  mark(name: string, text: string): void
  /** An answer with a secret is for the browser alone, so it is not kept for the search. */
  tell(
    run: ProgramRun,
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Told>
  /** Sets up a second factor. `password`: null for a user on the way in. */
  setSecondFactor(run: ProgramRun, user: Told, password: string | null): Promise<GivenFactor>
}

/** `apiOf`: the address of the API of the pages. */
export function createPageSecrets(what: string, apiOf: (run: ProgramRun) => string): PageSecrets {
  const made: Mark[] = []
  const secrets: PageSecrets = {
    marks() {
      if (made.length < 6) throw new Error(`The path through ${what} has made too few secrets.`)
      return made
    },

    mark(name, text) {
      made.push(
        { kind: 'text', name, text },
        { kind: 'bytes', name, bytes: Buffer.from(text, 'base64url') },
      )
    },

    async tell(run, path, body, headers = {}) {
      const response = await fetch(`${apiOf(run)}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
      const [cookie = ''] = (response.headers.getSetCookie()[0] ?? '').split(';')
      if (cookie !== '') secrets.mark('the token of a session', cookie.split('=')[1] ?? '')
      return { status: response.status, body: await response.json(), cookie }
    },

    async setSecondFactor(run, user, password) {
      const headers = as(user)
      const begun = await secrets.tell(run, '/account/second-factor/begin', {}, headers)
      const text = String(begun.body.secret)
      const secret = OtpSecret.fromBase32(text)
      made.push(
        { kind: 'text', name: 'the secret of a second factor', text },
        { kind: 'bytes', name: 'the secret of a second factor', bytes: Buffer.from(secret.buffer) },
      )
      const codeOf = (steps: number): string =>
        new TOTP({ secret }).generate({ timestamp: Date.now() + steps * 30_000 })
      const given = { sealed: begun.body.sealed, code: codeOf(0), password }
      const told = await secrets.tell(run, '/account/second-factor', given, headers)
      const recoveryCodes = told.body.recoveryCodes as string[]
      for (const code of recoveryCodes) {
        made.push(
          { kind: 'text', name: 'a recovery code', text: code },
          { kind: 'text', name: 'a recovery code', text: code.replaceAll('-', '') },
        )
      }
      return { secret: text, codeOf, recoveryCodes, told }
    },
  }
  return secrets
}

/** The headers of a signed-in user. */
export function as({ cookie, body }: Told): Record<string, string> {
  return { cookie, 'x-csrf-token': String(body.csrfToken) }
}
