import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { hasValidCheckDigit } from '../../src/issuer/card-brands.ts'
import { FAULT_CARDS, KNOWN_CARDS, OLD_CARDS, faultPan } from '../../src/three-ds/cards.ts'
import { FAULTS, FAULT_HABITS } from '../../src/three-ds/habits.ts'
import { parseMessage, checkMessage } from '../../src/three-ds/read-message.ts'
import { startScriptedServer, startSimulator } from './scripted-server.ts'
import type { Fields } from './scripted-server.ts'

/** The content of an answer, without its ids. */
function gist(answer: Fields): string {
  const { errorCode, errorComponent, errorDetail, messageType, transStatus } = answer
  if (messageType === 'Erro') return `Erro ${errorCode} ${errorComponent} ${errorDetail}`
  return `${messageType} ${transStatus} ${answer['transStatusReason'] ?? ''}`.trim()
}

const EXPECTED: Readonly<Record<string, string>> = {
  success: 'ARes Y',
  failed: 'ARes N 01',
  attempt: 'ARes A',
  unavailable: 'ARes U 22',
  rejected: 'ARes R 11',
  outside_ranges: 'Erro 305 D acctNumber',
  lookup_error: 'Erro 403 D The simulated Directory Server has a fault.',
  challenge: 'ARes C',
  challenge_fails: 'ARes C',
  challenge_unavailable: 'ARes C',
  challenge_error: 'ARes C',
  data_only: 'ARes U 22',
  informed: 'ARes Y',
  informed_failure: 'ARes N 01',
}

const LATER = { diners: '05', unionpay: '05', maestro: '02' }
const ECI: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Y: { visa: '05', amex: '05', discover: '05', jcb: '05', mastercard: '02', ...LATER },
  A: {
    visa: '06',
    amex: '06',
    discover: '06',
    jcb: '06',
    mastercard: '01',
    diners: '06',
    unionpay: '06',
    maestro: '01',
  },
}

suite('the test cards, over mTLS', () => {
  for (const { brand, habit, pan } of [...KNOWN_CARDS, ...OLD_CARDS]) {
    const isOld = OLD_CARDS.some((card) => card.pan === pan)
    if (habit === 'lookup_silent') continue
    test(`${pan} (${brand}${isOld ? ', 2.1.0' : ''}) does what its row says: ${habit}`, async (t) => {
      const simulator = await startSimulator(t)
      const server = await startScriptedServer(simulator)
      const messageVersion = isOld ? '2.1.0' : '2.2.0'

      const areq = server.areq(pan, { messageVersion })
      const answer = await server.ask(areq)

      assert.equal(hasValidCheckDigit(pan), true)
      assert.equal(gist(answer), EXPECTED[habit])
      assert.equal(answer['messageVersion'], messageVersion)
      assert.equal(answer['threeDSServerTransID'], areq['threeDSServerTransID'])
      if (answer['messageType'] === 'Erro') return
      const json = JSON.stringify(answer)
      checkMessage(parseMessage(json), json, { type: 'ARes', leg: 'to_ds' })
      const isInformed = habit === 'informed' || habit === 'informed_failure'
      assert.equal('cardholderInfo' in answer, isInformed)
      assert.equal(answer['dsReferenceNumber'], 'SIM_DS_0001')
      assert.equal(answer['acsReferenceNumber'], 'SIM_ACS_0001')
      const status = String(answer['transStatus'])
      assert.equal(answer['eci'], ECI[status]?.[brand])
      assert.equal('authenticationValue' in answer, status === 'Y' || status === 'A')
      if (status === 'C')
        assert.match(String(answer['acsURL']), /^https:\/\/localhost:\d+\/acs\/creq$/)
    })
  }

  for (const pan of ['4000000000002354', '5200000000002326', '340000000002047']) {
    test(`${pan} is never answered`, async (t) => {
      const simulator = await startSimulator(t)
      const server = await startScriptedServer(simulator)

      const asked = server.ask(server.areq(pan))
      const other = await server.ask(server.areq('4000000000002701'))
      const first = await Promise.race([asked.catch(() => 'cut off'), Promise.resolve('waiting')])

      assert.equal(gist(other), 'ARes Y')
      assert.equal(first, 'waiting')
      await simulator.threeDs.close()
      await assert.rejects(asked)
    })
  }

  test('a card without a range is refused by the DS with 305', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    for (const pan of ['4111111111111111', '4000000000002560', '5555555555554444']) {
      assert.equal(gist(await server.ask(server.areq(pan))), 'Erro 305 D acctNumber', pan)
    }
  })

  test('a version that the range of a card does not speak is refused with those that it does', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const old = await server.ask(server.areq('4000000000001000'))
    const young = await server.ask(server.areq(faultPan('visa', 4), { messageVersion: '2.1.0' }))
    assert.equal(gist(old), 'Erro 102 D 2.1.0')
    assert.equal(gist(young), 'Erro 102 D 2.2.0')
  })

  test('data only is an I where data only was requested, and never a challenge then', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const ask = async (pan: string) =>
      server.ask(server.areq(pan, { threeDSRequestorChallengeInd: '06' }))
    const visa = await ask('4000000000002024')
    const mastercard = await ask('5200000000002805')
    assert.deepEqual([gist(visa), visa['eci']], ['ARes I', '07'])
    assert.deepEqual([gist(mastercard), mastercard['eci']], ['ARes I', '04'])
    assert.equal(gist(await ask('4000000000002503')), 'ARes U 22')
  })

  test('the reason for U is one that 2.1.0 has', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const changes = { messageVersion: '2.1.0' }
    const answer = await server.ask(server.areq('4000000000002313', changes))
    assert.equal(gist(answer), 'ARes U 15')
  })
})

suite('the fault cards, over mTLS', () => {
  test('the numbers are the published ones, 25 for each of three brands', () => {
    assert.equal(FAULT_HABITS.length, 25)
    assert.equal(FAULT_CARDS.length, 75)
    assert.deepEqual(
      [0, 1, 2, 9, 10, 24].map((nn) => faultPan('visa', nn)),
      ['4000000000009003', '4000000000009011', '4000000000009029', '4000000000009094'].concat([
        '4000000000009102',
        '4000000000009243',
      ]),
    )
    for (const { pan } of FAULT_CARDS) assert.equal(hasValidCheckDigit(pan), true, pan)
  })

  type Check = (answer: Fields, areq: Fields, pan: string) => void
  const isGist =
    (expected: string): Check =>
    (answer) =>
      assert.equal(gist(answer), expected)
  const challenge = isGist('ARes C')
  const checks: Readonly<Record<string, Check>> = {
    ares_decoupled: (answer) => {
      assert.equal(gist(answer), 'ARes D')
      assert.equal(answer['acsDecConInd'], 'Y')
    },
    ares_informational: isGist('ARes I'),
    ares_without_value: (answer) => {
      assert.equal(gist(answer), 'ARes Y')
      assert.equal('authenticationValue' in answer, false)
    },
    ares_foreign_id: (answer, areq) => {
      assert.equal(gist(answer), 'ARes Y')
      assert.notEqual(answer['threeDSServerTransID'], areq['threeDSServerTransID'])
    },
    ares_other_version: (answer) => assert.equal(answer['messageVersion'], '2.1.0'),
    ares_without_url: (answer) => {
      assert.equal(gist(answer), 'ARes C')
      assert.equal('acsURL' in answer, false)
    },
    ds_erro_203: isGist('Erro 203 D browserLanguage'),
    ds_slow: isGist('ARes Y'),
    ares_wrong_eci: (answer, _areq, pan) =>
      assert.equal(answer['eci'], pan.startsWith('5') ? '05' : '02'),
    old_version: isGist('ARes Y'),
    rreq_never: challenge,
    rreq_late: challenge,
    rreq_says_n: challenge,
    rreq_twice: challenge,
    rreq_contradicts: challenge,
    rreq_wrong_id: challenge,
    rreq_without_value: challenge,
    page_503: challenge,
    page_dead: challenge,
    cres_says_n: challenge,
  }

  test('every fault has a test', () => {
    const special = ['no_method', 'method_silent', 'method_wrong_id', 'ds_http_500', 'ds_reset']
    assert.deepEqual(Object.keys(FAULTS).sort(), [...Object.keys(checks), ...special].sort())
  })

  for (const [habit, check] of Object.entries(checks)) {
    test(`the fault cards of ${habit} do it in all brands`, async (t) => {
      const simulator = await startSimulator(t)
      const server = await startScriptedServer(simulator)
      for (const { pan } of FAULT_CARDS.filter((card) => card.habit === habit)) {
        const messageVersion = habit === 'old_version' ? '2.1.0' : '2.2.0'
        const areq = server.areq(pan, { messageVersion })
        check(await server.ask(areq), areq, pan)
      }
    })
  }

  const methods = [
    ['no_method', 'U', 'Y N'],
    ['method_silent', 'N', 'Y U'],
    ['method_wrong_id', 'N', 'Y U'],
  ] as const
  for (const [habit, right, wrong] of methods) {
    test(`${habit} is a Y with compInd ${right} only`, async (t) => {
      const simulator = await startSimulator(t)
      const server = await startScriptedServer(simulator)
      for (const { pan } of FAULT_CARDS.filter((card) => card.habit === habit)) {
        const ask = async (threeDSCompInd: string) =>
          gist(await server.ask(server.areq(pan, { threeDSCompInd })))
        assert.equal(await ask(right), 'ARes Y')
        for (const other of wrong.split(' ')) assert.equal(await ask(other), 'ARes N 01')
      }
    })
  }

  test('the HTTP fault is a 500 with HTML, and the other one no answer at all', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    for (const brand of ['visa', 'mastercard', 'amex'] as const) {
      const page = await server.raw(JSON.stringify(server.areq(faultPan(brand, 11))))
      assert.equal(page.status, 500)
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
      const reset = server.raw(JSON.stringify(server.areq(faultPan(brand, 12))))
      await assert.rejects(reset, { code: 'ECONNRESET', syscall: 'read' })
    }
  })
})
