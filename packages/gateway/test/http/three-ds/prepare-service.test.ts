import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { fixedClock } from '../../../src/base/clock.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import { PREPARE_PARAMETERS } from '../../../src/http/three-ds/prepare-request.ts'
import { startThreeDsWorld, type ThreeDsWorld } from './three-ds-world.ts'

const TOKEN_SITE = {
  id: 1001n,
  merchantId: 1n,
  mode: 'test',
  clock: fixedClock(new Date('2026-11-21T12:00:00Z')),
} as const
const PAN = '4000000000002701'

suite('POST /payment/3dsrequest.cfm', () => {
  let world: ThreeDsWorld
  before(async () => void (world = await startThreeDsWorld()))
  after(() => world?.stop())

  test('answers request id, token, digits, account, address and reference, all as text', async () => {
    const answer = await world.ask()
    assert.deepEqual(Object.keys(answer), [
      'REQ_ID',
      'JWT',
      'PMT_BIN',
      'MERCH_ACCT_ID',
      'DDC_URL',
      'DDC_REFERENCEID',
    ])
    const { JWT, REQ_ID, ...rest } = answer
    assert.deepEqual(rest, {
      PMT_BIN: '400000',
      MERCH_ACCT_ID: '2001',
      DDC_URL: 'https://pay.example/V2/Cruise/Collect',
      DDC_REFERENCEID: `${REQ_ID}-2001`,
    })
    const claims = await world.parts.tokens.verify('ddc', JWT ?? '')
    assert.equal(claims?.reference, `${REQ_ID}-2001`)
  })

  async function digitsOf({
    DDC_REFERENCEID,
  }: Record<string, string>): Promise<string | undefined> {
    const { rows } = await world.pool.query<{ leading_digits: string }>(
      'select leading_digits from three_ds_collections where reference = $1',
      [DDC_REFERENCEID],
    )
    return rows[0]?.leading_digits
  }

  const noBin = { PMT_BIN: undefined }
  for (const [name, changes, digits, shown] of [
    ['eight digits in PMT_BIN', { PMT_BIN: '40000012' }, '40000012', '400000'],
    ['a whole number', { ...noBin, PMT_NUMB: '4000 0000 0000 2701' }, '40000000', '400000'],
    ['a short whole number', { ...noBin, PMT_NUMB: '340000000002708' }, '340000', '340000'],
    ['the BIN alone under PMT_NUMB', { ...noBin, PMT_NUMB: '400000' }, '400000', '400000'],
    ['a number and its BIN', { PMT_NUMB: PAN }, '40000000', '400000'],
  ] as const) {
    test(`takes ${name}`, async () => {
      const answer = await world.ask(changes)
      assert.equal(answer['PMT_BIN'], shown)
      assert.equal(await digitsOf(answer), digits)
    })
  }

  test('a card token is read, audited, and stays valid', async () => {
    const made = await world.cardTokens.createCardToken({
      site: TOKEN_SITE,
      pan: new CardNumber(PAN),
      cvv: null,
      uniqueId: 'u1',
      requestedAt: new Date('2026-11-21T12:00:00Z'),
    })
    assert.ok(made.kind === 'made')
    const token = made.token.reveal()
    for (const TOKEN_GUID of [token, token.toLowerCase()]) {
      const answer = await world.ask({ ...noBin, TOKEN_GUID })
      assert.equal(answer['PMT_BIN'], '400000')
    }
    const found = await world.cardTokens.cardTokens.find(made.token, TOKEN_SITE)
    assert.equal(found?.usable, true)
    const { rows } = await world.pool.query(
      `select count(*)::int as times from audit_entries where operation = 'card.revealed' and details::json->>'reason' = 'leading digits'`,
    )
    assert.deepEqual(rows, [{ times: 2 }])
    const foreign = await world.ask({
      ...noBin,
      TOKEN_GUID: token,
      REQ_USERNAME: 'other@tollgate.test',
      REQ_PASSWORD: 'Sandbox-4.14-other',
      SITE_ID: '1002',
      MERCH_ACCT_ID: '2002',
    })
    assert.equal(foreign['API_RESPONSE'], '401')
  })

  test('a saved card is found by its customer and its id, of the same merchant only', async () => {
    const place = { kind: 'payment method', id: 77n } as const
    const { sealed } = await world.vaultParts.vault.seal(new CardNumber(PAN), place, 1n)
    const { ciphertext, dataKeyId } = sealed
    await world.pool.query(
      `insert into customers (id, merchant_id, mode, created_at) values (55, 1, 'test', now())`,
    )
    await world.pool.query(
      `insert into payment_methods (id, merchant_id, customer_id, mode, pan_ciphertext, data_key_id, fingerprint, brand, last4,
         created_at, last_used_at)
       values (77, 1, 55, 'test', decode($1, 'hex'), $2, sha256('x'), 'Visa', '2701', now(), now())`,
      [ciphertext, dataKeyId],
    )
    for (const selector of [{ PMT_ID: '77' }, {}, { PMT_L4: '2701' }]) {
      const answer = await world.ask({ ...noBin, CUST_ID: '55', ...selector })
      assert.equal(answer['PMT_BIN'], '400000', JSON.stringify(answer))
    }
    const other = {
      REQ_USERNAME: 'other@tollgate.test',
      REQ_PASSWORD: 'Sandbox-4.14-other',
      SITE_ID: '1002',
      MERCH_ACCT_ID: '2002',
    }
    for (const [changes, code, field] of [
      [{ CUST_ID: '55', PMT_ID: '78' }, '113', 'PMT_ID'],
      [{ CUST_ID: '56', PMT_ID: '77' }, '115', 'CUST_ID'],
      [{ CUST_ID: '55', PMT_ID: '77', ...other }, '115', 'CUST_ID'],
    ] as const) {
      const answer = await world.ask({ ...noBin, ...changes })
      assert.deepEqual([answer['API_RESPONSE'], answer['REF_FIELD']], [code, field])
      assert.equal('JWT' in answer, false)
    }
  })

  for (const [name, changes, code, field] of [
    ['a wrong password', { REQ_PASSWORD: 'wrong' }, '101', ''],
    ['a site of somebody else', { SITE_ID: '1002' }, '103', 'SITE_ID'],
    ['no credentials', { REQ_USERNAME: undefined }, '110', 'REQ_USERNAME'],
    [
      'neither account nor site',
      { SITE_ID: undefined, MERCH_ACCT_ID: undefined },
      '110',
      'MERCH_ACCT_ID',
    ],
    ['no card at all', noBin, '110', 'PMT_BIN'],
    ['a saved card without its customer', { ...noBin, PMT_ID: '77' }, '110', 'CUST_ID'],
    ['five digits', { PMT_BIN: '40000' }, '111', 'PMT_BIN'],
    ['nine digits', { PMT_BIN: '400000000' }, '111', 'PMT_BIN'],
    ['letters for digits', { PMT_BIN: '4000OO' }, '112', 'PMT_BIN'],
    ['a BIN beside a saved card', { CUST_ID: '55', PMT_ID: '77' }, '113', 'PMT_BIN'],
    ['a BIN of another number', { PMT_NUMB: '5200000000002235' }, '113', 'PMT_BIN'],
    ['a token beside a number', { ...noBin, PMT_NUMB: PAN, TOKEN_GUID: 'AB' }, '113', 'TOKEN_GUID'],
    ['a token that is none', { ...noBin, TOKEN_GUID: 'F'.repeat(40) }, '401', 'TOKEN_GUID'],
    ['an account of another merchant', { MERCH_ACCT_ID: '2002' }, '210', 'MERCH_ACCT_ID'],
    [
      'an account of another merchant, without a site',
      { SITE_ID: undefined, MERCH_ACCT_ID: '2002' },
      '210',
      'MERCH_ACCT_ID',
    ],
    [
      'a currency that is none',
      { MERCH_ACCT_ID: undefined, REQUEST_CURRENCY: 'ZZZ' },
      '211',
      'REQUEST_CURRENCY',
    ],
    [
      'a currency that nobody takes',
      { MERCH_ACCT_ID: undefined, REQUEST_CURRENCY: 'CHF' },
      '155',
      'REQUEST_CURRENCY',
    ],
    ['another version', { REQUEST_API_VERSION: '3.0' }, '113', 'REQUEST_API_VERSION'],
  ] as const) {
    test(`${name} is refused with ${code}, and nothing is made`, async () => {
      const answer = await world.ask(changes)
      assert.deepEqual(
        [answer['API_RESPONSE'], answer['REF_FIELD']],
        [code, field],
        JSON.stringify(answer),
      )
      assert.ok((answer['REQ_ID'] ?? '') !== '' && (answer['API_ADVICE'] ?? '') !== '')
      assert.equal('JWT' in answer, false)
    })
  }

  test('site, currency and account find each other', async () => {
    const bySite = await world.ask({
      MERCH_ACCT_ID: undefined,
      REQUEST_CURRENCY: 'EUR',
      BILL_ADDR_COUNTRY: 'DE',
    })
    assert.equal(bySite['MERCH_ACCT_ID'], '2001')
    const byAccount = await world.ask({ SITE_ID: undefined, MERCH_ACCT_ID: '2003' })
    assert.equal(byAccount['MERCH_ACCT_ID'], '2003')
    const { rows } = await world.pool.query(
      'select site_id::text from three_ds_collections where reference = $1',
      [byAccount['DDC_REFERENCEID']],
    )
    assert.deepEqual(rows, [{ site_id: '1003' }])
  })

  test('of several accounts for a currency, the one in the country is used, or else the first', async () => {
    await world.pool.query(`
      insert into merchant_accounts
      select (jsonb_populate_record(a, jsonb_build_object(
               'id', n.id, 'name_and_location', rpad('Shop', 25) || rpad('Town', 13) || n.country,
               'currencies', n.currencies))).*
        from merchant_accounts a, (values (2101, 'US', '{USD,EUR}'::text[]), (2102, 'DE', '{EUR}'), (2103, 'GB', '{USD}'))
             as n (id, country, currencies)
       where a.id = 2001`)
    await world.pool.query(
      `insert into sites (id, merchant_id, name, tolerance) values (1101, 1, 'Three accounts', 'strict')`,
    )
    await world.pool.query(
      `insert into site_merchant_accounts (site_id, merchant_account_id, position)
       values (1101, 2101, 1), (1101, 2102, 2), (1101, 2103, 3)`,
    )
    for (const [REQUEST_CURRENCY, BILL_ADDR_COUNTRY, account] of [
      ['EUR', 'DE', '2102'],
      ['EUR', 'de', '2102'],
      ['USD', 'GB', '2103'],
      ['EUR', 'GB', '2101'],
      ['USD', 'DE', '2101'],
      ['EUR', undefined, '2101'],
    ] as const) {
      const answer = await world.ask({
        SITE_ID: '1101',
        MERCH_ACCT_ID: undefined,
        REQUEST_CURRENCY,
        BILL_ADDR_COUNTRY,
      })
      assert.equal(answer['MERCH_ACCT_ID'], account, `${REQUEST_CURRENCY} ${BILL_ADDR_COUNTRY}`)
    }
  })

  test('an account without 3-D Secure, or without a Directory Server, gets a refusal and no token', async (t) => {
    t.after(() => (world.directory.isSetUp = true))
    world.directory.isSetUp = false
    const unset = await world.ask()
    assert.equal(unset['API_RESPONSE'], '104')
    assert.match(unset['API_ADVICE'] ?? '', /3-D Secure is not set up/)
    assert.equal('JWT' in unset, false)
  })

  test('the answer has the same form for a card that takes part and for one that does not', async () => {
    const [enrolled, unknown] = [await world.ask(), await world.ask({ PMT_BIN: '411111' })]
    assert.deepEqual(Object.keys(enrolled), Object.keys(unknown))
    assert.equal(enrolled['JWT']?.length, unknown['JWT']?.length)
    assert.equal(enrolled['DDC_URL'], unknown['DDC_URL'])
  })

  test('answers in XML and PIPES on request, and to POST of forms only', async () => {
    const fields = {
      REQ_USERNAME: 'demo@tollgate.test',
      REQ_PASSWORD: 'Sandbox-4.14-demo',
      SITE_ID: '1001',
      PMT_BIN: '400000',
    }
    const xml = await world.post('/payment/3dsrequest.cfm', {
      ...fields,
      REQUEST_RESPONSE_FORMAT: 'XML',
    })
    assert.match(xml.body, /<RESPONSE><REQ_ID>\d+<\/REQ_ID><JWT>ey/)
    const pipes = await world.post('/payment/3dsrequest.cfm', {
      ...fields,
      REQUEST_RESPONSE_FORMAT: 'pipes',
    })
    assert.match(pipes.body, /^REQ_ID=\d+\|\|JWT=ey/)
    const json = await world.post('/payment/3dsrequest.cfm', '{}', {
      'content-type': 'application/json',
    })
    assert.equal(json.status, 415)
    assert.match(json.body, /"API_RESPONSE":"113"/)
    const got = await world.app.inject({ method: 'GET', url: '/payment/3dsrequest.cfm' })
    assert.equal(got.statusCode, 405)
  })

  test('the request log has it as 3DSINVOKEDDC, with only the ends of the number', async () => {
    await world.ask({ PMT_BIN: undefined, PMT_NUMB: PAN })
    const entry = world.logged.at(-1)
    assert.equal(entry?.action, '3DSINVOKEDDC')
    assert.match(entry?.parameters ?? '', /"PMT_NUMB":"400000\*{6}2701"/)
    assert.equal((entry?.parameters ?? '').includes(PAN), false)
    await world.ask({ PMT_BIN: PAN })
    assert.equal((world.logged.at(-1)?.parameters ?? '').includes(PAN), false)
  })

  test('references, tokens and transaction ids never repeat, and 128 random bits name a token', async () => {
    const seen = new Set<string>()
    for (let count = 0; count < 20; count += 1) {
      const answer = await world.ask()
      seen.add(answer['DDC_REFERENCEID'] ?? '')
    }
    const { rows } = await world.pool.query<{ token_id: string; server_trans_id: string }>(
      'select token_id, server_trans_id from three_ds_collections',
    )
    assert.equal(seen.size, 20)
    assert.equal(new Set(rows.map(({ token_id }) => token_id)).size, rows.length)
    for (const { token_id } of rows) assert.equal(Buffer.from(token_id, 'base64url').length, 16)
  })

  test('the reference lists all parameters of the service', () => {
    const page = new URL(
      '../../../../../docs/integrators/three-d-secure-reference.md',
      import.meta.url,
    )
    const listed = readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => /^\| [A-Z_0-9]+ \| (yes|no) \|/.test(line))
    assert.deepEqual(
      listed,
      PREPARE_PARAMETERS.map(
        ({ meaning, name, required }) => `| ${name} | ${required ? 'yes' : 'no'} | ${meaning} |`,
      ),
    )
  })
})
