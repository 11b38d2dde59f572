import { SAMPLE_MERCHANT, SAMPLE_PASSWORD } from './sample-merchant.ts'

/** The owner of the sample merchant, signed in at the portal. */
export interface OwnerSession {
  /**
   * The JSON that a route of the portal's API answers.
   *
   * @param path behind `/portal/api`
   * @param body sent as JSON
   * @throws Error when the portal refuses
   */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>
}

/** Signs in as a browser does. Throws when the portal refuses. */
export async function signInOwner(baseUrl: string): Promise<OwnerSession> {
  const send = async (
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
  const owner = { email: SAMPLE_MERCHANT.owner, password: SAMPLE_PASSWORD }
  const signedIn = await send('POST', '/session', {}, owner)
  const [cookie = ''] = (signedIn.headers.getSetCookie()[0] ?? '').split(';')
  const { csrfToken } = (await signedIn.json()) as { csrfToken: string }
  return {
    async call(method, path, body) {
      const answer = await send(method, path, { cookie, 'x-csrf-token': csrfToken }, body)
      const text = await answer.text()
      return text === '' ? null : (JSON.parse(text) as unknown)
    },
  }
}
