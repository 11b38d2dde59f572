import { openOperator, Secret, type ApiUserAdmin } from '@tollgate/gateway/operator'
import type { RunningGateway } from './running-gateway.ts'

export interface Login {
  readonly username: string
  readonly password: string
  /** 1001 when none is named. */
  readonly site?: string
  /** The client's address, as reported by a proxy that the gateway has to trust. */
  readonly address?: string
}

/** The API code of a TESTAUTH, 0 for one that was let in; the HTTP status where that is not 200. */
export async function logIn(baseUrl: string, login: Login): Promise<string> {
  const { username, password, site = '1001', address = '192.0.2.1' } = login
  const response = await fetch(new URL('/payment/pmt_service.cfm', baseUrl), {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: new URLSearchParams({
      REQ_USERNAME: username,
      REQ_PASSWORD: password,
      SITE_ID: site,
      REQUEST_API_VERSION: '4.14',
      REQUEST_ACTION: 'TESTAUTH',
    }),
  })
  const text = await response.text()
  return response.status === 200
    ? (/<API_RESPONSE>(\d+)<\/API_RESPONSE>/.exec(text)?.[1] ?? text)
    : `HTTP ${response.status}`
}

/** How often each answer came. */
export function tally(answers: readonly string[]): Record<string, number> {
  const counted: Record<string, number> = {}
  for (const answer of answers) counted[answer] = (counted[answer] ?? 0) + 1
  return counted
}

/** Does an operator's work on the API users of a running gateway. */
export async function withUsers<Result>(
  { databaseUrl }: RunningGateway,
  work: (users: ApiUserAdmin) => Promise<Result>,
): Promise<Result> {
  const operator = await openOperator({
    databaseUrl: new Secret(databaseUrl),
    vaultKey: null,
    apiUserIdleDays: 90,
  })
  try {
    return await work(operator.users)
  } finally {
    await operator.close()
  }
}

let made = 0

/** Makes a user of the demo merchant; its password goes by the user's name. */
export async function newUser(gateway: RunningGateway): Promise<Required<Omit<Login, 'site'>>> {
  made += 1
  const username = `user-${process.pid}-${made}@tollgate.test`
  const password = 'Chosen-by-nobody-4711'
  await withUsers(gateway, async (users) => {
    const added = await users.add(1, username, new Secret(password))
    if (!added.ok) throw new Error(added.faults.join(' '))
  })
  return { username, password, address: '192.0.2.1' }
}
