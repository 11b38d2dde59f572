import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import {} from '../support/dates.ts'
import { untilRow } from '../support/payments.ts'
import { bankRequests } from './support/bank-requests.ts'
import {
  cresOn,
  creqOf,
  openChallenge,
  openStepUp,
  passChallenge,
  press,
  release,
} from './support/challenge.ts'
import { journalViolations } from './support/journal-violations.ts'
import { carried, carry, formOf } from './support/scripted-browser.ts'
import { EXPIRY, readPayload, type Answer, type Changes, type Enrolled } from './support/shop.ts'
import { gist, startWorld, type World } from './support/world.ts'

const CARD = '4000000000002503'
/** A site that insists on REQUEST_PARES. */
const STRICT_SITE = 1003
const OTHER_CARD = '4000000000002701'

suite('the final call', () => {
  let world: World
  before(async () => {
    world = await startWorld()
    // Before anybody has asked for this site: what is known of one is remembered for a while.
    await world.gateway.pool.query(
      `update sites set three_ds_pares_required = true where id = ${STRICT_SITE}`,
    )
  })
  after(() => world?.stop())

  /** A pending payment, and the cardholder's part in it before the shop goes on. */
  async function afterChallenge(
    pan: string,
    act: (answer: Answer) => Promise<unknown>,
    more: Changes = {},
  ): Promise<Enrolled> {
    const enrolled = await world.shop().enrol(pan, more)
    assert.equal(gist(enrolled.answer), 'PENDING C -')
    await act(enrolled.answer)
    return enrolled
  }
  const passed = (more: Changes = {}) =>
    afterChallenge(CARD, (answer) => passChallenge(world, answer), more)
  const finish = (enrolled: Enrolled, more: Changes = {}) =>
    world.watch(() => world.shop().finish(enrolled, more))
  /** A code, and the CRes brought back. */
  const code = (digits: string) => (answer: Answer) => passChallenge(world, answer, digits)

  test('row 20: after Y the same transaction is authorized, with the CAVV of the result', async () => {
    const enrolled = await passed()
    const { result, sent, letters } = await finish(enrolled)

    assert.equal(gist(result), 'APPROVED Y 05')
    assert.equal(sent.length, 1)
    assert.match(sent[0]?.cavv ?? '', /^[0-9A-Fa-f]{40}$/)
    assert.equal(letters, '2')
    assert.equal(result['TRANS_ID'], enrolled.answer['TRANS_ID'])
    assert.equal(result['PO_ID'], enrolled.answer['PO_ID'])
    assert.equal(result['PO_LI_ID_1'], enrolled.answer['PO_LI_ID_1'])
    assert.notEqual(result['REQ_ID'], enrolled.answer['REQ_ID'])
    assert.equal(result['P3DS_PAYLOAD'], undefined)
    assert.equal(result['PROC_REDIRECT_URL'], '')
  })

  test('row 20: a challenge of 2.1.0, of Mastercard and of American Express end the same way', async () => {
    for (const [pan, answer] of [
      ['4000000000001091', 'APPROVED Y 05'],
      ['5200000000002151', 'APPROVED Y 02'],
      ['340000000002534', 'APPROVED Y 05'],
    ] as const) {
      const { result, letters } = await finish(await afterChallenge(pan, code('1234')))
      assert.equal(gist(result), answer)
      assert.equal(letters, '2')
    }
  })

  test('row 20: a result that comes twice, or after a wrong one, is one result', async () => {
    for (const pan of ['4000000000009177', '4000000000009193', '4000000000009185']) {
      const { result, sent } = await finish(await afterChallenge(pan, code('1234')))
      assert.equal(gist(result), 'APPROVED Y 05', pan)
      assert.equal(sent.length, 1)
    }
  })

  test('row 20: a result that comes after the CRes is waited for', async () => {
    const { result, sent } = await finish(await afterChallenge('4000000000009151', code('1234')))
    assert.equal(gist(result), 'APPROVED Y 05')
    assert.equal(sent.length, 1)
  })

  test('row 21: after A it is authorized as an attempt', async () => {
    const { result, sent, letters } = await finish(await afterChallenge(CARD, code('2222')))
    assert.equal(gist(result), 'APPROVED A 06')
    assert.equal(sent.length, 1)
    assert.equal(letters, '3')
  })

  const LOST: readonly (readonly [
    row: string,
    what: string,
    pan: string,
    act: (answer: Answer) => Promise<unknown>,
    answer: string,
  ])[] = [
    ['22', 'after the third wrong code', CARD, wrongThreeTimes, 'DECLINED N 07'],
    ['22', 'after the issuer said N', CARD, code('1111'), 'DECLINED N 07'],
    ['23', 'after the cardholder cancelled', CARD, cancel, 'DECLINED N 07'],
    ['25', 'after the issuer rejected', CARD, code('4444'), 'DECLINED R 07'],
    ['26', 'after U', CARD, code('3333'), 'DECLINED U 07'],
    [
      '26',
      'after a challenge that the issuer cannot show',
      '4000000000002420',
      openOnly,
      'DECLINED U 07',
    ],
    [
      '26',
      'after an Erro in place of the CRes',
      '4000000000002644',
      openAndRelease,
      'DECLINED U 07',
    ],
    ['26', 'after a CReq that a browser has damaged', CARD, damage, 'DECLINED U 07'],
    ['26', 'after a Y without a value', '4000000000009201', code('1234'), 'DECLINED U 07'],
    ['27', 'without a result, for every CRes', '4000000000009144', code('1234'), 'DECLINED U 07'],
    [
      '28',
      'after N by the result and Y by the CRes',
      '4000000000009169',
      code('1234'),
      'DECLINED N 07',
    ],
    [
      '29',
      'after Y by the result and N by the CRes',
      '4000000000009235',
      code('1234'),
      'DECLINED N 07',
    ],
    [
      '38',
      'while the cardholder still looks for the code',
      CARD,
      (answer) => openChallenge(world, answer),
      'DECLINED U 07',
    ],
  ]
  for (const [row, what, pan, act, answer] of LOST) {
    test(`row ${row}: ${what} it is declined, and the bank not asked, then or later`, async () => {
      const enrolled = await afterChallenge(pan, act)
      const { result, sent } = await finish(enrolled)
      assert.equal(gist(result), answer)
      assert.equal(result['TRANS_ID'], enrolled.answer['TRANS_ID'])
      assert.deepEqual(sent, [])

      const again = await finish(enrolled)
      assert.match(gist(again.result), /^DECLINED /)
      assert.deepEqual(again.sent, [])
    })
  }

  async function wrongThreeTimes(answer: Answer): Promise<void> {
    let { issuer: page } = await openChallenge(world, answer)
    for (let time = 0; time < 3; time += 1) page = await press(world, page, 'submit', '9999')
    await release(world, page)
  }
  async function cancel(answer: Answer): Promise<void> {
    const { issuer } = await openChallenge(world, answer)
    await release(world, await press(world, issuer, 'cancel'))
  }
  async function openOnly(answer: Answer): Promise<void> {
    const { issuer } = await openChallenge(world, answer)
    if (issuer.text.includes('name="cres"') || issuer.text.includes('name="erro"'))
      await release(world, issuer)
  }
  async function openAndRelease(answer: Answer): Promise<void> {
    const { issuer } = await openChallenge(world, answer)
    await release(
      world,
      issuer.text.includes('challengeDataEntry')
        ? await press(world, issuer, 'submit', '1234')
        : issuer,
    )
  }
  async function damage(answer: Answer): Promise<void> {
    const { url, fields } = creqOf(await openStepUp(world, answer))
    const creq = carry({ ...carried(fields['creq'] ?? ''), challengeWindowSize: '99' })
    await release(world, await world.browser.post(url, { ...fields, creq }))
  }

  test('row 30: an empty REQUEST_PARES is no error, also where a site requires one', async () => {
    const { result, sent } = await world.watch(async () => {
      const shop = world.shop(STRICT_SITE)
      const enrolled = await shop.enrol(CARD)
      await passChallenge(world, enrolled.answer)
      return await shop.finish(enrolled, { REQUEST_PARES: '' })
    })
    assert.equal(gist(result), 'APPROVED Y 05')
    assert.equal(sent.length, 1)
  })

  test('row 31: no REQUEST_PARES is as an empty one', async () => {
    const { result, sent } = await finish(await passed(), { REQUEST_PARES: null })
    assert.equal(gist(result), 'APPROVED Y 05')
    assert.equal(sent.length, 1)
  })

  test('row 31: where a site requires one, a call without it is refused, and one with it continues', async () => {
    const shop = world.shop(STRICT_SITE)
    const enrolled = await shop.enrol(CARD)
    await passChallenge(world, enrolled.answer)
    const without = await world.watch(() => shop.finish(enrolled, { REQUEST_PARES: null }))
    const withIt = await world.watch(() => shop.finish(enrolled))
    assert.notEqual(gist(without.result), 'APPROVED Y 05')
    assert.deepEqual(without.sent, [])
    assert.equal(gist(withIt.result), 'APPROVED Y 05')
  })

  test('row 32: a REQUEST_PARES that is not ours declines, and the right one still goes through', async () => {
    const enrolled = await passed()
    const own = await responseOf(enrolled)
    const foreign = await responseOf(await passed())
    for (const paRes of ['Y', `${own.slice(0, -2)}AA`, foreign]) {
      // The third wrong one would end it.
      const fresh = await passed()
      const { result, sent } = await finish(fresh, { REQUEST_PARES: paRes })
      assert.equal(gist(result), 'DECLINED N -')
      assert.deepEqual(sent, [])
      assert.equal(gist((await finish(fresh)).result), 'APPROVED Y 05')
    }
    assert.equal(gist((await finish(enrolled, { REQUEST_PARES: own })).result), 'APPROVED Y 05')
  })

  /** The `Response` that the gateway's page returns to the shop. */
  async function responseOf(enrolled: Enrolled): Promise<string> {
    const { fields } = formOf(await openStepUp(world, enrolled.answer))
    const response = fields['Response'] ?? ''
    assert.match(response, /^eyJ/, 'the page of a finished challenge has no response')
    assert.equal(fields['TransactionId'], enrolled.answer['P3DS_PROCTRANSID'])
    return response
  }

  test('row 33: an id that is unknown, of another account or another user is refused with the same 113', async () => {
    const second = 'second@tollgate.test'
    await world.gateway.pool.query(
      `with made as (insert into api_users (merchant_id, username, made_by) values (1, $1, 'test') returning id)
       insert into api_user_passwords (user_id, number, place, hash, made_by)
       select made.id, 1, 1, p.hash, 'test' from made, api_user_passwords p join api_users u on u.id = p.user_id
        where u.username = 'demo@tollgate.test' limit 1`,
      [second],
    )
    const enrolled = await passed()
    const answers = [
      await world.shop().finish(enrolled, { P3DS_PROCTRANSID: 'A'.repeat(20) }),
      await world.shop(1002).finish(enrolled),
      await world.shop().finish(enrolled, { REQ_USERNAME: second }),
    ].map((answer) => ({ ...answer, REQ_ID: '', SITE_ID: '' }))
    for (const answer of answers) {
      assert.equal(gist(answer), '113 P3DS_PROCTRANSID')
      assert.deepEqual(answer, answers[0])
    }
    assert.equal(gist((await finish(enrolled)).result), 'APPROVED Y 05')
  })

  const OTHERS: readonly (readonly [row: string, what: string, more: Changes, answer: string])[] = [
    // A refusal of the request itself contains no ECI.
    ['34', 'a higher amount', { LI_VALUE_1: '10.01' }, 'DECLINED N -'],
    ['34', 'a lower amount', { LI_VALUE_1: '9.99' }, 'DECLINED N -'],
    ['34', 'another currency', { REQUEST_CURRENCY: 'EUR' }, 'DECLINED N -'],
    [
      '34',
      'the same amount in other lines',
      { LI_VALUE_1: '5.00', LI_VALUE_2: '5.00' },
      'DECLINED N -',
    ],
    ['35', 'another card', { PMT_NUMB: OTHER_CARD }, 'DECLINED N -'],
    ['35', 'another expiry', { PMT_EXPIRY: `11${EXPIRY.slice(2)}` }, 'DECLINED N -'],
    ['36', 'another action', { REQUEST_ACTION: 'CCAUTHCAP' }, '113 REQUEST_ACTION'],
  ]
  for (const [row, what, more, answer] of OTHERS) {
    test(`row ${row}: ${what} than was authenticated is refused, and the bank not asked`, async () => {
      const enrolled = await passed()
      const { result, sent } = await finish(enrolled, more)
      if (row === '36') assert.match(gist(result), /^113 /)
      else assert.equal(gist(result), answer)
      assert.deepEqual(sent, [])
      assert.equal(
        gist((await finish(enrolled)).result),
        'APPROVED Y 05',
        'what was authenticated still goes through',
      )
    })
  }

  test('row 35: a saved card that is another one than was authenticated is refused', async () => {
    const shop = world.shop()
    const kept = await shop.pay({
      REQUEST_ACTION: 'CCAUTHORIZE',
      PMT_NUMB: OTHER_CARD,
      PMT_EXPIRY: EXPIRY,
      PMT_KEY: '123',
      LI_VALUE_1: '1.00',
    })
    const saved = {
      CUST_ID: kept['CUST_ID'] ?? '',
      PMT_ID: kept['PMT_ID'] ?? '',
      PMT_NUMB: null,
      PMT_EXPIRY: null,
      PMT_KEY: null,
    }
    assert.notEqual(saved.PMT_ID, '')
    const enrolled = await passed()
    const { result, sent } = await finish(enrolled, saved)
    assert.equal(gist(result), 'DECLINED N -')
    assert.deepEqual(sent, [])
  })

  test('row 36: another merchant account or site than was authenticated is refused with 113', async () => {
    const enrolled = await passed()
    for (const more of [{ SITE_ID: '1003' }, { MERCH_ACCT_ID: '2003', SITE_ID: '1003' }]) {
      const { result, sent } = await finish(enrolled, more)
      assert.match(gist(result), /^113 /)
      assert.deepEqual(sent, [])
    }
  })

  test('row 37: the third difference ends it, for the right request too', async () => {
    const enrolled = await passed()
    for (const amount of ['11.00', '12.00', '13.00']) await finish(enrolled, { LI_VALUE_1: amount })
    const { result, sent } = await finish(enrolled)
    assert.equal(gist(result), 'DECLINED N -')
    assert.deepEqual(sent, [])
  })

  test('row 40: the same final call once more gets the stored answer, and nothing is sent', async () => {
    const enrolled = await passed()
    const first = await finish(enrolled)
    const second = await finish(enrolled)
    assert.deepEqual({ ...second.result, REQ_ID: '' }, { ...first.result, REQ_ID: '' })
    assert.equal(first.sent.length + second.sent.length, 1)
  })

  test('row 41: a finished one used for anything else is declined', async () => {
    const enrolled = await passed()
    await finish(enrolled)
    for (const more of [
      { LI_VALUE_1: '10.01' },
      { PMT_NUMB: OTHER_CARD },
      { XTL_ORDER_ID: 'another-order' },
    ]) {
      const { result, sent } = await finish(enrolled, more)
      assert.equal(gist(result), 'DECLINED N -', JSON.stringify(more))
      assert.deepEqual(sent, [])
    }
  })

  test('row 42: two final calls at once are one authorization and one answer', async () => {
    const enrolled = await passed()
    const { result, sent } = await world.watch(() =>
      Promise.all([world.shop().finish(enrolled), world.shop().finish(enrolled)]),
    )
    assert.equal(sent.length, 1)
    const [first, second] = result.map((answer) => ({ ...answer, REQ_ID: '' }))
    assert.equal(gist(first ?? {}), 'APPROVED Y 05')
    assert.deepEqual(first, second)
  })

  test('row 45: a plain payment with the reference of a pending order is a payment of its own', async () => {
    const reference = 'three-ds-row-45'
    const enrolled = await passed({ XTL_ORDER_ID: reference, UNIQUE_XTL_ORDER_ID: '2' })
    const plain = await world.shop().pay({
      REQUEST_ACTION: 'CCAUTHORIZE',
      PMT_NUMB: '4111111111111111',
      PMT_EXPIRY: EXPIRY,
      PMT_KEY: '123',
      LI_VALUE_1: '10.00',
      XTL_ORDER_ID: reference,
    })
    assert.equal(gist(plain), 'APPROVED - -')
    assert.notEqual(plain['PO_ID'], enrolled.answer['PO_ID'])
  })

  test('an order reference with the request that it be unique goes through the final call', async () => {
    const enrolled = await passed({ XTL_ORDER_ID: 'three-ds-unique', UNIQUE_XTL_ORDER_ID: '2' })
    const { result, sent } = await finish(enrolled)
    assert.equal(gist(result), 'APPROVED Y 05')
    assert.equal(sent.length, 1)
  })

  test('a pending order cannot be captured or refunded', async () => {
    const { answer } = await world.shop().enrol(CARD)
    for (const REQUEST_ACTION of ['CCCAPTURE', 'CCCREDIT']) {
      const refused = await world
        .shop()
        .pay({ REQUEST_ACTION, REQUEST_REF_PO_ID: answer['PO_ID'] ?? '', LI_VALUE_1: '10.00' })
      assert.notEqual(refused['TRANS_STATUS_NAME'], 'APPROVED', REQUEST_ACTION)
    }
  })

  test('the payload of a pending payment holds a CReq of its ids, and neither card nor amount', async () => {
    const { answer } = await world.shop().enrol(CARD)
    const { creq, transactionId, claims } = readPayload(answer)
    assert.equal(transactionId, answer['P3DS_PROCTRANSID'])
    assert.equal(carried(creq)['messageType'], 'CReq')
    assert.doesNotMatch(
      JSON.stringify(claims) + JSON.stringify(carried(creq)),
      /4000000000002503|10\.00|"1000"/,
    )
  })

  test('a CRes never has another status than Y or N', async () => {
    const { answer } = await world.shop().enrol(CARD)
    const { issuer } = await openChallenge(world, answer)
    assert.equal(cresOn(await press(world, issuer, 'submit', '2222'))['transStatus'], 'Y')
  })

  test('every message that the gateway sent for these is as the schemas want it', async () => {
    // One CReq was damaged on purpose.
    const lines = (await world.journal()).filter(
      ({ message }) => message?.['challengeWindowSize'] !== '99',
    )
    const { counts, violations } = journalViolations(lines)
    assert.deepEqual(violations, [])
    for (const type of ['PReq', 'AReq', 'CReq', 'RRes']) assert.ok((counts[type] ?? 0) > 0, type)
  })

  // The last ones: time goes on by them.
  test('row 39: more than half an hour after the result it is declined', async () => {
    const enrolled = await passed()
    world.clock.forward(31 * 60_000)
    const { result, sent } = await finish(enrolled)
    assert.match(gist(result), /^DECLINED (?:-|Y|U|N) /)
    assert.deepEqual(sent, [])
  })

  test('row 44: a job declines a payment that is never continued', async () => {
    const { answer } = await world.shop().enrol(CARD)
    world.clock.forward(31 * 60_000)
    await untilRow(
      world.gateway,
      'the pending payment is declined',
      `select 1 from transactions where id = $1 and state = 'declined'`,
      [answer['TRANS_ID']],
    )
    const { result, sent } = await world.watch(() =>
      world.shop().pay({ REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: answer['PO_ID'] ?? '' }),
    )
    assert.match(JSON.stringify(result), /DECLINED/)
    assert.deepEqual(sent, [])
  })

  test('T21: no CAVV that the bank got is in a log or in any row', async () => {
    const cavvs = bankRequests(world.tap)
      .map(({ cavv }) => cavv)
      .filter((cavv) => cavv !== '')
    assert.ok(cavvs.length > 10)
    const { rows: tables } = await world.gateway.pool.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    const texts = [world.gateway.logged(), await world.gateway.metrics()]
    for (const { name } of tables) {
      const { rows } = await world.gateway.pool.query<{ row: string }>(
        `select t::text as row from "${name}" t`,
      )
      texts.push(rows.map(({ row }) => row).join('\n'))
    }
    const all = texts.join('\n')
    for (const hex of cavvs) {
      const bytes = Buffer.from(hex, 'hex')
      for (const written of [
        hex,
        hex.toLowerCase(),
        bytes.toString('base64'),
        bytes.toString('base64url'),
      ]) {
        assert.ok(!all.includes(written), 'a CAVV was kept')
      }
    }
  })

  test('in the end the books of gateway and bank agree', async () => {
    assert.ok((await assertBooksAgree(world.gateway)) > 20)
  })
})

suite('a cardholder who does nothing', () => {
  let world: World
  before(async () => {
    // The half minute for the CReq has to last while this machine does other things.
    world = await startWorld({ timeScale: 60 })
  })
  after(() => world?.stop())

  for (const [what, pan, act] of [
    ['no CReq within 30 seconds', CARD, () => Promise.resolve()],
    [
      'a page that answers 503',
      '4000000000009219',
      async (answer: Answer) => {
        const { issuer } = await openChallenge(world, answer)
        assert.equal(issuer.status, 503)
      },
    ],
    [
      'no code within ten minutes',
      '4000000000009227',
      (answer: Answer) => openChallenge(world, answer),
    ],
  ] as const) {
    test(`row 24: after ${what} it is declined, and the bank not asked`, async () => {
      const enrolled = await world.shop().enrol(pan)
      assert.equal(gist(enrolled.answer), 'PENDING C -')
      await act(enrolled.answer)
      await untilRow(
        world.gateway,
        'the result is stored',
        `select 1 from three_ds_authentications where proc_trans_id = $1 and result_status is not null`,
        [enrolled.answer['P3DS_PROCTRANSID']],
        60_000,
      )
      const { result, sent } = await world.watch(() => world.shop().finish(enrolled))
      assert.equal(gist(result), 'DECLINED N 07')
      assert.deepEqual(sent, [])
    })
  }
})
