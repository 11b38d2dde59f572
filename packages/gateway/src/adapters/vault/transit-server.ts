import { readFile } from 'node:fs/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'

/** A HashiCorp Vault or an OpenBao. */
export interface TransitServer {
  /** Scheme, host and port; no slash at the end. */
  readonly address: string
  /** Holds the token, and is read for each call: an agent replaces the token before its end. */
  readonly tokenFile: string
  /** Without slashes at its ends; '' for none. */
  readonly namespace: string
  /** PEM of the authorities that sign for the server; null for the public ones. */
  readonly caFile: string | null
}

/** An answer with `data`, or what the server has against the request. */
export type TransitAnswer =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly status: number; readonly errors: readonly string[] }

export type TransitCall = (
  method: 'GET' | 'POST',
  path: string,
  body: Readonly<Record<string, string>> | null,
) => Promise<TransitAnswer>

interface Reply {
  readonly status: number
  readonly text: string
}

const ATTEMPT_TIMEOUT_MS = 4_000
/** Waits before the second and the later attempts; a call ends within some 13 s. */
const WAITS_MS = [100, 300]
const LONGEST_REPLY = 65_536

/** Answers that another attempt may change: lagging replicas, quotas, and servers in trouble. */
const isPassing = (status: number): boolean => status === 412 || status === 429 || status >= 500

/**
 * Makes calls to a Vault below its API's address. A call throws a sentence for a server that does
 * not answer, and for a token or authority that cannot be read. No sentence has a token in it.
 */
export function transitCalls(server: TransitServer): TransitCall {
  return async (method, path, body) => {
    const token = await readText('VAULT_TOKEN_FILE', server.tokenFile)
    const ca = server.caFile === null ? undefined : await readText('VAULT_CACERT', server.caFile)
    const headers = {
      'x-vault-token': token,
      'x-vault-request': 'true',
      ...(server.namespace === '' ? {} : { 'x-vault-namespace': server.namespace }),
    }
    const text = body === null ? null : JSON.stringify(body)
    const url = new URL(`/v1/${path}`, server.address)
    const attempt = (): Promise<Reply> => exchange(url, { method, headers, ca, text })
    const reply = await repeated(attempt, server.address)
    return answerOf(reply, [token, ...Object.values(body ?? {})])
  }
}

async function repeated(attempt: () => Promise<Reply>, address: string): Promise<Reply> {
  for (let tried = 0; ; tried += 1) {
    const wait = WAITS_MS[tried]
    try {
      const reply = await attempt()
      if (wait === undefined || !isPassing(reply.status)) return reply
    } catch (cause) {
      const { name, code, message } = cause as Error & { readonly code?: string }
      const reason = name === 'AbortError' ? 'no answer in time' : (code ?? message.split('\n')[0])
      if (wait === undefined) {
        throw new Error(
          `the Vault at ${address} cannot be reached (${reason}): check VAULT_ADDR, VAULT_CACERT ` +
            'and the network',
          { cause },
        )
      }
    }
    await pause(wait)
  }
}

function exchange(
  url: URL,
  {
    method,
    headers,
    ca,
    text,
  }: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly ca: string | undefined
    readonly text: string | null
  },
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: text === null ? headers : { ...headers, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
      agent: false as const,
      ...(ca === undefined ? {} : { ca }),
    }
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(url, options, (incoming) => {
      let reply = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (part: string) => {
        reply += part
        if (reply.length > LONGEST_REPLY) incoming.destroy(new Error('an answer without end'))
      })
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: reply }))
    })
    sent.on('error', reject)
    sent.end(text ?? undefined)
  })
}

/** @param secrets are taken out of what the server says */
function answerOf({ status, text }: Reply, secrets: readonly string[]): TransitAnswer {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return { ok: false, status, errors: [] }
  }
  const { data, errors } = Object(parsed) as { readonly data?: unknown; readonly errors?: unknown }
  if (status === 200 && typeof data === 'object' && data !== null) {
    return { ok: true, data: { ...data } }
  }
  const said = Array.isArray(errors) ? errors.map(String) : []
  return { ok: false, status, errors: said.map((error) => cleaned(error, secrets)) }
}

function cleaned(error: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), error)
  return masked.replaceAll(/\s+/g, ' ').trim().slice(0, 200)
}

async function readText(setting: string, file: string): Promise<string> {
  let text: string
  try {
    text = (await readFile(file, 'utf8')).trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${setting} is ${file}, a file that cannot be read (${code})`, { cause: error })
  }
  if (text !== '') return text
  throw new Error(`${setting} is ${file}, a file that is empty`)
}
