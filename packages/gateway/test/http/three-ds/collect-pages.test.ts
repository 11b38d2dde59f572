import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { METHOD_URL, startThreeDsWorld, type ThreeDsWorld } from './three-ds-world.ts'

const COLLECT = '/V2/Cruise/Collect'
const DATA = '/V2/Cruise/Collect/data'
const NOTIFY = '/V2/Cruise/MethodNotify'
const BROWSER = {
  language: 'en-US',
  javaEnabled: 'false',
  colorDepth: '24',
  screenHeight: '800',
  screenWidth: '600',
  timeZone: '-60',
}

suite('pages of the data collection', () => {
  let world: ThreeDsWorld
  before(async () => void (world = await startThreeDsWorld()))
  after(() => world?.stop())

  interface Prepared {
    readonly JWT: string
    readonly reference: string
  }

  async function prepare(changes: Record<string, string> = {}): Promise<Prepared> {
    const { DDC_REFERENCEID = '', JWT = '' } = await world.ask(changes)
    return { JWT, reference: DDC_REFERENCEID }
  }

  async function rowOf(reference: string): Promise<Record<string, unknown>> {
    const { rows } = await world.pool.query<Record<string, unknown>>(
      'select state, browser, method_state, server_trans_id from three_ds_collections where reference = $1',
      [reference],
    )
    return rows[0] ?? {}
  }

  function dataOf(body: string): { reference: string; handle: string | null; hasMethod: boolean } {
    const [, text = ''] =
      /<script type="application\/json" id="page-data">([^<]*)<\/script>/.exec(body) ?? []
    return JSON.parse(text) as ReturnType<typeof dataOf>
  }

  /** The issuer's message that its page is done. */
  function methodData(serverTransId: unknown): string {
    return Buffer.from(JSON.stringify({ threeDSServerTransID: serverTransId })).toString(
      'base64url',
    )
  }

  test("the page collects, and has the issuer's page run where one is known", async () => {
    const { JWT, reference } = await prepare()
    const { body, status } = await world.post(COLLECT, { JWT })
    assert.equal(status, 200)
    const { handle, hasMethod, reference: shown } = dataOf(body)
    assert.deepEqual([shown, hasMethod], [reference, true])
    const [, encoded = ''] = /name="threeDSMethodData" value="([^"]+)"/.exec(body) ?? []
    const { server_trans_id, method_state } = await rowOf(reference)
    assert.deepEqual(JSON.parse(Buffer.from(encoded, 'base64url').toString()), {
      threeDSServerTransID: server_trans_id,
      threeDSMethodNotificationURL: 'https://pay.example/V2/Cruise/MethodNotify',
    })
    assert.equal(encoded.includes('='), false)
    assert.equal(method_state, 'running')
    assert.match(body, new RegExp(`action="${METHOD_URL}"`))
    await world.post(DATA, { handle: handle ?? '', ...BROWSER })
    const row = await rowOf(reference)
    assert.equal(row['state'], 'collected')
    assert.deepEqual(row['browser'], {
      language: 'en-US',
      javaEnabled: false,
      colorDepth: 24,
      screenHeight: 800,
      screenWidth: 600,
      timeZone: -60,
    })
    await world.post(NOTIFY, { threeDSMethodData: methodData(server_trans_id) })
    assert.equal((await rowOf(reference))['method_state'], 'completed')
  })

  test("no issuer's page runs where the BIN may belong to several issuers, or to none", async (t) => {
    t.after(() => (world.directory.methodUrls = [METHOD_URL]))
    const none = await prepare({ PMT_BIN: '411111' })
    world.directory.methodUrls = [METHOD_URL, 'https://other.example/method']
    const several = await prepare()
    for (const { JWT, reference } of [none, several]) {
      const { body, headers } = await world.post(COLLECT, { JWT })
      assert.equal(dataOf(body).hasMethod, false)
      assert.match(
        String(headers['content-security-policy']),
        /frame-src 'none'; form-action 'none'/,
      )
      assert.equal((await rowOf(reference))['method_state'], 'none')
    }
  })

  test("an issuer's address without https is never opened", async (t) => {
    t.after(() => (world.directory.methodUrls = [METHOD_URL]))
    for (const url of ['http://issuer.example/m', 'javascript:alert(1)', 'data:text/html,x']) {
      world.directory.methodUrls = [url]
      const { JWT } = await prepare()
      const { body } = await world.post(COLLECT, { JWT })
      assert.equal(dataOf(body).hasMethod, false, url)
      assert.equal(body.includes(url), false)
    }
  })

  test('a reload collects again until data came, and of two tabs the one loaded last sends', async () => {
    const { JWT, reference } = await prepare()
    const first = dataOf((await world.post(COLLECT, { JWT })).body)
    const second = dataOf((await world.post(COLLECT, { JWT })).body)
    assert.notEqual(first.handle, second.handle)
    await world.post(DATA, { handle: first.handle ?? '', ...BROWSER, language: 'aa' })
    assert.equal((await rowOf(reference))['state'], 'collecting')
    await world.post(DATA, { handle: second.handle ?? '', ...BROWSER, language: 'bb' })
    await world.post(DATA, { handle: second.handle ?? '', ...BROWSER, language: 'cc' })
    assert.equal(((await rowOf(reference))['browser'] as { language: string }).language, 'bb')
    const third = await world.post(COLLECT, { JWT })
    assert.equal(third.status, 200)
    assert.deepEqual(dataOf(third.body), { reference, handle: null, hasMethod: false })
  })

  test('the page shows only its end once the issuer was asked', async () => {
    const { JWT, reference } = await prepare()
    const { handle } = dataOf((await world.post(COLLECT, { JWT })).body)
    await world.pool.query(`update three_ds_collections set state = 'used' where reference = $1`, [
      reference,
    ])
    assert.equal(dataOf((await world.post(COLLECT, { JWT })).body).handle, null)
    const { server_trans_id } = await rowOf(reference)
    await world.post(DATA, { handle: handle ?? '', ...BROWSER })
    await world.post(NOTIFY, { threeDSMethodData: methodData(server_trans_id) })
    const row = await rowOf(reference)
    assert.deepEqual([row['state'], row['browser'], row['method_state']], ['used', null, 'running'])
  })

  for (const [late, state] of [
    [9_900, 'completed'],
    [10_000, 'failed'],
  ] as const) {
    test(`an issuer that is through after ${late} ms has ${state}`, async () => {
      const { JWT, reference } = await prepare()
      await world.post(COLLECT, { JWT })
      world.pass(late)
      const { server_trans_id } = await rowOf(reference)
      await world.post(NOTIFY, { threeDSMethodData: methodData(server_trans_id) })
      assert.equal((await rowOf(reference))['method_state'], state)
    })
  }

  test('notifications of unknown ids, and in any other encoding, change nothing and look alike', async () => {
    const { JWT, reference } = await prepare()
    await world.post(COLLECT, { JWT })
    const { server_trans_id } = await rowOf(reference)
    const right = methodData(server_trans_id)
    const shown = new Set<string>()
    const wrongs = [
      methodData('11111111-1111-4111-8111-111111111111'),
      methodData(17),
      `${right.slice(0, 8)}!${right.slice(8)}`,
      ` ${right}`,
      `${right}===`,
      Buffer.from('null').toString('base64url'),
      Buffer.from('[]').toString('base64url'),
      'A'.repeat(20_000),
      '',
    ]
    for (const threeDSMethodData of wrongs) {
      const { body, status } = await world.post(NOTIFY, { threeDSMethodData })
      shown.add(`${status} ${body.replace(/nonce="[^"]+"/g, '')}`)
      assert.equal(
        (await rowOf(reference))['method_state'],
        'running',
        threeDSMethodData.slice(0, 50),
      )
    }
    const { body } = await world.post(
      NOTIFY,
      `threeDSMethodData=${right}&threeDSMethodData=${right}`,
    )
    shown.add(`200 ${body.replace(/nonce="[^"]+"/g, '')}`)
    assert.equal((await rowOf(reference))['method_state'], 'running')
    await world.post(NOTIFY, { threeDSMethodData: `${right}=` })
    assert.equal((await rowOf(reference))['method_state'], 'completed')
    assert.equal(shown.size, 1)
  })

  test('values in a form that issuers reject are left out, each by itself', async () => {
    for (const [field, value] of [
      ['language', 'en_US'],
      ['language', 'x'.repeat(300)],
      ['language', '<script>'],
      ['javaEnabled', 'yes'],
      ['colorDepth', '0'],
      ['colorDepth', '1e3'],
      ['screenHeight', '-1'],
      ['screenWidth', '12345678'],
      ['timeZone', '900'],
      ['timeZone', '--5'],
      ['timeZone', 'NaN'],
    ] as const) {
      const { JWT, reference } = await prepare()
      const { handle } = dataOf((await world.post(COLLECT, { JWT })).body)
      await world.post(DATA, { handle: handle ?? '', ...BROWSER, [field]: value })
      const browser = (await rowOf(reference))['browser'] as Record<string, unknown>
      assert.equal(browser[field], null, `${field} ${value}`)
      assert.equal(Object.values(browser).filter((each) => each === null).length, 1)
    }
  })

  test('data under random handles are answered like any, and not kept', async () => {
    for (const handle of ['', 'x', 'A'.repeat(22), "' or 1=1 --"]) {
      const { status, body } = await world.post(DATA, { handle, ...BROWSER, language: 'zz' })
      assert.deepEqual([status, body], [204, ''])
    }
    const { rows } = await world.pool.query(
      `select from three_ds_collections where browser->>'language' = 'zz'`,
    )
    assert.equal(rows.length, 0)
  })

  test('an expired token opens nothing, and neither does an unknown one or one of another kind', async () => {
    const { JWT } = await prepare()
    const { token } = await world.challenge()
    for (const wrong of [token, '', 'a.b.c', `${JWT}x`, 'x'.repeat(5_000)]) {
      const { status, body } = await world.post(COLLECT, { JWT: wrong })
      assert.equal(status, 400)
      assert.match(body, /Go back to the shop/)
    }
    const twice = await world.post(COLLECT, `JWT=${JWT}&JWT=${JWT}`)
    assert.equal(twice.status, 400)
    const json = await world.post(COLLECT, JSON.stringify({ JWT }), {
      'content-type': 'application/json',
    })
    assert.equal(json.status, 400)
    const got = await world.app.inject({ url: `${COLLECT}?JWT=${JWT}` })
    assert.equal(got.statusCode, 405)
    world.pass(604_000)
    assert.equal((await world.post(COLLECT, { JWT })).status, 200)
    world.pass(2_000)
    assert.equal((await world.post(COLLECT, { JWT })).status, 400)
  })

  test('Bin and DDC_REFERENCEID beside the token are not trusted, with any values', async () => {
    const { JWT, reference } = await prepare()
    const { body } = await world.post(COLLECT, {
      JWT,
      Bin: '999999',
      DDC_REFERENCEID: '<script>1-1',
    })
    assert.equal(dataOf(body).reference, reference)
    assert.equal(body.includes('999999'), false)
  })
})
