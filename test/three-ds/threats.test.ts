import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { expiryIn } from '../support/dates.ts'
import {
  creqOf,
  openChallenge,
  openStepUp,
  passChallenge,
  press,
  release,
} from './support/challenge.ts'
import { collect, FOUND } from './support/collection.ts'
import { carried, carry, formOf, formsOf } from './support/scripted-browser.ts'
import { readPayload } from './support/shop.ts'
import { gist, startWorld, type World } from './support/world.ts'

const CARD = '4000000000002503'
const FRICTIONLESS = '4000000000002701'
const OTHER_USER = {
  REQ_USERNAME: 'other@tollgate.test',
  REQ_PASSWORD: 'Sandbox-4.14-other',
  SITE_ID: '1002',
}

suite('attacks by browsers and shops that fail', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world?.stop())
  const enrol = () => world.shop().enrol(CARD)
  const term = () => `${world.gateway.baseUrl}/V2/Cruise/Term`

  test('T1: a browser that posts a CRes of its own gets no authorization', async () => {
    const enrolled = await enrol()
    const { issuer, stepUp } = await openChallenge(world, enrolled.answer)
    assert.equal(issuer.status, 200)
    const { creq } = readPayload(enrolled.answer)
    const { threeDSServerTransID, acsTransID } = carried(creq)
    const cres = carry({
      messageType: 'CRes',
      messageVersion: '2.2.0',
      threeDSServerTransID,
      acsTransID,
      challengeCompletionInd: 'Y',
      transStatus: 'Y',
    })
    const { fields } = creqOf(stepUp)
    const back = await world.browser.post(term(), {
      cres,
      threeDSSessionData: fields['threeDSSessionData'] ?? '',
    })
    assert.ok(back.status < 500)

    const { result, sent } = await world.watch(() => world.shop().finish(enrolled))
    assert.equal(gist(result), 'DECLINED U 07')
    assert.deepEqual(sent, [])
  })

  test('T3: a challenge for one payment does not pay for any other', async () => {
    const bound = [
      { LI_VALUE_1: '1000.00' },
      { PMT_NUMB: FRICTIONLESS },
      { PMT_EXPIRY: expiryIn(5) },
      { REQUEST_CURRENCY: 'GBP' },
      { REQUEST_CURRENCY: 'JPY', LI_VALUE_1: '1000' },
      { LI_COUNT_1: '2' },
      { LI_VALUE_2: '0.01' },
      { REQUEST_ACTION: 'CCAUTHCAP' },
      { XTL_ORDER_ID: 'somebody-elses' },
    ]
    for (const more of bound) {
      const enrolled = await enrol()
      await passChallenge(world, enrolled.answer)
      const { result, sent } = await world.watch(() => world.shop().finish(enrolled, more))
      assert.notEqual(result['TRANS_STATUS_NAME'], 'APPROVED', JSON.stringify(more))
      assert.deepEqual(sent, [], JSON.stringify(more))
    }
  })

  test('T5: what one merchant prepared and had authenticated is nothing to another', async () => {
    const { DDC_REFERENCEID: reference = '' } = await world.shop().prepare(CARD)
    const stolen = await world.shop(1002).enrol(CARD, { DDC_REFERENCEID: reference })
    assert.equal(gist(stolen.answer), '113 DDC_REFERENCEID')
    const enrolled = await enrol()
    await passChallenge(world, enrolled.answer)
    const { result, sent } = await world.watch(() => world.shop().finish(enrolled, OTHER_USER))
    assert.equal(gist(result), '113 P3DS_PROCTRANSID')
    assert.deepEqual(sent, [])
  })

  test('T6: a challenge that a browser spoils does not fall back to a payment without authentication', async () => {
    for (const spoil of ['creq', 'nothing'] as const) {
      const enrolled = await enrol()
      const { url, fields } = creqOf(await openStepUp(world, enrolled.answer))
      const damaged = carry({ ...carried(fields['creq'] ?? ''), challengeWindowSize: '99' })
      if (spoil === 'creq') await world.browser.post(url, { ...fields, creq: damaged })
      const { result, sent } = await world.watch(() => world.shop().finish(enrolled))
      assert.match(gist(result), /^DECLINED [UN] /)
      assert.deepEqual(sent, [])
    }
  })

  test('T9: the gateway itself never calls at P3DS_RETURN_URL', async () => {
    let calls = 0
    const listener = createServer((_request, response) => {
      calls += 1
      response.end()
    }).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const own = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/back?order=1`
    const enrolled = await world.shop().enrol(CARD, { P3DS_RETURN_URL: own })
    await passChallenge(world, enrolled.answer)
    const { result } = await world.watch(() => world.shop().finish(enrolled))
    listener.close()
    assert.equal(gist(result), 'APPROVED Y 05')
    assert.equal(calls, 0)
  })

  const DISGUISED = [
    'https://shop.example@evil.example/',
    'https:\\\\evil.example/',
    'https:///evil.example',
    'https://sh\u043ep.example/',
    'https://shop.example\u0000.evil.example/',
    ' javascript:alert(1)',
    'https://0x7f.1/',
    'JaVaScRiPt:alert(1)',
    'blob:https://shop.example/x',
    'https://shop.example\r\nSet-Cookie: a=b',
  ]
  for (const url of DISGUISED) {
    test(`T9: no browser is sent to ${JSON.stringify(url)}`, async () => {
      const { answer } = await world.shop().enrol(CARD, { P3DS_RETURN_URL: url })
      assert.equal(gist(answer), '113 P3DS_RETURN_URL')
    })
  }

  test('T9: a page goes to the address of the enrolment, even if another address is posted to it', async () => {
    const { answer } = await enrol()
    const page = await world.browser.post(answer['P3DS_ACS_URL'] ?? '', {
      JWT: answer['P3DS_PAYLOAD'] ?? '',
      ReturnUrl: 'https://evil.example/',
      P3DS_RETURN_URL: 'https://evil.example/',
    })
    assert.doesNotMatch(page.text + JSON.stringify(page.headers), /evil\.example/)
    assert.ok(formsOf(page).some(({ action }) => action === 'https://shop.example/back'))
  })

  const SCRIPTS = [
    '"><script>alert(1)</script>',
    `'><img src=x onerror=alert(1)>`,
    '</script><script>alert(1)</script>',
    '{{constructor}}',
    '\u2028alert(1)',
    '<!--<script>',
    '&quot;&gt;&lt;script&gt;',
  ]
  for (const script of SCRIPTS) {
    test(`T11: ${JSON.stringify(script)} stays text on every page`, async () => {
      const enrolled = await world.shop().enrol(CARD, {
        P3DS_RETURN_URL: `https://shop.example/back?x=${encodeURIComponent(script)}`,
      })
      const pages = [
        await world.browser.post(enrolled.answer['P3DS_ACS_URL'] ?? '', {
          JWT: enrolled.answer['P3DS_PAYLOAD'] ?? '',
          MD: script,
        }),
      ]
      const [first] = pages
      const form = formsOf(first ?? { url: '', status: 0, headers: {}, text: '' }).find(
        ({ fields }) => 'MD' in fields,
      )
      assert.equal(form?.fields['MD'], script)
      for (const path of ['Collect', 'StepUp', 'Term', 'MethodNotify']) {
        pages.push(
          await world.browser.post(`${world.gateway.baseUrl}/V2/Cruise/${path}`, {
            JWT: script,
            MD: script,
            cres: script,
            threeDSSessionData: script,
            threeDSMethodData: script,
          }),
        )
      }
      for (const { headers, text, status } of pages) {
        assert.ok(status < 500)
        assert.doesNotMatch(text, /<img|alert\(1\)<\/script>|<script>alert/)
        const [nonce = ''] =
          /'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.slice(1) ?? []
        for (const [tag] of text.matchAll(/<script\b[^>]*>/g))
          assert.ok(
            /type="application\/json"/.test(tag) || (nonce !== '' && tag.includes(nonce)),
            tag,
          )
        assert.doesNotMatch(text.replace(/="[^"]*"/g, '=""'), /<[^>]*\son[a-z]+=/i)
      }
    })
  }

  test('T12: pages that anybody may frame hold nothing that changes something, and are sent with strict headers', async () => {
    const prepared = await world.shop().prepare(CARD)
    const enrolled = await enrol()
    const collectPage = await collect(world, prepared)
    const stepUp = await openStepUp(world, enrolled.answer)
    const { fields } = creqOf(stepUp)
    const back = await world.browser.post(term(), {
      cres: 'x',
      threeDSSessionData: fields['threeDSSessionData'] ?? '',
    })
    const notify = await world.browser.post(`${world.gateway.baseUrl}/V2/Cruise/MethodNotify`, {
      threeDSMethodData: 'x',
    })
    for (const { headers, url } of [collectPage, stepUp, back, notify]) {
      const policy = headers['content-security-policy'] ?? ''
      assert.equal(headers['cache-control'], 'no-store', url)
      assert.match(policy, /default-src 'none'/)
      assert.match(policy, /base-uri 'none'/)
      assert.match(policy, /frame-ancestors \*/)
      assert.match(policy, /connect-src 'self'/)
      assert.doesNotMatch(policy, /unsafe|upgrade-insecure/)
      assert.equal(headers['x-frame-options'], undefined, url)
      assert.notEqual(headers['referrer-policy'], 'no-referrer', url)
      assert.equal(headers['set-cookie'], undefined, url)
    }
    assert.match(
      stepUp.headers['content-security-policy'] ?? '',
      /form-action [^;]*https:\/\/shop\.example/,
    )
    // The field for the code is the issuer's, and stands on the issuer's page.
    for (const page of [collectPage, stepUp])
      assert.doesNotMatch(page.text, /<input(?![^>]*type="hidden")/)
  })

  test('T14: posts with guessed handles move nothing', async () => {
    const enrolled = await enrol()
    const { stepUp } = await openChallenge(world, enrolled.answer)
    const { fields } = creqOf(stepUp)
    const { threeDSServerTransID, acsTransID } = carried(fields['creq'] ?? '')
    const cres = carry({
      messageType: 'CRes',
      messageVersion: '2.2.0',
      threeDSServerTransID,
      acsTransID,
      challengeCompletionInd: 'Y',
      transStatus: 'N',
    })
    const answers = []
    for (const handle of [
      '',
      'x',
      String(acsTransID),
      enrolled.answer['P3DS_PROCTRANSID'] ?? '',
      String(fields['threeDSSessionData']).toLowerCase() === fields['threeDSSessionData']
        ? 'Z'
        : String(fields['threeDSSessionData']).toLowerCase(),
    ]) {
      answers.push((await world.browser.post(term(), { cres, threeDSSessionData: handle })).status)
    }
    assert.deepEqual([...new Set(answers)], [400])
    const { rows } = await world.gateway.pool.query(
      'select returned_at, cres_status from three_ds_authentications where proc_trans_id = $1',
      [enrolled.answer['P3DS_PROCTRANSID']],
    )
    assert.deepEqual(rows, [{ returned_at: null, cres_status: '' }])

    const prepared = await world.shop().prepare(CARD)
    await world.browser.post(prepared['DDC_URL'] ?? '', { JWT: prepared['JWT'] ?? '' })
    await world.browser.post(`${world.gateway.baseUrl}/V2/Cruise/MethodNotify`, {
      threeDSMethodData: carry({ threeDSServerTransID: crypto.randomUUID() }),
    })
    const { rows: collections } = await world.gateway.pool.query(
      `select 1 from three_ds_collections where reference = $1 and method_state = 'completed'`,
      [prepared['DDC_REFERENCEID']],
    )
    assert.deepEqual(collections, [])
  })

  test('T14: a notification for a session whose page was never opened does not complete its method', async () => {
    const prepared = await world.shop().prepare(CARD)
    const { rows } = await world.gateway.pool.query<{ id: string }>(
      'select server_trans_id as id from three_ds_collections where reference = $1',
      [prepared['DDC_REFERENCEID']],
    )
    await world.browser.post(`${world.gateway.baseUrl}/V2/Cruise/MethodNotify`, {
      threeDSMethodData: carry({ threeDSServerTransID: rows[0]?.id }),
    })
    const last = (await world.journal()).at(-1)?.seq ?? 0
    await world.shop().enrol(FRICTIONLESS, { DDC_REFERENCEID: prepared['DDC_REFERENCEID'] ?? '' })
    const [areq] = (await world.journal(last)).filter(({ type }) => type === 'AReq')
    assert.equal(areq?.message?.['threeDSCompInd'], 'N')
  })

  test('T15: a token that is changed, of another kind, without a signature or without end opens nothing', async () => {
    const { answer } = await enrol()
    const prepared = await world.shop().prepare(CARD)
    const [header = '', claims = '', signature = ''] = (answer['P3DS_PAYLOAD'] ?? '').split('.')
    const none = carry({ ...carried(header), alg: 'none' })
    const hmac = carry({ ...carried(header), alg: 'HS256' })
    const other = carry({ ...carried(claims), ReturnUrl: 'https://evil.example/' })
    const wrong = [
      `${header}.${other}.${signature}`,
      `${none}.${claims}.`,
      `${none}.${claims}.${signature}`,
      `${hmac}.${claims}.${signature}`,
      `${header}.${claims}.${signature.slice(0, -4)}AAAA`,
      `${header}.${claims}`,
      `${header}.${claims}.${signature}.${signature}`,
      prepared['JWT'] ?? '',
      'x'.repeat(5_000),
      `${answer['P3DS_PAYLOAD'] ?? ''} `.repeat(20),
      '',
    ]
    for (const JWT of wrong) {
      const page = await world.browser.post(answer['P3DS_ACS_URL'] ?? '', { JWT })
      assert.equal(page.status, 400, JWT.slice(0, 80))
      assert.equal(formsOf(page).length, 0)
    }
    assert.equal(
      (await world.browser.post(prepared['DDC_URL'] ?? '', { JWT: answer['P3DS_PAYLOAD'] ?? '' }))
        .status,
      400,
    )
    assert.equal(carried(header)['alg'], 'ES256')
    assert.equal((await openStepUp(world, answer)).status, 200, 'the right one still opens')
  })

  test('T15: a token twice in one form, or in the address, opens nothing', async () => {
    const { answer } = await enrol()
    const url = answer['P3DS_ACS_URL'] ?? ''
    const JWT = answer['P3DS_PAYLOAD'] ?? ''
    assert.equal((await world.browser.post(url, `JWT=${JWT}&JWT=${JWT}`)).status, 400)
    assert.equal((await world.browser.post(`${url}?JWT=${JWT}`, {})).status, 400)
    assert.equal((await world.browser.get(`${url}?JWT=${JWT}`)).status, 405)
  })

  test('T16: ids cannot be guessed, and what is guessed is answered like what never was', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => world.shop().prepare(CARD)))
    const jtis = answers.map(({ JWT = '' }) => String(carried(JWT.split('.')[1] ?? '')['jti']))
    assert.equal(new Set(jtis).size, jtis.length)
    for (const jti of jtis) assert.ok(jti.length >= 20, jti)
    const first = new Set(jtis.map((jti) => jti.slice(0, 4)))
    assert.ok(first.size > 35, 'the ids begin alike')
    const unknown = await world.browser.get(`${world.gateway.baseUrl}/V2/Cruise/StepUp/status`, {
      'page-handle': 'x'.repeat(22),
    })
    assert.equal(unknown.status, 404)
  })

  test('T17: the right code comes too late after three wrong ones', async () => {
    const enrolled = await enrol()
    let { issuer: page } = await openChallenge(world, enrolled.answer)
    const asks = page
    for (let time = 0; time < 3; time += 1) page = await press(world, page, 'submit', '0000')
    await press(world, asks, 'submit', '1234')
    await release(world, page)
    const { result, sent } = await world.watch(() => world.shop().finish(enrolled))
    assert.equal(gist(result), 'DECLINED N 07')
    assert.deepEqual(sent, [])
  })

  test('T22: 3dsrequest.cfm does not reveal whether a card takes part', async () => {
    const enrolled = await world.shop().prepare(CARD)
    const unknown = await world.shop().prepare('4111111111111111')
    const shape = (answer: Readonly<Record<string, string>>) =>
      Object.entries(answer).map(
        ([name, value]) =>
          `${name} ${['JWT', 'DDC_REFERENCEID', 'REQ_ID', 'PMT_BIN'].includes(name) ? '' : value}`,
      )
    assert.deepEqual(shape(enrolled), shape(unknown))
    const claims = ({ JWT = '' }: Readonly<Record<string, string>>) =>
      Object.keys(carried(JWT.split('.')[1] ?? ''))
    assert.deepEqual(claims(enrolled), claims(unknown))
  })

  test("T24: what a browser invents neither breaks the AReq nor wins over the shop's word", async () => {
    const absurd = [
      { ...FOUND, screenWidth: '9'.repeat(40), colorDepth: '-1', timeZone: 'NaN' },
      { ...FOUND, language: '<script>', javaEnabled: 'perhaps' },
      { language: 'x'.repeat(3000) },
      { ...FOUND, screenWidth: '1', screenHeight: '1' },
    ]
    for (const found of absurd) {
      const shop = world.shop()
      const prepared = await shop.prepare(FRICTIONLESS)
      await collect(world, prepared, { found })
      const last = (await world.journal()).at(-1)?.seq ?? 0
      const { answer } = await shop.enrol(FRICTIONLESS, {
        DDC_REFERENCEID: prepared['DDC_REFERENCEID'] ?? '',
      })
      assert.equal(gist(answer), 'APPROVED Y 05')
      const [areq] = (await world.journal(last)).filter(({ type }) => type === 'AReq')
      assert.equal(areq?.message?.['browserScreenWidth'], '1920')
      assert.equal(areq?.message?.['browserLanguage'], 'en-US')
    }
  })

  test("T25: a page shown to the wrong cardholder returns its own payment, not the other's", async () => {
    const [one, two] = [await enrol(), await enrol()]
    const [pageOne, pageTwo] = [
      await openStepUp(world, one.answer),
      await openStepUp(world, two.answer),
    ]
    const idOn = (page: typeof pageOne) =>
      formsOf(page).find(({ fields }) => 'TransactionId' in fields)?.fields['TransactionId']
    assert.equal(idOn(pageOne), one.answer['P3DS_PROCTRANSID'])
    assert.equal(idOn(pageTwo), two.answer['P3DS_PROCTRANSID'])
    const { url, fields } = creqOf(pageOne)
    await release(
      world,
      await press(world, await world.browser.post(url, fields), 'submit', '1234'),
    )
    // Two was never challenged: the id of the one that was does not fit its card and amount either
    // way.
    const { result, sent } = await world.watch(() => world.shop().finish(two))
    assert.match(gist(result), /^DECLINED /)
    assert.deepEqual(sent, [])
    assert.equal(gist(await world.shop().finish(one)), 'APPROVED Y 05')
  })

  test('T25: the handle of one challenge does not end another', async () => {
    const [one, two] = [await enrol(), await enrol()]
    const { issuer } = await openChallenge(world, one.answer)
    const { fields: handles } = creqOf(await openStepUp(world, two.answer))
    const end = formOf(await press(world, issuer, 'submit', '1234'))
    const page = await world.browser.post(end.action, {
      ...end.fields,
      threeDSSessionData: handles['threeDSSessionData'] ?? '',
    })
    assert.ok(page.status < 500)
    const { rows } = await world.gateway.pool.query(
      'select cres_status from three_ds_authentications where proc_trans_id = $1',
      [two.answer['P3DS_PROCTRANSID']],
    )
    assert.notEqual(rows[0]?.cres_status, 'Y')
  })

  test('T21: every page and answer about a payment is kept out of caches, and has no card number in it', async () => {
    const enrolled = await enrol()
    const { headers, text } = await openStepUp(world, enrolled.answer)
    await passChallenge(world, (await enrol()).answer)
    assert.equal(headers['cache-control'], 'no-store')
    assert.doesNotMatch(text, new RegExp(CARD))
    assert.doesNotMatch(JSON.stringify(enrolled.answer), new RegExp(CARD))
    assert.doesNotMatch(world.gateway.logged(), new RegExp(`${CARD}|"1234"`))
  })

  // The last ones: time goes on by them.
  test('T27: a token that ran out five seconds ago still opens its page, one of ten seconds does not', async () => {
    const { answer } = await enrol()
    world.clock.forward(603_000)
    assert.equal((await openStepUp(world, answer)).status, 200)
    world.clock.forward(7_000)
    assert.equal((await openStepUp(world, answer)).status, 400)
    const prepared = await world.shop().prepare(CARD)
    world.clock.forward(610_000)
    assert.equal(
      (await world.browser.post(prepared['DDC_URL'] ?? '', { JWT: prepared['JWT'] ?? '' })).status,
      400,
    )
  })
})
