import { createTokenClient, TokenRefusedError } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { operatorSettings, runHere, type Ran } from '../support/command-line.ts'
import { untilRow, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

const tollgate = (...args: readonly string[]): Promise<Ran> =>
  runHere(args, operatorSettings(gateway, '/nowhere'))

/** The outcome of a token request that is signed with the key: `made`, or the error's code. */
async function asked(siteId: number, siteKey: string): Promise<string> {
  try {
    await createTokenClient({ baseUrl: gateway.baseUrl, siteId, siteKey }).createToken({
      cardNumber: VISA,
    })
    return 'made'
  } catch (error) {
    if (error instanceof TokenRefusedError) return error.code
    throw error
  }
}

async function newKey(siteId: string): Promise<string> {
  const { code, output } = await tollgate('sites', 'key', siteId, 'new')
  assert.equal(code, 0, output)
  const key = /^[A-Za-z0-9_-]{43}$/m.exec(output)?.[0]
  assert.ok(key !== undefined, output)
  return key
}

// A gateway remembers a site for two seconds, so each test has a site of its own.
suite('tollgate sites key', () => {
  test('new makes a second key beside the first, seals it, and puts it on record', async () => {
    const key = await newKey('1001')
    assert.equal(await asked(1001, key), 'made')
    assert.equal(await asked(1001, 'sandbox-site-key-1001'), 'made')
    assert.equal(await asked(1001, 'sandbox-site-key-1002'), '121')

    const third = await tollgate('sites', 'key', '1001', 'new')
    assert.equal(third.code, 1)
    assert.match(third.output, /has two token keys already.*"tollgate sites key 1001 retire"/)

    const shown = await tollgate('sites', 'key', '1001')
    assert.match(shown.output, /has a token key created on .*\n.*is also valid/)
    assert.ok(!shown.output.includes(key))
    const row = await untilRow(
      gateway,
      'the operation is on record',
      `select * from audit_entries where operation = 'site.token_key_made'`,
    )
    assert.deepEqual(
      [row['object'], row['merchant_id'], row['details']],
      ['site 1001', '1', '{"previousWorks":true}'],
    )
    const plain = await gateway.pool.query(
      `select from site_token_keys k where k::text like any ($1)`,
      [
        [key, 'sandbox-site-key'].flatMap((text) => [
          `%${text}%`,
          `%${Buffer.from(text).toString('hex')}%`,
        ]),
      ],
    )
    assert.equal(plain.rowCount, 0)
  })

  test('retire ends the older key', async () => {
    const key = await newKey('1002')
    const retired = await tollgate('sites', 'key', '1002', 'retire')
    assert.equal(retired.code, 0, retired.output)
    assert.equal(await asked(1002, 'sandbox-site-key-1002'), '121')
    assert.equal(await asked(1002, key), 'made')
    const again = await tollgate('sites', 'key', '1002', 'retire')
    assert.match(again.output, /no older token key to retire[^]*Nothing was changed/)
  })

  test('of a site that does not exist changes nothing', async () => {
    const { code, output } = await tollgate('sites', 'key', '77', 'new')
    assert.equal(`${code} ${output}`, '1 Site 77 does not exist.\nNothing was changed.\n')
    assert.equal(await asked(77, 'x'), '502')
  })

  test('of a site without one is 502, as of no site', async () => {
    await gateway.pool.query(
      `insert into sites (id, merchant_id, name) values (1099, 1, 'without a key')`,
    )
    assert.equal(await asked(1099, 'x'), '502')
    assert.match((await tollgate('sites', 'key', '1099')).output, /Site 1099 has no token key/)
  })
})

test('tollgate sites origins takes origins that browsers send, and no page that others can listen in on', async () => {
  const set = await tollgate(
    'sites',
    'origins',
    '1003',
    'https://shop.example',
    'http://localhost:3000',
  )
  assert.equal(set.code, 0, set.output)
  for (const wrong of [
    'http://shop.example',
    'https://shop.example/',
    'shop.example',
    'HTTPS://shop.example',
  ]) {
    assert.equal((await tollgate('sites', 'origins', '1003', wrong)).code, 1, wrong)
  }
  const { rows } = await gateway.pool.query('select token_origins from sites where id = 1003')
  assert.deepEqual(rows, [{ token_origins: ['https://shop.example', 'http://localhost:3000'] }])
  assert.match(
    (await tollgate('sites', 'origins', '1003')).output,
    /answers: https:\/\/shop\.example http:/,
  )
  const card = await tollgate('sites', 'origins', '1003', 'https://4111-1111-1111-1111.example')
  assert.deepEqual(
    [card.code, card.output],
    [1, 'https://411111******1111.example holds a card number.\nNothing was changed.\n'],
  )
  assert.equal((await tollgate('sites', 'origins', '1003', 'https://192.168.100.209:8443')).code, 0)
  await tollgate('sites', 'origins', '1003', 'none')
  assert.match((await tollgate('sites', 'origins', '1003')).output, /answers: none/)
})
