import { SAMPLE_MERCHANT, SAMPLE_PASSWORD, SAMPLE_SITES } from './sample-merchant.ts'

/**
 * Makes a token key for each sample site, as its owner does in the portal. Without one, no card can
 * be typed at the virtual terminal. Sites that have one keep it. Throws when the portal refuses.
 */
export async function giveTokenKeys(baseUrl: string): Promise<void> {
  const ask = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Response> => {
    const response = await fetch(new URL(`/portal/api${path}`, baseUrl), {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    if (!response.ok)
      throw new Error(
        `${method} ${path} at the portal was answered ${response.status}: ${await response.text()}`,
      )
    return response
  }

  const signedIn = await ask(
    'POST',
    '/session',
    {},
    { email: SAMPLE_MERCHANT.owner, password: SAMPLE_PASSWORD },
  )
  const [cookie = ''] = (signedIn.headers.getSetCookie()[0] ?? '').split(';')
  const { csrfToken } = (await signedIn.json()) as { csrfToken: string }
  const session = { cookie, 'x-csrf-token': csrfToken }
  for (const { id } of SAMPLE_SITES) {
    const { tokens } = (await (await ask('GET', `/settings/sites/${id}`, session)).json()) as {
      tokens: { current: string | null }
    }
    if (tokens.current === null) await ask('POST', `/settings/sites/${id}/token-keys`, session)
  }
  await ask('DELETE', '/session', session)
}
