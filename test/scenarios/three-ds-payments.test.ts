import { compileProfile, HOUSE_PROFILE } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { bankOrder } from '../support/bank-books.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { operatorOf, setMode } from '../support/card-testing.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import {
  daysUntilExpiry,
  newReference,
  untilNoAdviceIsQueued,
  untilRow,
} from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import {
  answerChallenge,
  CARD,
  cardForm,
  enrol,
  enrolForm,
  finalForm,
  finish,
  pay,
  prepare,
  said,
  stepUpOf,
  untilCardRanges,
  type Fields,
} from '../support/three-ds.ts'
import { newToken } from '../support/tokens.ts'

let gateway: RunningGateway
let tap: BankTap
before(async () => {
  gateway = await startRunningGateway(
    {},
    async (bankPort) => {
      tap = await openBankTap(bankPort)
      return tap.port
    },
    {},
    { timeScale: 4 },
  )
  await gateway.pool.query(
    `update sites set three_ds_required = true, three_ds_unavailable = 'decline' where id = 1003`,
  )
  await untilCardRanges(gateway)
})
after(async () => {
  await gateway.stop()
  await tap.close()
})

const codec = compileProfile(HOUSE_PROFILE)

/** Authorizations that have left for the bank. */
function asked(): number {
  return tap.messages.filter((bytes) => codec.decode(bytes).mti === '0100').length
}

/** How many authorizations left for the bank while this was done. */
async function askedBy(work: () => Promise<unknown>): Promise<number> {
  const before = asked()
  await work()
  return asked() - before
}

async function challenged(more: Fields = {}, code = '1234'): Promise<Fields> {
  const pending = await enrol(gateway, CARD.challenged, more)
  assert.equal(pending['TRANS_STATUS_NAME'], 'PENDING', said(pending))
  await answerChallenge(gateway, pending, code)
  return pending
}

/** The row of an answer's authentication. */
async function authentication(answer: Fields): Promise<Record<string, unknown>> {
  const { rows } = await gateway.pool.query<Record<string, unknown>>(
    'select * from three_ds_authentications where transaction_id = $1',
    [answer['TRANS_ID']],
  )
  return rows[0] ?? {}
}

async function collectionOf(reference: string): Promise<Record<string, unknown>> {
  const { rows } = await gateway.pool.query<Record<string, unknown>>(
    'select * from three_ds_collections where reference = $1',
    [reference],
  )
  return rows[0] ?? {}
}

/** Makes a payment look as if its customer had been away for so long. */
async function outOfTime(answer: Fields): Promise<void> {
  await gateway.pool.query(
    `update three_ds_authentications set expires_at = now() - interval '1 second' where transaction_id = $1`,
    [answer['TRANS_ID']],
  )
}

suite('the enrolment call', () => {
  const rows: readonly (readonly [row: string, card: string, says: string, sent: number])[] = [
    ['row 6: a card of no range', CARD.noRange, 'APPROVED U 07 0/100', 1],
    ['row 7: an authenticated card', CARD.authenticated, 'APPROVED Y 05 0/100', 1],
    ['row 7 for Mastercard', CARD.mastercardAuthenticated, 'APPROVED Y 02 0/100', 1],
    ['row 8: an attempt', CARD.attempted, 'APPROVED A 06 0/100', 1],
    ['row 9: a card that was not authenticated', CARD.notAuthenticated, 'DECLINED N 07 0/600', 0],
    ['row 10: a rejected card', CARD.rejected, 'DECLINED R 07 0/600', 0],
    ['row 11: an issuer that can not authenticate', CARD.unavailable, 'APPROVED U 07 0/100', 1],
    ['row 13: a challenge', CARD.challenged, 'PENDING C - 0/0', 0],
    ['row 16: an Erro of the Directory Server', CARD.erro, 'APPROVED U 07 0/100', 1],
  ]
  for (const [row, card, says, sent] of rows) {
    test(`${row} is ${says}, and ${sent} authorizations leave for the bank`, async () => {
      let answer: Fields = {}
      assert.equal(await askedBy(async () => (answer = await enrol(gateway, card))), sent)
      assert.equal(said(answer), says)
      const status = await pay(gateway, {
        REQUEST_ACTION: 'CCSTATUS',
        REQUEST_RESPONSE_FORMAT: 'JSON',
        REQUEST_REF_PO_ID: answer['PO_ID'] ?? '',
      })
      const told = JSON.stringify(status)
      assert.ok(told.includes(String(answer['TRANS_STATUS_NAME'])), told)
    })
  }

  test('each of many enrolments at once gets the answer and the row of its own card', async () => {
    const cards = [...rows, ...rows].map(([, card, says]) => ({ card, says }))
    const answers = await Promise.all(cards.map(({ card }) => enrol(gateway, card)))
    assert.deepEqual(
      answers.map(said),
      cards.map(({ says }) => says),
    )
    for (const answer of answers) {
      const { order_id, response, eci } = await authentication(answer)
      const isPending = answer['TRANS_STATUS_NAME'] === 'PENDING'
      assert.equal(order_id, answer['PO_ID'])
      if (!isPending)
        assert.equal(`${response} ${eci}`, said(answer).split(' ', 3).slice(1).join(' '))
    }
  })

  test('of enrolments that are written together, only the one that the database refuses fails', async (t) => {
    const references = await Promise.all(
      Array.from({ length: 12 }, () => prepare(gateway, CARD.authenticated)),
    )
    const refused = 3
    const forms = references.map((reference, at) =>
      enrolForm(CARD.authenticated, reference, at === refused ? { XTL_ORDER_ID: 'refused' } : {}),
    )
    const table = 'alter table three_ds_authentications'
    await gateway.pool.query(
      `${table} add constraint of_test check (order_reference <> 'refused') not valid`,
    )
    t.after(() => gateway.pool.query(`${table} drop constraint of_test`))
    const before = asked()
    const answers = await Promise.all(forms.map((form) => pay(gateway, form)))
    assert.deepEqual(
      answers.map(said),
      forms.map((_, at) => (at === refused ? 'REFUSED - - 120/0' : 'APPROVED Y 05 0/100')),
    )
    assert.equal(asked(), before + forms.length - 1)
  })

  test('the answer to an enrolment without a challenge is what its repeat reads of it', async () => {
    for (const REQUEST_ACTION of ['CCAUTHORIZE', 'CCAUTHCAP']) {
      const reference = await prepare(gateway, CARD.authenticated)
      const own = { REQUEST_ACTION, IDEMPOTENCY_KEY: newReference(), CUST_FNAME: 'Ada' }
      const form = enrolForm(CARD.authenticated, reference, own)
      const { REQ_ID: first, ...answer } = await pay(gateway, form)
      const { REQ_ID: second, ...repeated } = await pay(gateway, form)
      assert.equal(said(answer), 'APPROVED Y 05 0/100')
      assert.notEqual(first, second)
      assert.deepEqual(repeated, answer)
    }
  })

  test('the bank finds the CAVV right, of the payment that it came with', async () => {
    const before = tap.messages.length
    await enrol(gateway, CARD.authenticated)
    const response = tap.messages
      .slice(before)
      .map((bytes) => codec.decode(bytes))
      .find(({ mti }) => mti === '0110')
    assert.equal(response?.fields[44]?.[3], '2')
  })

  test('no CAVV is left when the payment was decided on', async () => {
    const answer = await enrol(gateway, CARD.authenticated)
    const row = await authentication(answer)
    assert.deepEqual([row['state'], row['cavv_ciphertext']], ['consumed', null])
  })

  test('row 2: without the browser data nothing is authenticated, and nothing says that it was', async () => {
    const reference = await prepare(gateway, CARD.notAuthenticated)
    const { USER_AGENT_XTL: _, ...form } = enrolForm(CARD.notAuthenticated, reference)
    const answer = await pay(gateway, form)
    assert.equal(said(answer), 'APPROVED - - 0/100')
    assert.equal(answer['P3DS_TRANSID'], undefined)
  })

  test('row 2: a site that insists on authentication declines 670, and the bank is not asked', async () => {
    const { USER_AGENT_XTL: _, ...form } = enrolForm(CARD.authenticated, 'x', OTHER_SITE)
    let answer: Fields = {}
    assert.equal(await askedBy(async () => (answer = await pay(gateway, form))), 0)
    assert.equal(said(answer), 'DECLINED - - 0/670')
  })

  test('row 4: a reference that is unknown, of another account or too old gets one answer', async () => {
    const reference = await prepare(gateway, CARD.authenticated)
    const refused = 'REFUSED - - 113/0 DDC_REFERENCEID'
    assert.equal(said(await pay(gateway, enrolForm(CARD.authenticated, 'none'))), refused)
    assert.equal(
      said(await pay(gateway, enrolForm(CARD.authenticated, reference, OTHER_SITE))),
      refused,
    )
    await gateway.pool.query(
      'update three_ds_collections set expires_at = now() where reference = $1',
      [reference],
    )
    assert.equal(said(await pay(gateway, enrolForm(CARD.authenticated, reference))), refused)
  })

  test('row 4b: of two enrolments with one reference, each is asked about once, under its own id', async () => {
    const reference = await prepare(gateway, CARD.authenticated)
    const both = await Promise.all([
      pay(gateway, enrolForm(CARD.authenticated, reference)),
      pay(gateway, enrolForm(CARD.authenticated, reference)),
    ])
    assert.deepEqual(both.map(said), ['APPROVED Y 05 0/100', 'APPROVED Y 05 0/100'])
    const [first, second] = await Promise.all(both.map(authentication))
    assert.notEqual(first?.['server_trans_id'], second?.['server_trans_id'])
    const collection = await collectionOf(reference)
    const ofReference = [first, second].filter(
      (row) => row?.['server_trans_id'] === collection['server_trans_id'],
    )
    assert.equal(ofReference.length, 1)
  })

  test('row 4b: another card than the one that was prepared for goes under an id of its own', async () => {
    const reference = await prepare(gateway, CARD.mastercardAuthenticated)
    const answer = await pay(gateway, enrolForm(CARD.authenticated, reference))
    assert.equal(said(answer), 'APPROVED Y 05 0/100')
    const { comp_ind, server_trans_id } = await authentication(answer)
    const collection = await collectionOf(reference)
    assert.equal(comp_ind, 'N')
    assert.notEqual(server_trans_id, collection['server_trans_id'])
    assert.equal(collection['state'], 'set_up')
  })

  test('the collected data goes with one AReq, under its id, and is used up', async () => {
    const reference = await prepare(gateway, CARD.authenticated)
    await gateway.pool.query(
      `update three_ds_collections set state = 'collected', method_state = 'completed', browser = '{}'
        where reference = $1`,
      [reference],
    )
    const answer = await pay(gateway, enrolForm(CARD.authenticated, reference))
    const { comp_ind, server_trans_id } = await authentication(answer)
    const collection = await collectionOf(reference)
    assert.deepEqual([comp_ind, server_trans_id], ['Y', collection['server_trans_id']])
    assert.equal(collection['state'], 'used')
  })

  test('without the 3DS Method, the AReq reports N if the card range has one, and U if it has none', async () => {
    assert.equal((await authentication(await enrol(gateway, CARD.authenticated)))['comp_ind'], 'N')
    assert.equal((await authentication(await enrol(gateway, '4000000000009011')))['comp_ind'], 'U')
  })

  test('a site that wants no payment without authentication declines U with 670', async () => {
    const reference = await prepare(gateway, CARD.unavailable, OTHER_SITE)
    let answer: Fields = {}
    const sent = await askedBy(
      async () => (answer = await pay(gateway, enrolForm(CARD.unavailable, reference, OTHER_SITE))),
    )
    assert.deepEqual([said(answer), sent], ['DECLINED U 07 0/670', 0])
  })

  test('an expired card is declined before any issuer is asked', async () => {
    const answer = await enrol(gateway, CARD.authenticated, { PMT_EXPIRY: '012020' })
    assert.equal(said(answer), 'DECLINED - - 0/624')
    assert.deepEqual(await authentication(answer), {})
  })

  test('row 17: a payment that the bank declines after an authentication keeps its response', async () => {
    const answer = await enrol(gateway, CARD.authenticated, { LI_VALUE_1: '5.05' })
    assert.match(said(answer), /^DECLINED Y 05 0\/6/)
  })
})

const OTHER_SITE: Fields = { SITE_ID: '1003', MERCH_ACCT_ID: '2003' }

suite('the final call', () => {
  const codes: readonly (readonly [row: string, code: string, says: string])[] = [
    ['row 20', '1234', 'APPROVED Y 05 0/100'],
    ['row 21', '2222', 'APPROVED A 06 0/100'],
    ['row 22', '1111', 'DECLINED N 07 0/600'],
    ['row 25', '4444', 'DECLINED R 07 0/600'],
    ['row 26', '3333', 'DECLINED U 07 0/600'],
  ]
  for (const [row, code, says] of codes) {
    test(`${row}: a challenge that ends with ${code} is ${says}, and only an approval asks the bank`, async () => {
      const pending = await challenged({}, code)
      let answer: Fields = {}
      const sent = await askedBy(
        async () => (answer = await finish(gateway, CARD.challenged, pending)),
      )
      assert.equal(said(answer), says)
      assert.equal(sent, says.startsWith('APPROVED') ? 1 : 0)
      assert.deepEqual(
        [answer['TRANS_ID'], answer['PO_ID']],
        [pending['TRANS_ID'], pending['PO_ID']],
      )
    })
  }

  const results: readonly (readonly [row: string, card: string, says: string])[] = [
    ['rows 27 and 28: a result that never comes', '4000000000009144', 'DECLINED U 07 0/600'],
    ['a result that comes a second after the customer', '4000000000009151', 'APPROVED Y 05 0/100'],
    ['row 28: a result N where the browser says Y', '4000000000009169', 'DECLINED N 07 0/600'],
    ['a result that comes twice', '4000000000009177', 'APPROVED Y 05 0/100'],
    ['a second result that contradicts the first', '4000000000009185', 'APPROVED Y 05 0/100'],
    [
      'a result of another challenge, then the right one',
      '4000000000009193',
      'APPROVED Y 05 0/100',
    ],
  ]
  for (const [row, card, says] of results) {
    test(`${row} is ${says}`, async () => {
      const pending = await enrol(gateway, card)
      await answerChallenge(gateway, pending, '1234')
      let answer: Fields = {}
      const sent = await askedBy(async () => (answer = await finish(gateway, card, pending)))
      assert.equal(said(answer), says)
      assert.equal(sent, says.startsWith('APPROVED') ? 1 : 0)
      assert.equal((await authentication(answer))['cavv_ciphertext'], null)
    })
  }

  test('a result Y without its value is no authentication', async () => {
    const pending = await enrol(gateway, '4000000000009201')
    await answerChallenge(gateway, pending, '1234')
    const answer = await finish(gateway, '4000000000009201', pending)
    assert.match(said(answer), /^DECLINED [NU] 07 0\/600$/)
  })

  test('a payment that was given up stays so after later calls', async () => {
    const pending = await enrol(gateway, CARD.rreqNever)
    await answerChallenge(gateway, pending, '1234')
    const answer = await finish(gateway, CARD.rreqNever, pending)
    assert.equal((await authentication(answer))['state'], 'failed')
    assert.equal(said(await finish(gateway, CARD.rreqNever, pending)), said(answer))
  })

  test('a result that comes while the final call waits is acted on', async () => {
    const pending = await enrol(gateway, CARD.challenged)
    const final = finish(gateway, CARD.challenged, pending)
    await answerChallenge(gateway, pending, '1234')
    assert.equal(said(await final), 'APPROVED Y 05 0/100')
  })

  test('row 29: a browser that says N where the issuer says Y gets no payment', async () => {
    const pending = await challenged()
    await gateway.pool.query(
      `update three_ds_authentications set cres_status = 'N', returned_at = now() where transaction_id = $1`,
      [pending['TRANS_ID']],
    )
    assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'DECLINED N 07 0/600')
    assert.ok(gateway.logged().includes('contradict'))
  })

  test('row 31: REQUEST_PARES may be absent', async () => {
    const pending = await challenged()
    const { REQUEST_PARES: _, ...form } = finalForm(CARD.challenged, pending)
    assert.equal(said(await pay(gateway, form)), 'APPROVED Y 05 0/100')
  })

  test('row 32: a REQUEST_PARES that is not ours is declined, and the right call goes on', async () => {
    const pending = await challenged()
    const wrong = await finish(gateway, CARD.challenged, pending, { REQUEST_PARES: 'eyJ.eyJ.sig' })
    assert.equal(said(wrong), 'DECLINED N - 0/600')
    assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'APPROVED Y 05 0/100')
  })

  test('row 33: an id that is unknown, of a payment without challenge or of another merchant gets one answer', async () => {
    const pending = await challenged()
    const refused = 'REFUSED - - 113/0 P3DS_PROCTRANSID'
    const frictionless = await authentication(await enrol(gateway, CARD.authenticated))
    for (const id of ['A'.repeat(20), String(frictionless['proc_trans_id'])]) {
      assert.equal(
        said(await finish(gateway, CARD.challenged, pending, { P3DS_PROCTRANSID: id })),
        refused,
      )
    }
    const other = { REQ_USERNAME: 'other@tollgate.test', REQ_PASSWORD: 'Sandbox-4.14-other' }
    const foreign = { ...other, SITE_ID: '1002', MERCH_ACCT_ID: '2002' }
    assert.equal(said(await finish(gateway, CARD.challenged, pending, foreign)), refused)
  })

  const others: readonly (readonly [row: string, changes: Fields])[] = [
    ['row 34: a higher amount', { LI_VALUE_1: '10.01' }],
    ['row 34: a lower amount', { LI_VALUE_1: '9.99' }],
    ['row 34: another currency', { REQUEST_CURRENCY: 'EUR' }],
    ['row 35: another card', { PMT_NUMB: CARD.authenticated }],
    ['row 35: another expiry', { PMT_EXPIRY: '112040' }],
    ['other line items', { LI_PROD_ID_1: '2' }],
    ['another order', { XTL_ORDER_ID: 'another' }],
  ]
  for (const [row, changes] of others) {
    test(`${row} is declined, and the payment that was authenticated goes on`, async () => {
      const pending = await challenged()
      let answer: Fields = {}
      const sent = await askedBy(
        async () => (answer = await finish(gateway, CARD.challenged, pending, changes)),
      )
      assert.deepEqual([said(answer), sent], ['DECLINED N - 0/600', 0])
      assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'APPROVED Y 05 0/100')
    })
  }

  test('row 36: another action, site or account is refused by name', async () => {
    const pending = await challenged()
    const with_ = async (changes: Fields): Promise<string> =>
      said(await finish(gateway, CARD.challenged, pending, changes))
    assert.equal(await with_({ REQUEST_ACTION: 'CCAUTHCAP' }), 'REFUSED - - 113/0 REQUEST_ACTION')
    assert.equal(await with_(OTHER_SITE), 'REFUSED - - 113/0 SITE_ID')
    assert.equal(await with_({ MERCH_ACCT_ID: '2003' }), 'REFUSED - - 113/0 MERCH_ACCT_ID')
  })

  test('row 37: after the third mismatch nothing is authorized any more', async () => {
    const pending = await challenged()
    for (const LI_VALUE_1 of ['11.00', '12.00', '13.00']) {
      assert.equal(
        said(await finish(gateway, CARD.challenged, pending, { LI_VALUE_1 })),
        'DECLINED N - 0/600',
      )
    }
    let answer: Fields = {}
    assert.equal(
      await askedBy(async () => (answer = await finish(gateway, CARD.challenged, pending))),
      0,
    )
    assert.equal(said(answer), 'DECLINED N - 0/600')
  })

  test('row 39: a customer who comes back too late is declined', async () => {
    const pending = await challenged()
    await outOfTime(pending)
    let answer: Fields = {}
    assert.equal(
      await askedBy(async () => (answer = await finish(gateway, CARD.challenged, pending))),
      0,
    )
    assert.equal(said(answer), 'DECLINED Y - 0/600')
  })

  test('rows 40 and 41: the same call gets the same answer, and any other none', async () => {
    const pending = await challenged()
    const first = await finish(gateway, CARD.challenged, pending)
    let again: Fields = {}
    assert.equal(
      await askedBy(async () => (again = await finish(gateway, CARD.challenged, pending))),
      0,
    )
    assert.deepEqual({ ...again, REQ_ID: '' }, { ...first, REQ_ID: '' })
    const other = await finish(gateway, CARD.challenged, pending, { LI_VALUE_1: '10.01' })
    assert.equal(said(other), 'DECLINED N - 0/600')
    assert.equal(other['PROC_AUTH_RESPONSE'], '')
  })

  test('row 42: of twenty final calls at once, one asks the bank, and all return the same answer', async () => {
    const pending = await challenged()
    let answers: Fields[] = []
    const sent = await askedBy(async () => {
      answers = await Promise.all(
        Array.from({ length: 20 }, () => finish(gateway, CARD.challenged, pending)),
      )
    })
    assert.equal(sent, 1)
    assert.deepEqual(new Set(answers.map(said)), new Set(['APPROVED Y 05 0/100']))
    assert.equal(new Set(answers.map((answer) => answer['PROC_AUTH_RESPONSE'])).size, 1)
    const atBank = await bankOrder(gateway, pending['PO_ID'] ?? '')
    assert.deepEqual([atBank?.state, atBank?.approvedMinor], ['held', 1000n])
  })

  test('a final call and the expiry of its payment never both win', async () => {
    for (let round = 0; round < 5; round += 1) {
      const pending = await challenged()
      const [answer] = await Promise.all([
        finish(gateway, CARD.challenged, pending),
        outOfTime(pending),
      ])
      const row = await authentication(pending)
      const approved = answer['TRANS_STATUS_NAME'] === 'APPROVED'
      assert.equal(row['state'], approved ? 'consumed' : 'expired')
      const atBank = await bankOrder(gateway, pending['PO_ID'] ?? '')
      assert.equal(atBank?.approvedMinor ?? 0n, approved ? 1000n : 0n)
    }
  })

  test('row 44: a payment whose customer never comes back is declined by itself', async () => {
    const pending = await enrol(gateway, CARD.challenged)
    await outOfTime(pending)
    await untilRow(
      gateway,
      'the payment has expired',
      `select from transactions t join three_ds_authentications a on a.transaction_id = t.id
        where t.id = $1 and t.state = 'declined' and a.state = 'expired'`,
      [pending['TRANS_ID']],
    )
    assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'DECLINED C - 0/600')
  })

  test('row 45: a plain payment under the reference of a pending one is a payment of its own', async () => {
    const unique = { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID: '1' }
    const pending = await challenged(unique)
    const plain = await pay(gateway, cardForm(CARD.noRange, unique))
    assert.equal(plain['TRANS_STATUS_NAME'], 'APPROVED')
    assert.notEqual(plain['PO_ID'], pending['PO_ID'])
    // The reference is taken now, so what was pending is given up.
    const final = await finish(gateway, CARD.challenged, pending, unique)
    assert.match(said(final), /^REFUSED .* XTL_ORDER_ID$/)
    const row = await authentication(pending)
    assert.deepEqual([row['state'], row['cavv_ciphertext']], ['failed', null])
  })

  test('a pending order is no duplicate of itself, and its repeat is answered from what is stored', async () => {
    const unique = { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID: '2' }
    const pending = await challenged(unique)
    const first = await finish(gateway, CARD.challenged, pending, unique)
    assert.equal(said(first), 'APPROVED Y 05 0/100')
    assert.equal(first['PO_ID'], pending['PO_ID'])
    const again = await finish(gateway, CARD.challenged, pending, unique)
    assert.equal(again['TRANS_ID'], first['TRANS_ID'])
    const newOne = await enrol(gateway, CARD.challenged, unique)
    assert.equal(newOne['TRANS_ID'], first['TRANS_ID'])
  })

  for (const [UNIQUE_XTL_ORDER_ID, told] of [
    ['1', /^REFUSED - - 0\/685 XTL_ORDER_ID$/],
    ['2', /^APPROVED Y 05 0\/100$/],
  ] as const) {
    test(`of two challenges for one reference the second gets the same answer to every call: mode ${UNIQUE_XTL_ORDER_ID}`, async () => {
      const unique = { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID }
      const [first, second] = [await challenged(unique), await challenged(unique)]
      const paid = await finish(gateway, CARD.challenged, first, unique)
      const sent = await askedBy(async () => {
        for (let call = 0; call < 3; call += 1) {
          const answer = await finish(gateway, CARD.challenged, second, unique)
          assert.match(said(answer), told)
          if (UNIQUE_XTL_ORDER_ID === '2') assert.equal(answer['TRANS_ID'], paid['TRANS_ID'])
        }
      })
      assert.equal(sent, 0)
      const other = await finish(gateway, CARD.challenged, second, {
        ...unique,
        REQUEST_PARES: 'x',
      })
      assert.match(said(other), /^DECLINED N - 0\/600$/)
    })
  }

  test('nothing of a pending order can be captured, refunded or voided', async () => {
    const pending = await challenged()
    for (const REQUEST_ACTION of ['CCCAPTURE', 'CCCREDIT', 'CCREVERSE']) {
      const answer = await pay(gateway, {
        REQUEST_ACTION,
        REQUEST_RESPONSE_FORMAT: 'JSON',
        REQUEST_REF_PO_ID: pending['PO_ID'] ?? '',
        LI_VALUE_1: '10.00',
      })
      assert.equal(answer['TRANS_STATUS_NAME'], 'DECLINED', JSON.stringify(answer))
    }
    assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'APPROVED Y 05 0/100')
  })

  test('a saved card is challenged and finished without its number', async () => {
    const saved = await pay(gateway, cardForm(CARD.challenged))
    const card = {
      PMT_NUMB: null,
      PMT_EXPIRY: null,
      CUST_ID: saved['CUST_ID'] ?? '',
      PMT_ID: saved['PMT_ID'] ?? '',
    }
    const reference = await prepare(gateway, CARD.challenged)
    const pending = await pay(gateway, { ...enrolForm(CARD.challenged, reference), ...card })
    assert.equal(pending['TRANS_STATUS_NAME'], 'PENDING', said(pending))
    await answerChallenge(gateway, pending, '1234')
    const answer = await pay(gateway, { ...finalForm(CARD.challenged, pending), ...card })
    assert.equal(said(answer), 'APPROVED Y 05 0/100')
    assert.equal(answer['CUST_ID'], saved['CUST_ID'])
  })
})

/** The card of a request, under a token and with no other security code than the token's. */
function underToken(token: string): Record<string, string | null> {
  return { PMT_NUMB: null, PMT_KEY: null, TOKEN_GUID: token }
}

async function tokenIdOf(answer: Fields): Promise<string> {
  return String((await authentication(answer))['card_token_id'])
}

/** A payment by a token with a security code, whose challenge got this code of the issuer. */
async function challengedByToken(code = '1234') {
  const { token } = await newToken(gateway.baseUrl, {
    cardNumber: CARD.challenged,
    securityCode: '737',
  })
  const form = underToken(token)
  const reference = await prepare(gateway, CARD.challenged)
  const pending = await pay(gateway, { ...enrolForm(CARD.challenged, reference), ...form })
  assert.equal(pending['TRANS_STATUS_NAME'], 'PENDING', said(pending))
  await answerChallenge(gateway, pending, code)
  return { form, pending, tokenId: await tokenIdOf(pending) }
}

async function waitingCodes(tokenId: string): Promise<Buffer[]> {
  const { rows } = await gateway.pool.query<{ code_ciphertext: Buffer }>(
    'select code_ciphertext from card_token_codes where token_id = $1',
    [tokenId],
  )
  return rows.map(({ code_ciphertext: ciphertext }) => ciphertext)
}

suite('payments of other kinds', () => {
  test('an authenticated Visa authorization expires after nine days, or after four when the merchant begins it', async () => {
    for (const [REQUEST_INITATOR, days] of [
      ['C', 9],
      ['M', 4],
    ] as const) {
      const begun = { REQUEST_INITATOR }
      const straight = await enrol(gateway, CARD.authenticated, begun)
      assert.equal(await daysUntilExpiry(gateway, straight), days)
      const finished = await finish(gateway, CARD.challenged, await challenged(begun), begun)
      assert.equal(await daysUntilExpiry(gateway, finished, 'challenge'), days)
      const { token } = await newToken(gateway.baseUrl, { securityCode: '123' })
      const { PMT_NUMB: _, ...form } = cardForm('', { TOKEN_GUID: token, ...begun })
      assert.equal(await daysUntilExpiry(gateway, await pay(gateway, form)), days)
    }
  })

  test('a card under a token is challenged and finished with a second token for it', async () => {
    const tokenForm = async (): Promise<Record<string, string | null>> => {
      const { token } = await newToken(gateway.baseUrl, { cardNumber: CARD.challenged })
      return { PMT_NUMB: null, TOKEN_GUID: token }
    }
    const reference = await prepare(gateway, CARD.challenged)
    const pending = await pay(gateway, {
      ...enrolForm(CARD.challenged, reference),
      ...(await tokenForm()),
    })
    assert.equal(pending['TRANS_STATUS_NAME'], 'PENDING', said(pending))
    await answerChallenge(gateway, pending, '1234')
    const second = await tokenForm()
    const wrong = await pay(gateway, {
      ...finalForm(CARD.challenged, pending, { LI_VALUE_1: '9.00' }),
      ...second,
    })
    assert.equal(said(wrong), 'DECLINED N - 0/600')
    const form = { ...finalForm(CARD.challenged, pending), ...second }
    const answers = await Promise.all([pay(gateway, form), pay(gateway, form)])
    assert.deepEqual(answers.map(said), ['APPROVED Y 05 0/100', 'APPROVED Y 05 0/100'])
    assert.equal(said(await pay(gateway, form)), 'APPROVED Y 05 0/100')
  })

  test('the security code of a token waits, sealed, for the final call that names the token again', async () => {
    const { form, pending, tokenId } = await challengedByToken()
    const waiting = await waitingCodes(tokenId)
    assert.equal(waiting.length, 1)
    assert.equal(waiting[0]?.includes('737'), false)
    const final = { ...finalForm(CARD.challenged, pending), ...form }
    const other = await pay(gateway, { ...final, LI_VALUE_1: '9.00' })
    assert.equal(said(other), 'DECLINED N - 0/600')
    assert.equal((await waitingCodes(tokenId)).length, 1)
    const sent = await askedBy(async () => {
      const answers = await Promise.all([pay(gateway, final), pay(gateway, final)])
      assert.deepEqual(answers.map(said), ['APPROVED Y 05 0/100', 'APPROVED Y 05 0/100'])
      assert.deepEqual(
        answers.map(({ CVV_RESPONSE }) => CVV_RESPONSE),
        ['M', 'M'],
      )
    })
    assert.equal(sent, 1)
    assert.deepEqual(await waitingCodes(tokenId), [])
    assert.equal(said(await pay(gateway, final)), 'APPROVED Y 05 0/100')
  })

  test('a waiting security code is destroyed when the challenge fails, the payment expires or another payment is declined for it', async () => {
    const failed = await challengedByToken('1111')
    assert.deepEqual(await waitingCodes(failed.tokenId), [])
    const wrong = await challengedByToken()
    const final = { ...finalForm(CARD.challenged, wrong.pending), ...wrong.form }
    for (let call = 0; call < 3; call += 1) await pay(gateway, { ...final, LI_VALUE_1: '9.00' })
    assert.deepEqual(await waitingCodes(wrong.tokenId), [])
    const late = await challengedByToken()
    await gateway.pool.query(
      `update three_ds_authentications set expires_at = now() where transaction_id = $1`,
      [late.pending['TRANS_ID']],
    )
    await untilSeen(
      'the expired payment has no waiting security code',
      () => waitingCodes(late.tokenId),
      (codes) => codes.length === 0,
    )
    assert.equal(said(await pay(gateway, { ...final, ...late.form })), 'DECLINED N - 0/600')
  })

  test('without its security code a token still finishes its payment, unless the site requires the code', async () => {
    const { form, pending, tokenId } = await challengedByToken()
    // As after a crash of the database, which empties the table, or after a quarter of an hour.
    await gateway.pool.query('delete from card_token_codes where token_id = $1', [tokenId])
    const final = { ...finalForm(CARD.challenged, pending), ...form }
    await gateway.pool.query('update sites set cvv_required = true where id = 1001')
    try {
      const withoutCode = cardForm(CARD.noRange, { MERCH_ACCT_ID: '2001' })
      await untilSeen(
        'the site requires the security code',
        async () => said(await pay(gateway, { ...withoutCode, PMT_KEY: null })),
        (answer) => answer === 'REFUSED - - 110/0 PMT_KEY',
      )
      assert.equal(said(await pay(gateway, final)), 'REFUSED - - 110/0 PMT_KEY')
    } finally {
      await gateway.pool.query('update sites set cvv_required = false where id = 1001')
    }
    assert.equal(said(await pay(gateway, { ...final, PMT_KEY: '737' })), 'APPROVED Y 05 0/100')
  })

  test("another payment's token does not finish a challenge, and the code of a frictionless one never waits", async () => {
    const [one, two] = [await challengedByToken(), await challengedByToken()]
    const crossed = { ...finalForm(CARD.challenged, one.pending), ...two.form }
    assert.match(said(await pay(gateway, crossed)), /^REFUSED/)
    assert.equal((await waitingCodes(two.tokenId)).length, 1)
    const { token } = await newToken(gateway.baseUrl, {
      cardNumber: CARD.authenticated,
      securityCode: '737',
    })
    const reference = await prepare(gateway, CARD.authenticated)
    const paid = await pay(gateway, {
      ...enrolForm(CARD.authenticated, reference),
      ...underToken(token),
    })
    assert.equal(said(paid), 'APPROVED Y 05 0/100')
    assert.equal(paid['CVV_RESPONSE'], 'M')
    assert.deepEqual(await waitingCodes(await tokenIdOf(paid)), [])
  })

  test('a sale is captured when its challenge is passed, and not before', async () => {
    const sale = { REQUEST_ACTION: 'CCAUTHCAP' }
    const pending = await challenged(sale)
    assert.equal(await bankOrder(gateway, pending['PO_ID'] ?? ''), null)
    const answer = await finish(gateway, CARD.challenged, pending, sale)
    assert.equal(said(answer), 'APPROVED Y 05 0/100')
    assert.notEqual(answer['BATCH_ID'], '')
    await untilNoAdviceIsQueued(gateway)
    assert.equal((await bankOrder(gateway, pending['PO_ID'] ?? ''))?.capturedMinor, 1000n)
  })

  test('words of a test with the first request decide the authorization after the challenge, unless the final call has others', async () => {
    const words = { SANDBOX_TEST: 'de39=51; avs=N' }
    const frictionless = await enrol(gateway, CARD.authenticated, words)
    assert.equal(said(frictionless), 'DECLINED Y 05 0/635')
    const [first, second] = [await challenged(words), await challenged(words)]
    const kept = await finish(gateway, CARD.challenged, first)
    assert.equal(`${said(kept)} ${kept['AVS_RESPONSE']}`, 'DECLINED Y 05 0/635 N')
    const others = await finish(gateway, CARD.challenged, second, { SANDBOX_TEST: 'cvv=N' })
    assert.equal(`${said(others)} ${others['CVV_RESPONSE']}`, 'APPROVED Y 05 0/100 N')
  })

  test('a word of a test asks the issuer for information only, for this one request', async () => {
    const words = { SANDBOX_TEST: 'threeds=data-only' }
    assert.equal(said(await enrol(gateway, CARD.dataOnly, words)), 'APPROVED I 07 0/100')
    assert.equal(said(await enrol(gateway, CARD.dataOnly)), 'APPROVED U 07 0/100')
    assert.equal(said(await enrol(gateway, CARD.challenged, words)), 'APPROVED U 07 0/100')
    const plain = await pay(gateway, cardForm(CARD.dataOnly, words))
    assert.equal(said(plain), 'REFUSED - - 113/0 SANDBOX_TEST')
  })

  test('row 18: a partial approval is below what was authenticated', async () => {
    const partial = { LI_VALUE_1: '6.60', PARTIAL_AUTH: '1' }
    const pending = await challenged(partial)
    const answer = await finish(gateway, CARD.challenged, pending, partial)
    assert.deepEqual([said(answer), answer['TRANS_VALUE']], ['APPROVED Y 05 0/100', '5.5'])
  })

  test('nothing is due from the card: its holder is authenticated all the same', async () => {
    const answer = await enrol(gateway, CARD.authenticated, { LI_VALUE_1: '0.00' })
    assert.match(said(answer), /^APPROVED Y/)
  })
})

test('references and ids that no database could keep are refused like any unknown one', async () => {
  const pending = await challenged()
  for (const odd of ['\0', 'a\0b', '\u{1f600}', "' or 1=1 --", 'x'.repeat(2_000)]) {
    const enrolled = await pay(gateway, enrolForm(CARD.authenticated, odd))
    assert.match(said(enrolled), /^REFUSED - - 11[13]\/0 DDC_REFERENCEID$/, JSON.stringify(odd))
    const finished = await finish(gateway, CARD.challenged, pending, { P3DS_PROCTRANSID: odd })
    assert.match(said(finished), /^REFUSED - - 11[13]\/0 P3DS_PROCTRANSID$/, JSON.stringify(odd))
  }
  assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'APPROVED Y 05 0/100')
})

for (const [brand, card, eci] of [
  ['Visa', '4111111111111111', '05'],
  ['Mastercard', '5555555555554444', '02'],
] as const) {
  test(`a published CAVV of another provider is accepted for ${brand}, and the refused one is declined`, async () => {
    const outside = { P3DS_ECI: eci, P3DS_TRANSID: randomUUID(), P3DS_VERSION: '2.2.0' }
    const accepted = await pay(
      gateway,
      cardForm(card, { ...outside, P3DS_CAVV: 'AAABBEg0VhI0VniQEjRWAAAAAAA=' }),
    )
    const refused = await pay(
      gateway,
      cardForm(card, { ...outside, P3DS_CAVV: 'AAABBWcSNIdjeUZThmNHAAAAAAA=' }),
    )
    assert.equal(accepted['TRANS_STATUS_NAME'], 'APPROVED')
    assert.deepEqual(
      [refused['TRANS_STATUS_NAME'], refused['SERVICE_RESPONSE']],
      ['DECLINED', '670'],
    )
  })
}

test('an indicator from outside has to be of the brand of a saved card, for whom it may mean the opposite', async () => {
  const cavv = {
    P3DS_CAVV: 'AAABBJkZUQAAAABjRWWZEEFgFz8=',
    P3DS_TRANSID: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
    P3DS_VERSION: '2.2.0',
  }
  for (const [card, wrong] of [
    ['5555555555554444', '06'],
    ['4111111111111111', '02'],
  ] as const) {
    const { CUST_ID = '' } = await pay(gateway, cardForm(card))
    const {
      PMT_NUMB: _,
      PMT_EXPIRY: __,
      PMT_KEY: ___,
      ...form
    } = cardForm(card, { CUST_ID, P3DS_ECI: wrong, ...cavv })
    let answer: Fields = {}
    assert.equal(await askedBy(async () => (answer = await pay(gateway, form))), 0)
    assert.equal(said(answer), 'REFUSED - - 113/0 P3DS_ECI')
  }
})

test('T23: cards that issuers reject count as declines, and the rules stop them before an issuer is asked', async (t) => {
  const operator = await operatorOf(gateway)
  t.after(() => operator.close())
  const rules = [
    {
      name: 'declines',
      subject: 'card',
      counts: 'declines',
      limit: 3,
      windowSeconds: 86_400,
      code: 601,
    },
  ]
  const put = await operator.cardTesting.put(1001n, JSON.stringify({ rules }))
  assert.ok(put.ok, JSON.stringify(put))
  await setMode(operator, 1001, 'enforce')
  const answers: string[] = []
  // Every process sees the rules within two seconds.
  const refused = await untilSeen(
    'the rule refuses the card',
    async () => {
      const answer = await enrol(gateway, CARD.rejected)
      answers.push(said(answer))
      return answer
    },
    (answer) => said(answer) === 'DECLINED - - 0/601',
  )
  assert.deepEqual(await authentication(refused), {})
  assert.deepEqual(new Set(answers.slice(0, -1)), new Set(['DECLINED R 07 0/600']))
  await setMode(operator, 1001, 'off')
})

test('T23: challenges that fail count as declines, each once, however often the final call is repeated', async (t) => {
  const operator = await operatorOf(gateway)
  t.after(() => operator.close())
  const rules = [
    {
      name: 'declines',
      subject: 'bin',
      counts: 'declines',
      limit: 3,
      windowSeconds: 86_400,
      code: 601,
    },
  ]
  const put = await operator.cardTesting.put(1001n, JSON.stringify({ rules }))
  assert.ok(put.ok, JSON.stringify(put))
  await setMode(operator, 1001, 'enforce')
  const card = '5200000000002151'
  const counted = async (): Promise<number> => {
    const { rows } = await gateway.pool.query<{ count: number }>(
      'select coalesce(max(count), 0)::int as count from card_testing_counters',
    )
    return rows[0]?.count ?? 0
  }
  await gateway.pool.query('delete from card_testing_counters')
  let failed = 0
  await eventually('the rule refuses the card', async () => {
    const pending = await enrol(gateway, card)
    if (said(pending) === 'DECLINED - - 0/601') return true
    await answerChallenge(gateway, pending, '1111')
    for (let call = 0; call < 5; call += 1)
      assert.equal(said(await finish(gateway, card, pending)), 'DECLINED N 00 0/600')
    failed += 1
    return false
  })
  const count = await counted()
  assert.ok(count >= 3 && count <= failed, `${count} of ${failed}`)
  await setMode(operator, 1001, 'off')
})

suite('a payment with 3-D Secure and an idempotency key (O18)', () => {
  const keyed = (IDEMPOTENCY_KEY = newReference()): Fields => ({ IDEMPOTENCY_KEY })
  const AT_ONCE = 10
  const atOnce = (send: () => Promise<Fields>): Promise<Fields[]> =>
    Promise.all(Array.from({ length: AT_ONCE }, send))
  const idsOf = (answers: readonly Fields[]) => new Set(answers.map(({ TRANS_ID }) => TRANS_ID))
  const authentications = async (): Promise<number> => {
    const { rows } = await gateway.pool.query<{ count: string }>(
      'select count(*) from three_ds_authentications',
    )
    return Number(rows[0]?.count)
  }

  test('A repeated enrolment call gets the same challenge, and then what became of it.', async () => {
    const key = keyed()
    const form = enrolForm(CARD.challenged, await prepare(gateway, CARD.challenged), key)
    const first = await pay(gateway, form)
    const again = await pay(gateway, form)
    assert.deepEqual([said(first), said(again)], Array(2).fill('PENDING C - 0/0'))
    // Each answer has a signature of its own, for the same page.
    const signed = { REQ_ID: '', P3DS_PAYLOAD: '', P3DS_JWT: '' }
    assert.deepEqual({ ...again, ...signed }, { ...first, ...signed })
    assert.deepEqual(stepUpOf(again), stepUpOf(first))

    await answerChallenge(gateway, again, '1234')
    const asked = await askedBy(() => finish(gateway, CARD.challenged, first))
    assert.equal(asked, 1)
    assert.equal(said(await pay(gateway, form)), 'APPROVED Y 05 0/100')
    assert.deepEqual([...idsOf([first, await pay(gateway, form)])], [first['TRANS_ID']])
  })

  test('Ten enrolment calls at once under one key ask issuer and bank once.', async () => {
    const before = await authentications()
    const reference = await prepare(gateway, CARD.authenticated)
    const form = enrolForm(CARD.authenticated, reference, keyed())
    let answers: Fields[] = []
    const asked = await askedBy(async () => (answers = await atOnce(() => pay(gateway, form))))

    assert.deepEqual([...new Set(answers.map(said))], ['APPROVED Y 05 0/100'])
    assert.deepEqual([idsOf(answers).size, asked, (await authentications()) - before], [1, 1, 1])
  })

  test('Ten enrolment calls at once with one card token and one key get one challenge.', async () => {
    const { token } = await newToken(gateway.baseUrl, { cardNumber: CARD.challenged })
    const reference = await prepare(gateway, CARD.challenged)
    const { PMT_NUMB: _, ...form } = enrolForm(CARD.challenged, reference, keyed())
    const answers = await atOnce(() => pay(gateway, { ...form, TOKEN_GUID: token }))

    assert.deepEqual([...new Set(answers.map(said))], ['PENDING C - 0/0'])
    assert.equal(idsOf(answers).size, 1)
  })

  test('Ten final calls at once under one key ask the bank once.', async () => {
    for (const modes of [{}, { UNIQUE_XTL_ORDER_ID: '2', XTL_ORDER_ID: newReference() }]) {
      const pending = await challenged(modes)
      const more = { ...keyed(), ...modes }
      let answers: Fields[] = []
      const asked = await askedBy(
        async () => (answers = await atOnce(() => finish(gateway, CARD.challenged, pending, more))),
      )
      assert.deepEqual([...new Set(answers.map(said))], ['APPROVED Y 05 0/100'])
      assert.deepEqual([...idsOf(answers)], [pending['TRANS_ID']])
      assert.equal(asked, 1)
    }
  })

  test('A final call needs a key of its own, and its key serves nothing else.', async () => {
    const [ofEnrolment, ofFinal] = [keyed(), keyed()]
    const [pending, other] = [await challenged(ofEnrolment), await challenged()]
    const final = (answer: Fields, key: Fields) => finish(gateway, CARD.challenged, answer, key)
    const asked = await askedBy(async () => {
      assert.equal(said(await final(pending, ofEnrolment)), 'REFUSED - - 0/685 IDEMPOTENCY_KEY')
      assert.equal(said(await final(pending, ofFinal)), 'APPROVED Y 05 0/100')
      assert.equal(said(await final(other, ofFinal)), 'REFUSED - - 0/685 IDEMPOTENCY_KEY')
      const sale = cardForm(CARD.noRange, ofFinal)
      assert.equal(said(await pay(gateway, sale)), 'REFUSED - - 0/685 IDEMPOTENCY_KEY')
      assert.equal(said(await final(other, keyed())), 'APPROVED Y 05 0/100')
    })
    assert.equal(asked, 2)
  })

  test('A final call about another amount is declined, and takes no key.', async () => {
    const pending = await challenged()
    const key = keyed()
    const final = (amount: string) =>
      finish(gateway, CARD.challenged, pending, { ...key, LI_VALUE_1: amount })
    assert.equal(said(await final('11.00')), 'DECLINED N - 0/600')
    assert.equal(said(await final('10.00')), 'APPROVED Y 05 0/100')
    assert.equal(said(await final('11.00')), 'REFUSED - - 0/685 IDEMPOTENCY_KEY')
  })

  test('A challenge that was not passed is declined to every repeat of the final call.', async () => {
    const pending = await challenged({}, '0000')
    const key = keyed()
    const [first, again] = [
      await finish(gateway, CARD.challenged, pending, key),
      await finish(gateway, CARD.challenged, pending, key),
    ]
    assert.match(said(first), /^DECLINED/)
    assert.deepEqual({ ...again, REQ_ID: '' }, { ...first, REQ_ID: '' })
    const sale = cardForm(CARD.noRange, key)
    assert.equal(said(await pay(gateway, sale)), 'REFUSED - - 0/685 IDEMPOTENCY_KEY')
  })

  test('A final call whose reference was charged meanwhile repeats the answer of that payment.', async () => {
    const reference = { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID: '2' }
    const pending = await challenged(reference)
    const paid = await pay(gateway, cardForm(CARD.challenged, reference))
    assert.equal(said(paid), 'APPROVED - - 0/100')
    const more = { ...reference, ...keyed() }
    let answers: Fields[] = []
    const asked = await askedBy(
      async () => (answers = await atOnce(() => finish(gateway, CARD.challenged, pending, more))),
    )
    assert.deepEqual([...idsOf(answers)], [paid['TRANS_ID']])
    assert.equal(asked, 0)
  })
})

test('the books are clean, and agree with the bank about every order', async () => {
  await assertBooksAgree(gateway)
  await assertBooksAreClean(gateway)
})
