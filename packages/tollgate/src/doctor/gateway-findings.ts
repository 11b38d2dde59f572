import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { json } from 'node:stream/consumers'
import { fault, good, warning, type Finding } from './finding.ts'

const PART = 'gateway'
const ANSWERS_WITHIN_MS = 3_000

/** The answer of `/health/ready`. */
export interface GatewayHealth {
  readonly status: string
  readonly database: string
  readonly links: readonly {
    readonly name: string
    readonly mode: string
    readonly state: string
  }[]
}

/** Asks the gateway of this node; null if none answers. @param baseUrl its own address */
export async function readHealth(baseUrl: string): Promise<GatewayHealth | null> {
  const url = new URL('/health/ready', baseUrl)
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS)
  // The certificate is judged by itself, and has the public name only.
  const options = { signal, rejectUnauthorized: false }
  return new Promise((resolve) => {
    const get = url.protocol === 'https:' ? getSecure : getPlain
    get(url, options, (response) => {
      json(response).then(
        (body) => resolve(isHealth(body) ? body : null),
        () => resolve(null),
      )
    }).on('error', () => resolve(null))
  })
}

function isHealth(body: unknown): body is GatewayHealth {
  return typeof body === 'object' && body !== null && 'links' in body && Array.isArray(body.links)
}

/** Judges a running gateway; without one there is nothing to judge. */
export function judgeGateway(health: GatewayHealth | null, baseUrl: string): readonly Finding[] {
  if (health === null) return [good(PART, `No gateway answers at ${baseUrl}: it is not running.`)]
  const { database, links, status } = health
  const state = database.replace('_', '-')
  const ready =
    status === 'ready'
      ? good(PART, `The gateway at ${baseUrl} is ready.`)
      : fault(
          PART,
          `The gateway at ${baseUrl} takes no payments; its database is ${state}.`,
          'Look into its log, and see docs/operators/database-trouble.md.',
        )
  return [ready, ...links.map(judgeLink)]
}

function judgeLink({ mode, name, state }: GatewayHealth['links'][number]): Finding {
  const found = `The ${mode} link "${name}" is ${state.replace('_', ' ')}.`
  if (state === 'up') return good('links', found)
  const advice = 'Check address, port and certificates: tollgate links, and the log of the gateway.'
  return warning('links', found, advice)
}
