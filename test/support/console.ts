import assert from 'node:assert/strict'
import { Secret as OtpSecret, TOTP } from 'otpauth'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator } from '../../packages/gateway/src/wiring/operator.ts'
import { runCommand } from '../../packages/tollgate/src/command.ts'
import { operators } from '../../packages/tollgate/src/operators-command.ts'
import type { PortalAnswer } from './portal.ts'
import type { RunningGateway } from './running-gateway.ts'

/** The outcome of `tollgate operators`. */
interface RanCommand {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `tollgate operators` with the words of a line, for the console at an address. */
export async function operatorsCommand(
  gateway: Pick<RunningGateway, 'databaseUrl' | 'vaultKey'>,
  consoleUrl: string,
  line: string,
): Promise<RanCommand> {
  const [out, err]: [string[], string[]] = [[], []]
  const env = {
    DATABASE_URL: gateway.databaseUrl,
    VAULT_KEY: gateway.vaultKey.reveal(),
    ...(consoleUrl === '' ? {} : { CONSOLE_PORT: new URL(consoleUrl).port }),
  }
  const code = await runCommand(operators, line === '' ? [] : line.split(' '), {
    env,
    print: (text) => void out.push(text),
    complain: (text) => void err.push(text),
  })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

/** The token of the link that a text has. */
export function tokenOf(text: string): string {
  return /\/console\/invitation#([\w-]{43})/.exec(text)?.[1] ?? ''
}

/** The code of a second factor, some steps of 30 seconds from now. */
export function codeOf(secret: string, steps = 0): string {
  const timestamp = Date.now() + steps * 30_000
  return new TOTP({ secret: OtpSecret.fromBase32(secret) }).generate({ timestamp })
}

/** A caller of the console's API, as a browser calls it. */
export interface ConsoleCaller {
  send(method: string, path: string, body?: unknown): Promise<PortalAnswer>
  /** The answer of the last step of the sign-in. */
  session(): PortalAnswer['body']
  /** The cookie that it sends. */
  cookie(): string
}

/** Calls the console's API with the cookie and the token that it was given. */
export function consoleCaller(consoleUrl: string): ConsoleCaller {
  let cookie = ''
  let session: PortalAnswer['body'] = null
  return {
    session: () => session,
    cookie: () => cookie,
    async send(method, path, body) {
      const answer = await fetch(`${consoleUrl}/console/api${path}`, {
        method,
        headers: {
          cookie,
          ...(method === 'GET' ? {} : { 'x-csrf-token': String(session?.csrfToken ?? '') }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      const [set] = answer.headers.getSetCookie()
      if (set !== undefined) [cookie = ''] = set.split(';')
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
      const parsed: PortalAnswer['body'] = isJson ? JSON.parse(text) : null
      const isSession = /^\/(?:session|invitation)\b(?!\/left|\/look)/.test(path)
      if (answer.ok && isSession && method !== 'DELETE') session = parsed
      return { status: answer.status, body: parsed, headers: answer.headers, text }
    },
  }
}

/** An operator who signed in with password and code. */
export interface SignedInOperator extends ConsoleCaller {
  readonly email: string
  readonly password: string
  /** Of the second factor. */
  readonly secret: string
}

/** Invites an operator by the command, takes the invitation, and sets up the second factor. */
export async function signInOperator(
  gateway: Pick<RunningGateway, 'databaseUrl' | 'vaultKey'>,
  consoleUrl: string,
  { email, role, name }: { readonly email: string; readonly role: string; readonly name: string },
): Promise<SignedInOperator> {
  const invited = await operatorsCommand(gateway, consoleUrl, `invite ${email} ${role} ${name}`)
  assert.equal(invited.code, 0, invited.err)
  const password = `Quartz-${email.slice(0, 3)}-vexes-8431`
  const caller = consoleCaller(consoleUrl)
  const taken = await caller.send('POST', '/invitation', {
    token: tokenOf(invited.out),
    name,
    newPassword: password,
  })
  assert.equal(taken.status, 200, taken.text)
  const secret = await enrol(caller)
  return { ...caller, email, password, secret }
}

/** Sets up the second factor of a caller who has given the password; returns its secret. */
export async function enrol(caller: ConsoleCaller): Promise<string> {
  const { body: begun } = await caller.send('POST', '/account/second-factor/begin')
  const secret = String(begun.secret)
  const set = await caller.send('POST', '/account/second-factor', {
    sealed: begun.sealed,
    code: codeOf(secret),
    password: null,
  })
  assert.equal(set.status, 200, set.text)
  assert.equal(set.body.recoveryCodes.length, 10)
  assert.equal((await caller.send('GET', '/session')).status, 200)
  return secret
}

/** Gives the other merchant a live account, 3002, and moves its site to live mode. */
export async function goLive({
  pool,
  databaseUrl,
  vaultKey,
}: Pick<RunningGateway, 'pool' | 'databaseUrl' | 'vaultKey'>): Promise<void> {
  await pool.query(
    `with link as (
       insert into processor_links (name, mode, addresses, profile, institution_id,
         echo_idle_seconds, request_window, message_timeout_ms)
       values ('live', 'live', '{127.0.0.1:1}', 'house', '500001', 60, 8, 1000) returning id)
     insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
       acquirer_merchant_id, category_code, name_and_location, currencies, processor_link_id)
     select 3002, merchant_id, 'live', 'live', '500001', 'LIVE3002', category_code,
            name_and_location, currencies, (select id from link)
       from merchant_accounts where id = 2002`,
  )
  await pool.query(
    `insert into site_merchant_accounts (site_id, merchant_account_id, position)
     values (1002, 3002, 9)`,
  )
  const operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
  try {
    const moved = await operator.setSiteMode(1002, 'live')
    assert.ok(moved.ok, JSON.stringify(moved))
  } finally {
    await operator.close()
  }
}
