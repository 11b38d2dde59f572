import { credentials, type RunningGateway } from './running-gateway.ts'

/** The answer of `/sandbox/clock`. */
export interface ClockAnswer {
  readonly status: number
  readonly time: string
  readonly realTime: string
  readonly ownClock: boolean
  readonly speed: number
  readonly movingTo: string | null
  readonly done: Readonly<Record<string, number>>
  readonly agenda: readonly {
    readonly at: string
    readonly what: string
    readonly object: string
  }[]
  readonly next: string | null
  readonly error?: { readonly code: string; readonly field?: string; readonly message: string }
}

type Site = 1001 | 1002 | 1003

/** Asks /sandbox/clock for a demo site. `action`: what stands behind the address, or ''. */
export async function clock(
  { baseUrl }: Pick<RunningGateway, 'baseUrl'>,
  action: string,
  members: Readonly<Record<string, unknown>> = {},
  site: Site = 1001,
): Promise<ClockAnswer> {
  const { REQ_USERNAME: username, REQ_PASSWORD: password } = credentials(site)
  const response = await fetch(
    new URL(`/sandbox/clock${action === '' ? '' : `/${action}`}`, baseUrl),
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password, site, ...members }),
    },
  )
  const body = (await response.json()) as Omit<ClockAnswer, 'status'>
  return { ...body, status: response.status }
}
