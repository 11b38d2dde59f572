import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { untilSeen } from '../../../../test/support/eventually.ts'
import { faultPan } from '../../src/three-ds/cards.ts'
import { checkMessage } from '../../src/three-ds/read-message.ts'
import { manualSchedule } from './manual-schedule.ts'
import { aCReq, base64Url, begin, carriedBy, credentialOf, formOf } from './scripted-server.ts'
import { postForm, press, rresTo, startScriptedServer, startSimulator } from './scripted-server.ts'
import type { Fields } from './scripted-server.ts'

const CHALLENGE = '4000000000002503'

/** Time passes only where a test moves it: a busy machine is no cardholder who does nothing. */
async function start(t: TestContext, schedule = manualSchedule(Date.now())) {
  const simulator = await startSimulator(t, { schedule })
  return { simulator, server: await startScriptedServer(simulator) }
}

/** The parts of a result that show how it came about. */
function gist({
  challengeCancel,
  eci,
  interactionCounter,
  transStatus,
  transStatusReason,
}: Fields) {
  const parts = [transStatus, transStatusReason, challengeCancel, eci, interactionCounter]
  return parts.map((part) => part ?? '-').join(' ')
}

suite('a challenge', () => {
  const codes = [
    ['1234', 'Y - - 05 01', 'Y'],
    ['1111', 'N 01 - - 01', 'N'],
    ['2222', 'A - - 06 01', 'Y'],
    ['3333', 'U 22 - - 01', 'N'],
    ['4444', 'R 11 - - 01', 'N'],
  ] as const
  for (const [code, result, cres] of codes) {
    test(`the code ${code} gives the result ${result}, before the browser is sent back`, async (t) => {
      const { server, simulator } = await start(t)
      const { acsUrl, ares, first } = await begin(simulator, server, CHALLENGE)

      const released = await press(simulator, first, acsUrl, 'submit', code)

      const [rreq] = server.results
      assert.ok(rreq !== undefined)
      assert.equal(gist(rreq), result)
      const json = JSON.stringify(rreq)
      checkMessage(rreq, json, { type: 'RReq', leg: 'to_server', version: '2.2.0' })
      for (const name of ['threeDSServerTransID', 'dsTransID', 'acsTransID']) {
        assert.equal(rreq[name], ares[name])
      }
      assert.deepEqual(carriedBy(released.text), {
        messageType: 'CRes',
        messageVersion: '2.2.0',
        threeDSServerTransID: ares['threeDSServerTransID'],
        acsTransID: ares['acsTransID'],
        challengeCompletionInd: 'Y',
        transStatus: cres,
      })
      const form = formOf(released.text, acsUrl)
      assert.equal(form.action, 'https://gateway.localhost:9442/V2/Cruise/Term')
      assert.equal(form.fields['threeDSSessionData'], 'c2Vzc2lvbg')
      assert.match(released.text, /<noscript>[^]*<button type="submit"[^]*<\/noscript>/)
    })
  }

  test('the result does not contain the method, which the DS already received from the ACS', async (t) => {
    const { server, simulator } = await start(t)
    const { acsUrl, first } = await begin(simulator, server, CHALLENGE)
    await press(simulator, first, acsUrl, 'submit', '1234')

    const rreqs = (await simulator.log()).filter(({ type }) => type === 'RReq')

    assert.deepEqual(
      rreqs.map(({ direction, leg, message }) => [
        `${leg} ${direction}`,
        message?.['authenticationMethod'],
      ]),
      [
        ['ds-acs in', '02'],
        ['server-ds out', undefined],
      ],
    )
  })

  test('a third wrong code ends it with N 19, and the right one is no use after that', async (t) => {
    const { server, simulator } = await start(t)
    const { acsUrl, first } = await begin(simulator, server, CHALLENGE)

    const second = await press(simulator, first, acsUrl, 'submit', '9999')
    const third = await press(simulator, second, acsUrl, 'submit', '')
    const last = await press(simulator, third, acsUrl, 'submit', '0000')
    const late = await press(simulator, first, acsUrl, 'submit', '1234')

    assert.match(second.text, /role="alert"[^>]*>This code is wrong/)
    assert.deepEqual(server.results.map(gist), ['N 19 - - 03'])
    assert.equal(carriedBy(last.text)['transStatus'], 'N')
    assert.deepEqual(carriedBy(late.text), carriedBy(last.text))
  })

  test('all codes are wrong on the card for it, in every brand', async (t) => {
    const { server, simulator } = await start(t)
    for (const pan of ['4000000000002370', '5200000000002490', '340000000002237']) {
      const { acsUrl, first } = await begin(simulator, server, pan)
      let page = first
      for (let turn = 0; turn < 3; turn += 1) {
        page = await press(simulator, page, acsUrl, 'submit', '1234')
      }
      assert.equal(carriedBy(page.text)['transStatus'], 'N')
    }
    assert.deepEqual(server.results.map(gist), Array(3).fill('N 19 - - 03'))
  })

  test('cancelling is N with reason 26, and 01 where the version has no 26', async (t) => {
    const { server, simulator } = await start(t)
    const young = await begin(simulator, server, CHALLENGE)
    await press(simulator, young.first, young.acsUrl, 'cancel')
    const old = await begin(simulator, server, '4000000000001091', { messageVersion: '2.1.0' })
    await press(simulator, old.first, old.acsUrl, 'cancel')

    assert.deepEqual(server.results.map(gist), ['N 26 01 - 00', 'N 01 01 - 00'])
  })

  test('the code is sent again three times, and no more', async (t) => {
    const { server, simulator } = await start(t)
    const { acsUrl, ares, first } = await begin(simulator, server, CHALLENGE)
    let page = first
    for (let turn = 0; turn < 3; turn += 1) {
      page = await press(simulator, page, acsUrl, 'resend')
      assert.match(page.text, /role="status">Code sent again/)
    }
    page = await press(simulator, page, acsUrl, 'resend')
    assert.match(page.text, /role="alert"[^>]*>The code cannot be sent again/)

    const path = `/three-ds/transactions/${String(ares['dsTransID'])}`
    const { challenge } = await simulator.control('GET', path)
    const counts = { attempts: 0, resends: 3, windowSize: '03', outcome: null }
    assert.deepEqual(challenge, { state: 'open', ...counts })
    await press(simulator, page, acsUrl, 'submit', '1234')
    assert.equal(gist(await server.result(1)), 'Y - - 05 01')
  })

  test('two right codes at once make one result', async (t) => {
    const { server, simulator } = await start(t)
    const { acsUrl, first } = await begin(simulator, server, CHALLENGE)
    const pages = await Promise.all(
      Array.from({ length: 5 }, () => press(simulator, first, acsUrl, 'submit', '1234')),
    )
    assert.equal(server.results.length, 1)
    for (const { text } of pages) assert.equal(carriedBy(text)['transStatus'], 'Y')
  })

  test('a second CReq is Erro 305, and the first one continues', async (t) => {
    const { server, simulator } = await start(t)
    const { acsUrl, ares, first } = await begin(simulator, server, CHALLENGE)

    const again = await postForm(simulator, acsUrl, { creq: base64Url(aCReq(ares)) })

    const erro = carriedBy(again.text)
    assert.deepEqual(
      [erro['messageType'], erro['errorCode'], erro['errorComponent']],
      ['Erro', '305', 'A'],
    )
    await press(simulator, first, acsUrl, 'submit', '1234')
    assert.deepEqual(server.results.map(gist), ['Y - - 05 01'])
  })

  const damages: readonly (readonly [name: string, changes: Fields, code: string])[] = [
    ['no window size', { challengeWindowSize: undefined }, '201'],
    ['a window that there is not', { challengeWindowSize: '06' }, '203'],
    ['another version', { messageVersion: '2.1.0' }, '203'],
    ['another type', { messageType: 'CRes' }, '101'],
    [
      "another transaction's threeDSServerTransID",
      { threeDSServerTransID: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e' },
      '301',
    ],
  ]
  for (const [name, changes, code] of damages) {
    test(`a CReq with ${name} is Erro ${code}, and the result U`, async (t) => {
      const { server, simulator } = await start(t)
      const ares = await server.ask(server.areq(CHALLENGE))
      const creq = base64Url(aCReq(ares, changes))

      const released = await postForm(simulator, String(ares['acsURL']), { creq })

      const erro = carriedBy(released.text)
      assert.deepEqual([erro['errorCode'], erro['errorMessageType']], [code, 'CReq'])
      assert.deepEqual(server.results.map(gist), ['U 22 06 - 00'])
    })
  }

  test('an invalid CReq, or one for no challenge, is a page with 400 and no result', async (t) => {
    const { server, simulator } = await start(t)
    const ares = await server.ask(server.areq(CHALLENGE))
    const acsUrl = String(ares['acsURL'])
    const forms: readonly Record<string, string>[] = [
      {},
      { creq: '' },
      { creq: '***' },
      { creq: 'bm9uc2Vuc2U' },
      { creq: base64Url([]) },
      { creq: `${base64Url(aCReq(ares))}==x` },
      { creq: base64Url(aCReq(ares, { acsTransID: '8a880dc0-d2d2-4067-bcb1-b08d1690b26e' })) },
      { creq: base64Url(aCReq(ares, { acsTransID: { $: 1 } })) },
    ]
    for (const form of forms) {
      assert.equal((await postForm(simulator, acsUrl, form)).status, 400, JSON.stringify(form))
    }
    const begun = await begin(simulator, server, CHALLENGE)
    const { action } = formOf(begun.first.text, acsUrl)
    const acsTransID = String(begun.ares['acsTransID'])
    for (const mac of ['', 'x'.repeat(43)]) {
      const form = { acsTransID, mac, challengeDataEntry: '1234', do: 'submit' }
      assert.equal((await postForm(simulator, action, form)).status, 400)
    }
    assert.deepEqual(server.results, [])
  })

  test('the page has no cookie, can be framed by anybody, and posts to the gateway too', async (t) => {
    const { server, simulator } = await start(t)
    const { first } = await begin(simulator, server, CHALLENGE, {
      merchantName: '<script>alert(1)</script>&"\'',
      purchaseAmount: '123456',
      purchaseCurrency: '048',
      purchaseExponent: '3',
      mobilePhone: { cc: '1', subscriber: '5555550142' },
    })
    assert.match(first.text, /your phone \*\*\* \*\*\* \*\*42\./)
    assert.equal(first.headers['set-cookie'], undefined)
    assert.equal(first.headers['x-frame-options'], undefined)
    assert.equal(first.headers['cache-control'], 'no-store')
    const policy = String(first.headers['content-security-policy'])
    assert.doesNotMatch(policy, /frame-ancestors/)
    assert.match(policy, /form-action 'self' https:\/\/gateway\.localhost:9442(;|$)/)
    assert.match(policy, /^default-src 'none'; style-src 'nonce-/)
    assert.notEqual(first.headers['referrer-policy'], 'no-referrer')
    assert.doesNotMatch(first.text, /<script/)
    assert.match(first.text, /SIMULATED BANK/)
    assert.match(first.text, /123\.456 BHD/)
    assert.match(first.text, /2026-11-21/)
    assert.match(first.text, /\*\*\*\* 2503/)
  })

  test('the 3DS Method page notifies, or not, or wrongly, as the rule for it states', async (t) => {
    const { simulator } = await start(t)
    const { methodUrl } = simulator.threeDs.addresses
    const id = '8a880dc0-d2d2-4067-bcb1-b08d1690b26e'
    const url = 'https://gateway.localhost:9442/V2/Cruise/MethodNotify'
    const data = { threeDSServerTransID: id, threeDSMethodNotificationURL: url }
    const visit = () => postForm(simulator, methodUrl, { threeDSMethodData: base64Url(data) })
    const told = (page: string): Fields => {
      const { action, fields } = formOf(page, methodUrl)
      const json = Buffer.from(fields['threeDSMethodData'] ?? '', 'base64url').toString()
      return { action, ...(JSON.parse(json) as Fields) }
    }
    assert.deepEqual(told((await visit()).text), { action: url, threeDSServerTransID: id })

    await simulator.control('POST', '/three-ds/faults', { fault: 'method_silent' })
    await simulator.control('POST', '/three-ds/faults', { fault: 'method_wrong_id' })

    assert.doesNotMatch((await visit()).text, /<form/)
    const wrong = told((await visit()).text)
    assert.match(String(wrong['threeDSServerTransID']), /^[0-9a-f-]{36}$/)
    assert.notEqual(wrong['threeDSServerTransID'], id)
    assert.equal(told((await visit()).text)['threeDSServerTransID'], id)
    for (const bad of ['javascript:alert(1)', 'https://a:b@x/', `https://x/${'y'.repeat(256)}`]) {
      const form = { ...data, threeDSMethodNotificationURL: bad }
      const page = await postForm(simulator, methodUrl, { threeDSMethodData: base64Url(form) })
      assert.equal(page.status, 400, bad)
    }
  })
})

suite('fault cards that challenge', () => {
  async function pay(t: TestContext, nn: number) {
    const { server, simulator } = await start(t)
    const { acsUrl, ares, first } = await begin(simulator, server, faultPan('visa', nn))
    const released = await press(simulator, first, acsUrl, 'submit', '1234')
    return { server, simulator, ares, cres: carriedBy(released.text)['transStatus'] }
  }
  const statuses = (results: readonly Fields[]) =>
    results.map(({ transStatus }) => transStatus).join(' ')

  test('14: the CRes says Y, and no result ever comes', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server, simulator } = await start(t, schedule)
    const { acsUrl, first } = await begin(simulator, server, faultPan('visa', 14))
    const released = await press(simulator, first, acsUrl, 'submit', '1234')
    assert.equal(carriedBy(released.text)['transStatus'], 'Y')
    assert.equal(schedule.nextMs(), null)
    assert.deepEqual(server.results, [])
  })

  test('15: the result comes a second after the CRes', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server, simulator } = await start(t, schedule)
    const { acsUrl, first } = await begin(simulator, server, faultPan('visa', 15))
    const released = await press(simulator, first, acsUrl, 'submit', '1234')
    assert.equal(carriedBy(released.text)['transStatus'], 'Y')
    assert.equal(schedule.nextMs(), 1000)
    assert.deepEqual(server.results, [])
    schedule.advance(1000)
    assert.equal(gist(await server.result(1)), 'Y - - 05 01')
  })

  test('16: the CRes says Y and the result N', async (t) => {
    const { cres, server } = await pay(t, 16)
    assert.deepEqual([cres, statuses(server.results)], ['Y', 'N'])
  })

  test('17: the same result comes twice', async (t) => {
    const { cres, server } = await pay(t, 17)
    assert.deepEqual([cres, statuses(server.results)], ['Y', 'Y Y'])
    assert.deepEqual(server.results[0], server.results[1])
  })

  test('18: a result Y is followed by an N', async (t) => {
    const { cres, server } = await pay(t, 18)
    assert.deepEqual([cres, statuses(server.results)], ['Y', 'Y N'])
  })

  test('19: a wrong acsTransID comes first', async (t) => {
    const { ares, cres, server } = await pay(t, 19)
    assert.deepEqual([cres, statuses(server.results)], ['Y', 'Y Y'])
    assert.notEqual(server.results[0]?.['acsTransID'], ares['acsTransID'])
    assert.equal(server.results[1]?.['acsTransID'], ares['acsTransID'])
  })

  test('20: the result Y is without its value', async (t) => {
    const { cres, server } = await pay(t, 20)
    assert.deepEqual([cres, statuses(server.results)], ['Y', 'Y'])
    assert.equal('authenticationValue' in (server.results[0] ?? {}), false)
  })

  test('23: the CRes says N and the result Y', async (t) => {
    const { cres, server } = await pay(t, 23)
    assert.deepEqual([cres, statuses(server.results)], ['N', 'Y'])
  })

  test('21: the page answers 503 until the CReq is too late', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server, simulator } = await start(t, schedule)
    const ares = await server.ask(server.areq(faultPan('visa', 21)))
    const creq = base64Url(aCReq(ares))
    assert.equal((await postForm(simulator, String(ares['acsURL']), { creq })).status, 503)
    schedule.advance(30_000)
    assert.equal(gist(await server.result(1)), 'N 14 05 - 00')
  })

  test('22: the page has no form, and ends after 10 minutes', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server, simulator } = await start(t, schedule)
    const { first } = await begin(simulator, server, faultPan('amex', 22))
    assert.equal(first.status, 200)
    assert.doesNotMatch(first.text, /<form/)
    schedule.advance(600_000)
    assert.equal(gist(await server.result(1)), 'N 14 04 - 00')
  })

  test('the fault cards have no fault for a cardholder who does not confirm', async (t) => {
    const { server, simulator } = await start(t)
    const { acsUrl, first } = await begin(simulator, server, faultPan('visa', 23))
    const released = await press(simulator, first, acsUrl, 'cancel')
    assert.equal(carriedBy(released.text)['transStatus'], 'N')
    assert.deepEqual(server.results.map(gist), ['N 26 01 - 00'])
  })

  test('challenge unavailable is U with a CRes; error on authentication is U with an Erro', async (t) => {
    const { server, simulator } = await start(t)
    const unavailable = await begin(simulator, server, '4000000000002420')
    const faulty = await begin(simulator, server, '4000000000002644')
    assert.equal(carriedBy(unavailable.first.text)['transStatus'], 'N')
    assert.equal(carriedBy(faulty.first.text)['errorCode'], '403')
    assert.deepEqual(server.results.map(gist), ['U 22 - - 00', 'U 22 06 - 00'])
  })
})

suite('the timers', () => {
  test('30 seconds after the ARes the ACS gives up, and a late CReq is Erro 402', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server, simulator } = await start(t, schedule)
    const ares = await server.ask(server.areq(CHALLENGE))
    assert.equal(schedule.nextMs(), 30_000)
    schedule.advance(30_000)
    assert.equal(gist(await server.result(1)), 'N 14 05 - 00')
    const late = await postForm(simulator, String(ares['acsURL']), { creq: base64Url(aCReq(ares)) })
    assert.equal(carriedBy(late.text)['errorCode'], '402')
  })

  test('each screen has its own 10 minutes, and a code after them is no use', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server, simulator } = await start(t, schedule)
    const { acsUrl, first } = await begin(simulator, server, CHALLENGE)
    schedule.advance(599_000)
    const second = await press(simulator, first, acsUrl, 'submit', '9999')
    assert.equal(schedule.nextMs(), 600_000)
    schedule.advance(600_000)
    assert.equal(gist(await server.result(1)), 'N 14 04 - 01')
    const late = await press(simulator, second, acsUrl, 'submit', '1234')
    assert.equal(carriedBy(late.text)['transStatus'], 'N')
    assert.equal(server.results.length, 1)
  })

  test('the browser is sent back after 5 seconds, and the result is retried every 10', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server, simulator } = await start(t, schedule)
    const { acsUrl, first } = await begin(simulator, server, CHALLENGE)
    const { ca } = await credentialOf(simulator.folder, 'acs')
    assert.ok(ca.length > 0)
    const heard = Promise.withResolvers<void>()
    server.answerWith(() => {
      heard.resolve()
      return { messageType: 'Erro', messageVersion: '2.2.0', errorCode: '405' }
    })
    const pressed = press(simulator, first, acsUrl, 'submit', '1234')
    await heard.promise
    // An Erro 405 means that no server was reached: a retry at once, then every 10 seconds.
    await server.result(2)
    await untilSeen(
      'the answer to the challenge is waited for',
      () => schedule.nextMs(),
      (ms) => ms === 5_000,
    )
    schedule.advance(5_000)
    assert.equal(carriedBy((await pressed).text)['transStatus'], 'Y')
    server.answerWith(rresTo)
    await untilSeen(
      'the result is to be sent once more',
      () => schedule.nextMs(),
      (ms) => ms !== null,
    )
    schedule.advance(10_000)
    assert.equal(gist(await server.result(3)), 'Y - - 05 01')
  })

  test('a PReq may come once an hour; the second batch changes, removes and adds ranges', async (t) => {
    const schedule = manualSchedule(Date.now())
    const { server } = await start(t, schedule)
    const preq = (serialNum?: string) =>
      server.ask({
        messageType: 'PReq',
        messageVersion: '2.2.0',
        threeDSServerTransID: crypto.randomUUID(),
        threeDSServerRefNumber: 'SIM_3DSS_0001',
        ...(serialNum === undefined ? {} : { serialNum }),
      })
    const first = await preq()
    assert.equal(first['messageType'], 'PRes')
    assert.equal(first['serialNum'], '1')
    const ranges = first['cardRangeData'] as readonly Fields[]
    const within = (pan: string) =>
      ranges.filter(
        ({ endRange, startRange }) =>
          String(startRange).length === pan.length &&
          pan >= String(startRange) &&
          pan <= String(endRange),
      )
    for (const pan of [
      '4000000000002503',
      '5200000000002235',
      '340000000002708',
      '4000000000009243',
    ]) {
      assert.equal(within(pan).length, 1, pan)
    }
    assert.equal(within('4000000000002560').length, 0)
    assert.equal('threeDSMethodURL' in (within(faultPan('visa', 1))[0] ?? {}), false)
    assert.equal(new Set(ranges.map((range) => range['threeDSMethodURL'])).size, 2)

    assert.equal((await preq('1'))['errorCode'], '103')
    schedule.advance(3_600_000)
    assert.equal((await preq('9'))['errorCode'], '307')
    const second = await preq('1')
    assert.equal(second['serialNum'], '2')
    const changed = second['cardRangeData'] as readonly Fields[]
    assert.deepEqual(
      changed.map(({ actionInd }) => actionInd),
      ['M', 'D', 'A'],
    )
    schedule.advance(3_600_000)
    const third = await preq('2')
    assert.deepEqual([third['serialNum'], 'cardRangeData' in third], ['2', false])
  })
})
