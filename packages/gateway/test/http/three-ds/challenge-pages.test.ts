import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  ACS_URL,
  RETURN_URL,
  startThreeDsWorld,
  type AChallenge,
  type ThreeDsWorld,
} from './three-ds-world.ts'

const STEP_UP = '/V2/Cruise/StepUp'
const TERM = '/V2/Cruise/Term'

suite('pages of the challenge', () => {
  let world: ThreeDsWorld
  before(async () => void (world = await startThreeDsWorld()))
  after(() => world?.stop())

  async function rowOf({ serverTransId }: AChallenge): Promise<Record<string, unknown>> {
    const { rows } = await world.pool.query<Record<string, unknown>>(
      'select * from three_ds_authentications where server_trans_id = $1',
      [serverTransId],
    )
    return rows[0] ?? {}
  }

  /** Values of the hidden fields, and where the forms go. */
  function formOf(body: string): Record<string, string> {
    const inputs = [...body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const actions = [...body.matchAll(/<form id="(\w+)"[^>]* action="([^"]*)"/g)]
    return Object.fromEntries([
      ...inputs.map(([, name = '', value = '']) => [name, value] as const),
      ...actions.map(([, id = '', url = '']) => [`action of ${id}`, url] as const),
    ])
  }

  function handleOf(body: string): string {
    const [, text = '{}'] = /id="page-data">([^<]*)</.exec(body) ?? []
    return (JSON.parse(text) as { handle?: string }).handle ?? ''
  }

  async function statusOf(handle: string) {
    const answer = await world.app.inject({
      url: `${STEP_UP}/status`,
      headers: { 'page-handle': handle },
    })
    return { status: answer.statusCode, ...answer.json<{ state: string; response?: string }>() }
  }

  function cresOf(challenge: AChallenge, changes: Record<string, unknown> = {}): string {
    const message = {
      messageType: 'CRes',
      messageVersion: '2.2.0',
      threeDSServerTransID: challenge.serverTransId,
      acsTransID: challenge.acsTransId,
      challengeCompletionInd: 'Y',
      transStatus: 'Y',
      ...changes,
    }
    return Buffer.from(JSON.stringify(message)).toString('base64url')
  }

  async function begun(): Promise<{
    challenge: AChallenge
    sessionHandle: string
    pageHandle: string
  }> {
    const challenge = await world.challenge()
    const { body } = await world.post(STEP_UP, { JWT: challenge.token, MD: 'my "order" <17>' })
    return {
      challenge,
      sessionHandle: formOf(body)['threeDSSessionData'] ?? '',
      pageHandle: handleOf(body),
    }
  }

  test('the first load sends the CReq of this payment into a frame', async () => {
    const challenge = await world.challenge({ window: '04' })
    const { body, status } = await world.post(STEP_UP, { JWT: challenge.token, MD: 'm' })
    assert.equal(status, 200)
    const form = formOf(body)
    assert.deepEqual(JSON.parse(Buffer.from(form['creq'] ?? '', 'base64url').toString()), {
      messageType: 'CReq',
      messageVersion: '2.2.0',
      threeDSServerTransID: challenge.serverTransId,
      acsTransID: challenge.acsTransId,
      challengeWindowSize: '04',
    })
    assert.equal(form['action of challenge'], ACS_URL)
    assert.equal(form['action of leave'], RETURN_URL)
    assert.deepEqual(
      [form['TransactionId'], form['Response'], form['MD']],
      [challenge.procTransId, '', 'm'],
    )
    const row = await rowOf(challenge)
    assert.ok(row['creq_sent_at'] instanceof Date)
    assert.equal(row['session_handle'], form['threeDSSessionData'])
    const { rows } = await world.pool.query(
      'select direction, type from three_ds_messages where server_trans_id = $1',
      [challenge.serverTransId],
    )
    assert.deepEqual(rows, [{ direction: 'out', type: 'CReq' }])
  })

  test('of loads at the same time one sends the CReq, and no later load does', async () => {
    const challenge = await world.challenge()
    const loads = await Promise.all(
      Array.from({ length: 8 }, () => world.post(STEP_UP, { JWT: challenge.token })),
    )
    loads.push(await world.post(STEP_UP, { JWT: challenge.token }))
    assert.equal(loads.filter(({ body }) => body.includes('name="creq"')).length, 1)
    for (const { body, status } of loads) {
      assert.equal(status, 200)
      assert.equal((await statusOf(handleOf(body))).state, 'waiting')
      assert.equal(formOf(body)['action of leave'], RETURN_URL)
    }
  })

  test('the issuer sends the browser back, and each page returns it to the shop', async () => {
    const { challenge, pageHandle, sessionHandle } = await begun()
    assert.equal((await statusOf(pageHandle)).state, 'waiting')
    const { body, status } = await world.post(TERM, {
      cres: cresOf(challenge),
      threeDSSessionData: sessionHandle,
    })
    assert.equal(status, 200)
    const form = formOf(body)
    assert.equal(form['action of leave'], RETURN_URL)
    assert.equal(form['TransactionId'], challenge.procTransId)
    assert.equal(form['MD'], 'my &quot;order&quot; &lt;17&gt;')
    const claims = await world.parts.tokens.verify('response', form['Response'] ?? '')
    assert.deepEqual(claims?.payload, {
      TransactionId: challenge.procTransId,
      ActionCode: 'COMPLETED',
    })
    const row = await rowOf(challenge)
    assert.deepEqual(
      [row['cres_status'], row['state'], row['result_status']],
      ['Y', 'challenge', null],
    )
    const polled = await statusOf(pageHandle)
    assert.equal(polled.state, 'over')
    assert.ok((await world.parts.tokens.verify('response', polled.response ?? '')) !== null)
    const again = await world.post(STEP_UP, { JWT: challenge.token })
    assert.match(again.body, /<h1>Back to the shop/)
    assert.equal(again.body.includes('name="creq"'), false)
  })

  for (const [name, change, stored] of [
    ['N', { transStatus: 'N' }, 'N'],
    ['a status that a final CRes can not have', { transStatus: 'A' }, 'unreadable'],
    ['an unfinished challenge', { challengeCompletionInd: 'N' }, 'unreadable'],
    ['another version', { messageVersion: '2.1.0' }, 'unreadable'],
    ["another payment's ids", { acsTransID: '22222222-2222-4222-8222-999999999999' }, 'unreadable'],
    ['an Erro', { messageType: 'Erro', errorCode: '203' }, 'erro'],
  ] as const) {
    test(`a cres with ${name} is kept as ${stored}, and the customer gets back`, async () => {
      const { challenge, sessionHandle } = await begun()
      const { body } = await world.post(TERM, {
        cres: cresOf(challenge, change),
        threeDSSessionData: sessionHandle,
      })
      assert.equal(formOf(body)['TransactionId'], challenge.procTransId)
      assert.equal((await rowOf(challenge))['cres_status'], stored)
    })
  }

  test('a cres in any other encoding is unreadable, and no error', async () => {
    const right = cresOf(await world.challenge())
    for (const cres of [
      '',
      '{}',
      ` ${right}`,
      `${right}!`,
      `${right}===`,
      right.slice(0, 20),
      'A'.repeat(50_000),
      'bnVsbA',
      '_____w',
    ]) {
      const { challenge, sessionHandle } = await begun()
      const { body, status } = await world.post(TERM, { cres, threeDSSessionData: sessionHandle })
      assert.equal(status, 200)
      assert.equal(formOf(body)['TransactionId'], challenge.procTransId)
      assert.equal((await rowOf(challenge))['cres_status'], 'unreadable', cres.slice(0, 30))
    }
    // The last digit has bits that mean nothing: two texts would stand for one message.
    const { challenge: sloppy, sessionHandle: handle } = await begun()
    const spare =
      ['', 'x', 'xx']
        .map((errorCode) => cresOf(sloppy, { errorCode }))
        .find((text) => text.length % 4 === 2) ?? ''
    const last = String.fromCharCode(spare.charCodeAt(spare.length - 1) + 1)
    await world.post(TERM, { cres: spare.slice(0, -1) + last, threeDSSessionData: handle })
    assert.equal((await rowOf(sloppy))['cres_status'], 'unreadable')
    const { challenge, sessionHandle } = await begun()
    await world.post(TERM, { cres: `${cresOf(challenge)}=`, threeDSSessionData: sessionHandle })
    assert.equal((await rowOf(challenge))['cres_status'], 'Y')
  })

  test('a second result through the same handle is ignored, and the customer still gets back', async () => {
    const { challenge, sessionHandle } = await begun()
    await world.post(TERM, {
      cres: cresOf(challenge, { transStatus: 'N' }),
      threeDSSessionData: sessionHandle,
    })
    const second = await world.post(TERM, {
      cres: cresOf(challenge),
      threeDSSessionData: sessionHandle,
    })
    assert.equal(formOf(second.body)['TransactionId'], challenge.procTransId)
    assert.equal((await rowOf(challenge))['cres_status'], 'N')
  })

  test('unknown handles mark nothing, and get no data', async () => {
    const { challenge } = await begun()
    for (const threeDSSessionData of [
      '',
      'x',
      'A'.repeat(22),
      "' or 1=1 --",
      challenge.procTransId,
    ]) {
      const { body, status } = await world.post(TERM, {
        cres: cresOf(challenge),
        threeDSSessionData,
      })
      assert.equal(status, 400)
      assert.equal(body.includes(challenge.procTransId), false)
      assert.equal((await statusOf(threeDSSessionData.replaceAll('\n', ''))).status, 404)
    }
    assert.equal((await rowOf(challenge))['returned_at'], null)
  })

  test('a forged cres moves only its marker', async () => {
    const { challenge, sessionHandle } = await begun()
    const before = await rowOf(challenge)
    await world.post(TERM, {
      cres: cresOf(challenge, { eci: '05', authenticationValue: 'x' }),
      threeDSSessionData: sessionHandle,
    })
    const after = await rowOf(challenge)
    const changed = Object.keys(after).filter(
      (column) => JSON.stringify(after[column]) !== JSON.stringify(before[column]),
    )
    assert.deepEqual(changed.sort(), ['cres_status', 'returned_at'])
    const { rows } = await world.pool.query<{ content: Record<string, string> }>(
      `select content from three_ds_messages where server_trans_id = $1 and type = 'CRes'`,
      [challenge.serverTransId],
    )
    assert.equal('authenticationValue' in (rows[0]?.content ?? {}), false)
  })

  test('two payments whose tokens were exchanged each return their own id', async () => {
    const [first, second] = [await world.challenge(), await world.challenge()]
    const pages = [
      await world.post(STEP_UP, { JWT: second.token }),
      await world.post(STEP_UP, { JWT: first.token }),
    ]
    assert.deepEqual(
      pages.map(({ body }) => formOf(body)['TransactionId']),
      [second.procTransId, first.procTransId],
    )
  })

  test("a result lets the issuer's page finish for five seconds, and then returns the customer", async () => {
    const { challenge, pageHandle } = await begun()
    const { rows } = await world.pool.query<{ created_at: Date }>(
      `update three_ds_authentications set state = 'result', result_status = 'N', result_at = created_at + interval '1 second'
        where server_trans_id = $1 returning created_at`,
      [challenge.serverTransId],
    )
    assert.equal(rows.length, 1)
    world.pass(5_500)
    assert.equal((await statusOf(pageHandle)).state, 'waiting')
    world.pass(1_000)
    assert.equal((await statusOf(pageHandle)).state, 'over')
  })

  for (const state of ['consumed', 'failed', 'expired']) {
    test(`a payment that is ${state} is not challenged, and its customer goes back`, async () => {
      const challenge = await world.challenge({ state })
      const { body, status } = await world.post(STEP_UP, { JWT: challenge.token })
      assert.equal(status, 200)
      assert.equal(body.includes('name="creq"'), false)
      assert.equal(formOf(body)['action of leave'], RETURN_URL)
      assert.equal((await rowOf(challenge))['creq_sent_at'], null)
    })
  }

  test('an expired challenge returns the customer to the shop', async () => {
    const { pageHandle } = await begun()
    world.pass(30 * 60_000)
    assert.equal((await statusOf(pageHandle)).state, 'over')
  })

  test('a token with another return address, account or reference than its payment opens nothing', async () => {
    const challenge = await world.challenge()
    const { step_up_token_id: tokenId, reference } = (await rowOf(challenge)) as Record<
      string,
      string
    >
    const good = {
      tokenId: tokenId ?? '',
      merchantAccountId: 2001n,
      reference: reference ?? '',
      returnUrl: RETURN_URL,
      payload: {},
    }
    for (const change of [
      { returnUrl: 'https://evil.example/' },
      { merchantAccountId: 2002n },
      { reference: '1-1' },
    ]) {
      const token = await world.parts.tokens.sign('step_up', { ...good, ...change })
      assert.equal((await world.post(STEP_UP, { JWT: token })).status, 400)
    }
    assert.equal(
      (await world.post(STEP_UP, { JWT: await world.parts.tokens.sign('ddc', good) })).status,
      400,
    )
    assert.equal((await rowOf(challenge))['creq_sent_at'], null)
    assert.equal(
      (await world.post(STEP_UP, { JWT: await world.parts.tokens.sign('step_up', good) })).status,
      200,
    )
  })

  test("an issuer's address without https is never opened", async () => {
    for (const acsUrl of [
      'javascript:alert(1)',
      'http://issuer.example/',
      'data:text/html,x',
      '//issuer.example',
    ]) {
      const challenge = await world.challenge({ acsUrl })
      const { body, headers } = await world.post(STEP_UP, { JWT: challenge.token })
      assert.equal(body.includes(acsUrl), false)
      assert.equal(String(headers['content-security-policy']).includes('issuer'), false)
      assert.equal(formOf(body)['action of leave'], RETURN_URL)
    }
  })

  test('MD of any content is returned as it was, and one that is too long is not', async () => {
    for (const MD of [
      '"><script>alert(1)</script>',
      "' onload=1",
      'ünï ✓',
      '&amp;',
      'x'.repeat(2_048),
    ]) {
      const challenge = await world.challenge()
      const { body } = await world.post(STEP_UP, { JWT: challenge.token, MD })
      assert.equal((await rowOf(challenge))['merchant_data'], MD)
      assert.equal(body.includes('<script>alert'), false)
    }
    const challenge = await world.challenge()
    await world.post(STEP_UP, { JWT: challenge.token, MD: 'x'.repeat(2_049) })
    assert.equal((await rowOf(challenge))['merchant_data'], '')
  })

  test('an unreadable field does not stop the customer', async () => {
    const challenge = await world.challenge()
    const { body } = await world.post(STEP_UP, `JWT=${challenge.token}&MD=%00&MD=%ff`)
    const { threeDSSessionData } = formOf(body)
    const back = await world.post(TERM, `cres=%ff&threeDSSessionData=${threeDSSessionData}`)
    assert.equal(formOf(back.body)['TransactionId'], challenge.procTransId)
    assert.equal((await rowOf(challenge))['cres_status'], 'unreadable')
  })

  test('a return address cannot leave its attribute', async () => {
    const returnUrl = 'https://shop.example/?a="><img src=x onerror=alert(1)>&b=\'<'
    const challenge = await world.challenge({ returnUrl })
    const { body } = await world.post(STEP_UP, { JWT: challenge.token })
    assert.equal(body.includes('<img'), false)
    assert.match(formOf(body)['action of leave'] ?? '', /&quot;&gt;&lt;img/)
  })
})
