import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { postForm } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { CARD, enrolForm, pay, prepare, untilCardRanges } from '../support/three-ds.ts'
import { newToken } from '../support/tokens.ts'
import { readKeyMarks } from './key-marks.ts'
import { createMarkedUser, MARKED_USER } from './marked-user.ts'
import { card, CODE, knownMarks, PASSWORD, truncated } from './marks.ts'
import { payment } from './path.ts'
import { createScanner } from './scanner.ts'

const PROGRAMS = '/usr/lib/postgresql/15/bin'

/** A challenged payment by card token: its security code waits, and the token opens it. */
async function leaveCodeWaiting(gateway: RunningGateway): Promise<string> {
  await untilCardRanges(gateway)
  const { token } = await newToken(gateway.baseUrl, {
    cardNumber: CARD.challenged,
    securityCode: CODE,
  })
  const reference = await prepare(gateway, CARD.challenged)
  const form = enrolForm(CARD.challenged, reference)
  const sent = { ...form, PMT_NUMB: null, PMT_KEY: null, TOKEN_GUID: token }
  assert.equal((await pay(gateway, sent))['TRANS_STATUS_NAME'], 'PENDING')
  const { rowCount } = await gateway.pool.query('select from card_token_codes')
  assert.equal(rowCount, 1, 'no security code waits for the final call')
  return token
}

test('a dump of the database holds no card number, no code, no password and no key', async (t) => {
  if (!existsSync(`${PROGRAMS}/pg_dump`)) {
    const missing = 'PostgreSQL 15 is not installed: install the package postgresql-15'
    process.stderr.write(`SKIPPED: ${missing}\n`)
    t.skip(missing)
    return
  }
  process.env['TOLLGATE_TEST_DATABASE'] = 'debian'
  const gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, undefined, {}, {})
  try {
    await createMarkedUser((sql, values) => gateway.pool.query(sql, [...values]))
    const login = { REQ_USERNAME: MARKED_USER, REQ_PASSWORD: PASSWORD }
    const number = card('payment')
    for (const form of [
      payment(number),
      payment(number, '6.35'),
      payment(number, '9101.00'),
      { ...payment(number), XTL_UDF01: card('pasted'), CUST_FNAME: number },
      { ...payment(number), XTL_ORDER_ID: number },
      { ...payment(card('refusal')), PMT_EXPIRY: '1335' },
      { ...payment(card('refusal')), REQ_PASSWORD: `${PASSWORD}x` },
    ]) {
      await postForm(gateway, { ...login, ...form })
    }
    const token = await leaveCodeWaiting(gateway)
    const dumps = ['plain', 'custom', 'as inserts'].map((how) => {
      const options = how === 'custom' ? ['-Fc', '-Z0'] : how === 'plain' ? [] : ['--inserts']
      const dump = spawnSync(`${PROGRAMS}/pg_dump`, [...options, gateway.databaseUrl], {
        maxBuffer: 1 << 30,
      })
      assert.equal(dump.status, 0, dump.stderr.toString())
      return dump.stdout
    })

    const { DATA_DIR = '' } = gateway.nodeSettings
    const keys = await readKeyMarks(DATA_DIR, gateway.databaseUrl)
    const tokenMark = { kind: 'text', name: 'a card token', text: token } as const
    const scanner = createScanner([...knownMarks(), ...keys, tokenMark])
    assert.ok(dumps[0]?.includes(truncated(number)), 'the dump has no request of the marked card')
    assert.ok(dumps[0]?.includes(truncated(card('pasted'))), 'the dump has no free text cut down')
    assert.deepEqual(
      dumps.flatMap((dump) => scanner.scan(dump)),
      [],
    )
  } finally {
    delete process.env['TOLLGATE_TEST_DATABASE']
    await gateway.stop()
  }
})
