import { credentials, type RunningGateway } from './running-gateway.ts'

/** The answer of an operation: its HTTP status with the members of its body. */
export type OperationAnswer = Readonly<Record<string, unknown>> & {
  readonly status: number
  readonly error?: { readonly code: string; readonly field?: string; readonly message: string }
}

/** Asks for an operation at a demo site, as an API user of its merchant. */
export async function operation(
  { baseUrl }: Pick<RunningGateway, 'baseUrl'>,
  name: string,
  members: Readonly<Record<string, unknown>> = {},
  site: 1001 | 1002 = 1001,
): Promise<OperationAnswer> {
  const { REQ_USERNAME: username, REQ_PASSWORD: password } = credentials(site)
  const response = await fetch(new URL(`/sandbox/operations/${name}`, baseUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, site, ...members }),
  })
  const body = (await response.json()) as Readonly<Record<string, unknown>>
  return { ...body, status: response.status }
}
