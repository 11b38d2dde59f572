import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ChallengePages } from '../../../src/usecases/three-ds/challenge-pages.ts'
import type {
  IssuerPage,
  SimulatedIssuer,
} from '../../../src/usecases/three-ds/simulated-issuer.ts'
import { aGateway } from '../fake-gateway.ts'

const LEAVE = {
  url: 'https://shop.example/back',
  fields: { TransactionId: 'T', Response: '', MD: '' },
}
const PAGE: IssuerPage = {
  status: 200,
  contentType: 'text/html; charset=utf-8',
  policy: "default-src 'none'; form-action 'self'",
  body: Buffer.from('<!doctype html><title>Bank</title>'),
}

/** A gateway whose challenges are all at one address of an issuer. */
function gatewayFor(
  challenge: { readonly acsUrl: string; readonly test: boolean },
  simulatedIssuer: SimulatedIssuer | null,
) {
  const challengePages: ChallengePages = {
    open: async () => ({
      kind: 'challenge',
      handle: 'h',
      fields: { creq: 'c', threeDSSessionData: 's' },
      window: '03',
      leave: LEAVE,
      ...challenge,
    }),
    status: async () => 'unknown',
    comeBack: async () => null,
  }
  const { app } = aGateway({ challengePages, simulatedIssuer })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return async (url: string, payload: string) => {
    const answer = await app.inject({ method: 'POST', url, headers, payload })
    const policy = String(answer.headers['content-security-policy'])
    return { status: answer.statusCode, body: answer.body, policy }
  }
}

/** The target of the form that opens the issuer's page. */
async function targetOf(post: ReturnType<typeof gatewayFor>): Promise<string | undefined> {
  const { body } = await post('/V2/Cruise/StepUp', 'JWT=x')
  return /<form id="challenge"[^>]* action="([^"]*)"/.exec(body)?.[1]
}

suite('the simulated issuer under the origin of the gateway', () => {
  const simulated = { acsUrl: 'https://localhost:8586/acs/creq', test: true }

  test('a challenge of a test account opens the page at the gateway, and its policy allows it', async () => {
    const post = gatewayFor(simulated, { post: async () => PAGE })
    assert.equal(await targetOf(post), '/acs/creq')
    const { policy } = await post('/V2/Cruise/StepUp', 'JWT=x')
    assert.match(policy, /frame-src 'self';/)
    assert.match(policy, /form-action 'self' https:\/\/shop\.example;/)
    assert.doesNotMatch(policy, /localhost/)
  })

  test('a challenge of a live account opens the page of its issuer, at the same path too', async () => {
    const post = gatewayFor({ ...simulated, test: false }, { post: async () => PAGE })
    assert.equal(await targetOf(post), simulated.acsUrl)
  })

  test('without a simulated issuer a test account opens the address that the bank published', async () => {
    const post = gatewayFor(simulated, null)
    assert.equal(await targetOf(post), simulated.acsUrl)
    assert.equal((await post('/acs/creq', 'creq=x')).status, 404)
  })

  test('a page of another path is opened at its own server', async () => {
    const acsUrl = 'https://localhost:8586/elsewhere'
    assert.equal(
      await targetOf(gatewayFor({ acsUrl, test: true }, { post: async () => PAGE })),
      acsUrl,
    )
  })

  test('the form of the browser reaches the bank unchanged, and its page comes back in a sandbox', async () => {
    const seen: string[] = []
    const post = gatewayFor(simulated, {
      async post(path, form) {
        seen.push(`${path} ${form.toString()}`)
        return PAGE
      },
    })
    for (const path of ['/acs/method', '/acs/creq', '/acs/creq/challenge']) {
      const { body, policy, status } = await post(path, 'a=%C3%BC+1&a=2')
      assert.deepEqual([status, body], [200, PAGE.body.toString()])
      assert.equal(policy, `${PAGE.policy}; sandbox allow-forms allow-scripts`)
    }
    assert.deepEqual(seen, [
      '/acs/method a=%C3%BC+1&a=2',
      '/acs/creq a=%C3%BC+1&a=2',
      '/acs/creq/challenge a=%C3%BC+1&a=2',
    ])
  })

  test('the customer can leave when the bank does not run', async () => {
    const post = gatewayFor(simulated, { post: async () => null })
    const { body, status } = await post('/acs/creq', 'creq=x')
    assert.equal(status, 502)
    assert.match(body, /The simulated bank does not answer/)
    // The script of the notice has the page around it offer the way back.
    assert.match(body, /tollgate\.three-ds\.stray/)
  })
})
