import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { bankRequests } from './support/bank-requests.ts'
import { journalViolations } from './support/journal-violations.ts'
import type { Changes } from './support/shop.ts'
import { gist, startWorld, type World } from './support/world.ts'

/** A site that wants authentication, and declines without. */
const STRICT_SITE = 1002
/** Not in any card range. */
const UNLISTED = '4111111111111111'

/** The response to an enrolment, and the ECI that the bank received; `-` for no authorization. */
interface Row {
  readonly row: string
  readonly what: string
  readonly pan: string
  readonly more?: Changes
  /** TRANS_STATUS_NAME, P3DS_RESPONSE and P3DS_ECI. */
  readonly answer: string
  /** ECI that the bank got and what it found of the CAVV; null: it was asked nothing. */
  readonly bank: string | null
}

const U = 'APPROVED U 07'
const WITHOUT = '07 0'

const ROWS: readonly Row[] = [
  {
    row: '6',
    what: 'a card of no range is authorized without authentication',
    pan: UNLISTED,
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '6',
    what: 'a card in the hole between two ranges is authorized without authentication',
    pan: '4000000000002560',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '6',
    what: 'a Mastercard of no range has the ECI 00',
    pan: '5555555555554444',
    answer: 'APPROVED U 00',
    bank: '07 0',
  },
  {
    row: '7',
    what: 'an authenticated Visa is authorized with its CAVV',
    pan: '4000000000002701',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an authenticated Mastercard is authorized with its CAVV',
    pan: '5200000000002235',
    answer: 'APPROVED Y 02',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an authenticated American Express card is authorized with its CAVV',
    pan: '340000000002708',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an authenticated Discover card is authorized with its CAVV',
    pan: '6011000000002117',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an authenticated JCB card is authorized with its CAVV',
    pan: '3338000000000296',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an authenticated Diners Club card of 14 digits is authorized with its CAVV',
    pan: '36000000000115',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an authenticated UnionPay card is authorized with its CAVV',
    pan: '6200000000000112',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an authenticated Maestro card is authorized with its CAVV',
    pan: '6304000000000117',
    answer: 'APPROVED Y 02',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'a card that speaks 2.1.0 only is authorized with its CAVV',
    pan: '4000000000001000',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'an answer after 80 % of the time-out still counts',
    pan: '4000000000009136',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'a range without a method is told so',
    pan: '4000000000009011',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '7',
    what: 'a method that was not done is told so',
    pan: '4000000000009029',
    answer: 'APPROVED Y 05',
    bank: '05 2',
  },
  {
    row: '8',
    what: 'an attempt on a Visa is authorized with its CAVV',
    pan: '4000000000002719',
    answer: 'APPROVED A 06',
    bank: '06 3',
  },
  {
    row: '8',
    what: 'an attempt on a Mastercard is authorized with its CAVV',
    pan: '5200000000002482',
    answer: 'APPROVED A 01',
    bank: '06 3',
  },
  {
    row: '8',
    what: 'an attempt on a JCB card is authorized with its CAVV',
    pan: '3338000000000643',
    answer: 'APPROVED A 06',
    bank: '06 3',
  },
  {
    row: '9',
    what: 'a card that is not authenticated is declined, and the bank not asked',
    pan: '4000000000002925',
    answer: 'DECLINED N 07',
    bank: null,
  },
  {
    row: '9',
    what: 'a Mastercard that is not authenticated is declined, and the bank not asked',
    pan: '5200000000002276',
    answer: 'DECLINED N 00',
    bank: null,
  },
  {
    row: '10',
    what: 'a card whose issuer rejects is declined, and the bank not asked',
    pan: '4000000000002537',
    answer: 'DECLINED R 07',
    bank: null,
  },
  {
    row: '11',
    what: 'a card whose issuer cannot authenticate is authorized without',
    pan: '4000000000002313',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '12',
    what: 'information that the request did not ask for counts as no authentication',
    pan: '4000000000009052',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '13',
    what: 'a challenge leaves the payment pending, and the bank not asked',
    pan: '4000000000002503',
    answer: 'PENDING C -',
    bank: null,
  },
  {
    row: '14',
    what: 'a decoupled answer counts as no authentication',
    pan: '4000000000009045',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '14',
    what: 'an authentication without a value counts as none',
    pan: '4000000000009060',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '14',
    what: 'an ECI of another brand counts as no authentication',
    pan: '4000000000009243',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '15',
    what: 'an answer to another question counts as none',
    pan: '4000000000009078',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '15',
    what: 'an answer of another version counts as none',
    pan: '4000000000009086',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '15',
    what: 'a challenge without an address counts as no answer',
    pan: '4000000000009094',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '15',
    what: 'an HTTP 500 counts as no answer',
    pan: '4000000000009110',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '15',
    what: 'a connection that is reset counts as no answer',
    pan: '4000000000009128',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '15',
    what: 'silence counts as no answer',
    pan: '4000000000002354',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '16',
    what: 'an Erro that blames us counts as no authentication',
    pan: '4000000000009102',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '16',
    what: 'an Erro for a card without issuer counts as no authentication',
    pan: '4000000000002990',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '16',
    what: 'an Erro for a fault of the DS counts as no authentication',
    pan: '4000000000002446',
    answer: U,
    bank: WITHOUT,
  },
  {
    row: '17',
    what: 'what the bank declines stays authenticated in the answer',
    pan: '4000000000002701',
    more: { LI_VALUE_1: '5.05' },
    answer: 'DECLINED Y 05',
    bank: '05 2',
  },
]

suite('the enrolment call', () => {
  let world: World
  before(async () => {
    world = await startWorld({ settings: { THREE_DS_TIMEOUT_MS: '3000' } })
    // Before anybody has asked for this site: what is known of one is remembered for a while.
    await world.gateway.pool.query(
      `update sites set three_ds_required = true, three_ds_unavailable = 'decline' where id = ${STRICT_SITE}`,
    )
  })
  after(() => world?.stop())

  for (const { row, what, pan, more = {}, answer, bank } of ROWS) {
    test(`row ${row}: ${what}`, async () => {
      const { result, sent, letters } = await world.watch(() => world.shop().enrol(pan, more))

      assert.equal(gist(result.answer), answer)
      const seen = sent.map(({ eci }, at) => `${normal(eci)} ${letters[at] ?? ' '}`)
      assert.deepEqual(seen, bank === null ? [] : [bank])
    })
  }

  test('row 1: a payment that asks for no authentication gets none, and no field about it', async () => {
    const { result, sent } = await world.watch(() =>
      world.shop().enrol('4000000000002925', {
        REQUEST_ENROLLMENT: '0',
        DDC_REFERENCEID: null,
        P3DS_RETURN_URL: null,
      }),
    )

    assert.equal(gist(result.answer), 'APPROVED - -')
    assert.deepEqual(sent, [{ ...PLAIN, pan: '4000000000002925' }])
    assert.deepEqual(extras(result.answer), [])
  })

  for (const name of ['P3DS_BROWSER_LANGUAGE', 'USER_AGENT_XTL', 'P3DS_BROWSER_HEADER']) {
    for (const [how, value] of [
      ['absent', null],
      ['empty', ''],
    ] as const) {
      test(`row 2: with ${name} ${how} the payment is done without authentication, and without a word`, async () => {
        const { result, sent } = await world.watch(() =>
          world.shop().enrol('4000000000002925', {
            [name]: value,
            DDC_REFERENCEID: 'nonsense',
            P3DS_RETURN_URL: 'nonsense',
          }),
        )

        assert.equal(gist(result.answer), 'APPROVED - -')
        assert.equal(sent.length, 1)
        assert.equal(sent[0]?.cavv, '')
        assert.deepEqual(extras(result.answer), [])
      })
    }
  }

  test('row 2: a site that requires authentication declines it with 670, and the bank is not asked', async () => {
    const { result, sent } = await world.watch(() =>
      world.shop(STRICT_SITE).enrol('4000000000002701', { USER_AGENT_XTL: null }),
    )

    assert.equal(gist(result.answer), 'DECLINED - -')
    assert.equal(result.answer['SERVICE_RESPONSE'], '670')
    assert.deepEqual(sent, [])
  })

  test('row 3: without DDC_REFERENCEID it is refused with 110', async () => {
    for (const value of [null, '']) {
      const { result, sent } = await world.watch(() =>
        world.shop().enrol('4000000000002701', { DDC_REFERENCEID: value }),
      )
      assert.equal(gist(result.answer), '110 DDC_REFERENCEID')
      assert.deepEqual(sent, [])
    }
  })

  test('row 4: an unknown DDC_REFERENCEID and one of another account are refused with the same 113', async () => {
    const { DDC_REFERENCEID: foreign = '' } = await world.shop(1003).prepare('4000000000002701')
    assert.notEqual(foreign, '')
    const { result, sent } = await world.watch(async () => [
      (await world.shop().enrol('4000000000002701', { DDC_REFERENCEID: foreign })).answer,
      (await world.shop().enrol('4000000000002701', { DDC_REFERENCEID: '1-2001' })).answer,
    ])
    const [first, second] = result.map((answer) => ({ ...answer, REQ_ID: '' }))
    assert.equal(gist(first ?? {}), '113 DDC_REFERENCEID')
    assert.deepEqual(first, second)
    assert.deepEqual(sent, [])
  })

  test('row 4b: a reference of another card, and one that was used, go on with an id and a completion of their own', async () => {
    const shop = world.shop()
    const { DDC_REFERENCEID: reference = '' } = await shop.prepare('4000000000002701')
    const last = (await world.journal()).at(-1)?.seq ?? 0
    const answers = []
    for (const pan of ['5200000000002235', '4000000000002701', '4000000000002701']) {
      answers.push(gist((await shop.enrol(pan, { DDC_REFERENCEID: reference })).answer))
    }

    assert.deepEqual(answers, ['APPROVED Y 02', 'APPROVED Y 05', 'APPROVED Y 05'])
    const asked = (await world.journal(last)).filter(
      ({ type, leg, direction }) => type === 'AReq' && leg === 'server-ds' && direction === 'in',
    )
    assert.equal(new Set(asked.map(({ message }) => message?.['threeDSServerTransID'])).size, 3)
    assert.deepEqual(
      asked.map(({ message }) => message?.['threeDSCompInd']),
      ['N', 'N', 'N'],
    )
  })

  const ADDRESSES: readonly (readonly [value: string | null, answer: string])[] = [
    [null, '110 P3DS_RETURN_URL'],
    ['', '110 P3DS_RETURN_URL'],
    ['/back', '113 P3DS_RETURN_URL'],
    ['//shop.example/back', '113 P3DS_RETURN_URL'],
    ['javascript:alert(1)', '113 P3DS_RETURN_URL'],
    ['data:text/html,x', '113 P3DS_RETURN_URL'],
    ['ftp://shop.example/', '113 P3DS_RETURN_URL'],
    ['https://me:secret@shop.example/', '113 P3DS_RETURN_URL'],
    [`https://shop.example/${'x'.repeat(2048)}`, '113 P3DS_RETURN_URL'],
  ]
  for (const [value, answer] of ADDRESSES) {
    test(`row 5: the return address ${String(value).slice(0, 40)} is refused`, async () => {
      const { result, sent } = await world.watch(() =>
        world.shop().enrol('4000000000002701', { P3DS_RETURN_URL: value }),
      )
      // A text that is too long may be said to be that.
      const expected =
        (value?.length ?? 0) > 2048 ? /^11[13] P3DS_RETURN_URL$/ : new RegExp(`^${answer}$`)
      assert.match(gist(result.answer), expected)
      assert.deepEqual(sent, [])
    })
  }

  test('row 5: plain HTTP is taken in test mode', async () => {
    const { answer } = await world
      .shop()
      .enrol('4000000000002701', { P3DS_RETURN_URL: 'http://127.0.0.1:9/back?order=1' })
    assert.equal(gist(answer), 'APPROVED Y 05')
  })

  test('row 7: the bank gets the CAVV, dsTransID and version of this very authentication', async () => {
    const { result, sent } = await world.watch(() => world.shop().enrol('4000000000002701'))
    const [request] = sent
    assert.match(request?.cavv ?? '', /^[0-9A-Fa-f]{40}$/)
    assert.equal(request?.version, '2.2.0')
    assert.equal(request?.dsTransId, result.answer['P3DS_TRANSID'])
    assert.equal(
      JSON.stringify(result.answer).toLowerCase().includes(String(request?.cavv).toLowerCase()),
      false,
    )
  })

  test('rows 7 and 9: the text of the issuer for the cardholder is in the answer', async () => {
    const shop = world.shop()
    const approved = (await shop.enrol('4000000000002818')).answer
    const declined = (await shop.enrol('5200000000002821')).answer
    assert.equal(gist(approved), 'APPROVED Y 05')
    assert.match(approved['P3DS_CARDHOLDER_INFO'] ?? '', /^Your bank has confirmed this payment/)
    assert.equal(gist(declined), 'DECLINED N 00')
    assert.match(declined['P3DS_CARDHOLDER_INFO'] ?? '', /^Your bank has blocked this payment/)
  })

  test('row 13: a pending payment carries the page, its payload twice, and an id of 20 letters and digits', async () => {
    const { answer } = await world.shop().enrol('4000000000002503')
    assert.match(answer['P3DS_ACS_URL'] ?? '', /\/V2\/Cruise\/StepUp$/)
    assert.equal(answer['PROC_REDIRECT_URL'], answer['P3DS_ACS_URL'])
    assert.equal(answer['P3DS_JWT'], answer['P3DS_PAYLOAD'])
    assert.match(answer['P3DS_PROCTRANSID'] ?? '', /^[A-Za-z0-9]{20}$/)
    assert.equal(answer['P3DS_PROCVERSION'], '2.2.0')
    assert.match(answer['TRANS_ID'] ?? '', /^[0-9]+$/)
    assert.match(answer['PO_ID'] ?? '', /^[0-9]+$/)
    assert.match(answer['PO_LI_ID_1'] ?? '', /^[0-9]+$/)
  })

  test('rows 6, 11, 14, 15 and 16: a site that does nothing without authentication declines, and the bank is not asked', async () => {
    const cards = [
      UNLISTED,
      '4000000000002313',
      '4000000000009045',
      '4000000000009110',
      '4000000000002446',
    ]
    const { result, sent } = await world.watch(async () => {
      const answers = []
      for (const pan of cards) answers.push(gist((await world.shop(STRICT_SITE).enrol(pan)).answer))
      return answers
    })
    assert.deepEqual(
      result,
      cards.map(() => 'DECLINED U 07'),
    )
    assert.deepEqual(sent, [])
  })

  test('row 14: the Directory Server receives an Erro 203 that names the error', async () => {
    const last = (await world.journal()).at(-1)?.seq ?? 0
    await world.shop().enrol('4000000000009045')
    const told = (await world.journal(last)).filter(
      ({ type, leg, direction }) => type === 'Erro' && leg === 'server-ds' && direction === 'in',
    )
    assert.deepEqual(
      told.map(({ message }) => message?.['errorCode']),
      ['203'],
    )
  })

  test('row 16: an Erro that blames this gateway is logged for the operator', async () => {
    const seen = world.gateway.logged().length
    await world.shop().enrol('4000000000009102')
    assert.match(world.gateway.logged().slice(seen), /"level":50.*203/)
  })

  test('row 18: a partial approval is reported as always, and is never above the authenticated amount', async () => {
    const { result, sent, letters } = await world.watch(() =>
      world.shop().enrol('4000000000002701', {
        LI_VALUE_1: '6.60',
        PARTIAL_AUTH: '1',
        PARTIAL_AUTH_MIN: '5.00',
      }),
    )
    assert.equal(gist(result.answer), 'APPROVED Y 05')
    assert.equal(Number(result.answer['TRANS_VALUE']), 5.5)
    assert.deepEqual(
      sent.map(({ amount }) => amount),
      [660],
    )
    assert.equal(letters, '2')
  })

  test('a sale is authenticated as an authorization is, and captured', async () => {
    const { answer } = await world.shop().enrol('4000000000002701', { REQUEST_ACTION: 'CCAUTHCAP' })
    assert.equal(gist(answer), 'APPROVED Y 05')
    assert.equal(Number(answer['TRANS_VALUE_SETTLED']), 10)
  })

  test('every message that the gateway sent for these is as the schemas want it', async () => {
    const { counts, violations } = journalViolations(await world.journal())
    assert.deepEqual(violations, [])
    for (const type of ['PReq', 'AReq', 'Erro']) assert.ok((counts[type] ?? 0) > 0, type)
  })

  // The last one: time goes on by it.
  test('row 4: a DDC_REFERENCEID of half an hour ago is refused as an unknown one is', async () => {
    const shop = world.shop()
    const { DDC_REFERENCEID: reference = '' } = await shop.prepare('4000000000002701')
    world.clock.forward(31 * 60_000)
    const old = await shop.enrol('4000000000002701', { DDC_REFERENCEID: reference })
    const unknown = await shop.enrol('4000000000002701', { DDC_REFERENCEID: '1-2001' })
    assert.equal(gist(old.answer), '113 DDC_REFERENCEID')
    assert.deepEqual({ ...old.answer, REQ_ID: '' }, { ...unknown.answer, REQ_ID: '' })
    assert.equal(bankRequests(world.tap).filter(({ pan }) => pan === '').length, 0)
  })
})

/** The bank's word for no authentication is 07. */
const PLAIN = { amount: 1000, eci: '07', cavv: '', dsTransId: '', version: '' }

/** The bank receives the ECI in Visa's numbers, or as the Directory Server stated it. */
function normal(eci: string): string {
  return { '02': '05', '01': '06', '00': '07' }[eci] ?? eci
}

/** Fields that only payments with 3-D Secure have. */
function extras(answer: Readonly<Record<string, string>>): string[] {
  return Object.keys(answer).filter((name) => /^P3DS_(?!VENDOR$|RESPONSE$)/.test(name))
}
