import {
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  SignJWT,
  UnsecuredJWT,
  type JWK,
} from 'jose'
import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { threeDsKeyBinding } from '../../../src/adapters/vault/secret-seal.ts'
import type {
  ThreeDsClaims,
  ThreeDsTokenKind,
} from '../../../src/usecases/three-ds/three-ds-tokens.ts'
import { startThreeDsWorld, type ThreeDsWorld } from './three-ds-world.ts'

const CLAIMS: ThreeDsClaims = {
  tokenId: 'AAAAAAAAAAAAAAAAAAAAAA',
  merchantAccountId: 2001n,
  reference: '2968-2001',
  payload: {},
}
const RETURN = 'https://shop.example/back'
const KINDS = {
  ddc: { typ: 'ddc+jwt', aud: 'gw:ddc', lives: 600, claims: CLAIMS, payload: {} },
  step_up: {
    typ: 'stepup+jwt',
    aud: 'gw:stepup',
    lives: 600,
    claims: {
      ...CLAIMS,
      returnUrl: RETURN,
      payload: { ACSUrl: 'https://a.example', Payload: 'e30', TransactionId: 'T' },
    },
    payload: { ACSUrl: 'https://a.example', Payload: 'e30', TransactionId: 'T' },
  },
  response: {
    typ: 'p3ds-response+jwt',
    aud: 'gw:merchant:2001',
    lives: 1_800,
    claims: { ...CLAIMS, payload: { TransactionId: 'T' } },
    payload: { TransactionId: 'T', ActionCode: 'COMPLETED' },
  },
} as const
const NAMES = Object.keys(KINDS) as ThreeDsTokenKind[]
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Of a process that keeps running. */
const NEVER = new AbortController().signal

suite('tokens of 3-D Secure', () => {
  let world: ThreeDsWorld
  before(async () => void (world = await startThreeDsWorld()))
  after(() => world?.stop())

  async function publicJwk(): Promise<Record<string, string>> {
    const { rows } = await world.pool.query<{ public_key: Record<string, string> }>(
      'select public_key from three_ds_keys order by created_at desc limit 1',
    )
    return rows[0]?.public_key ?? {}
  }

  for (const kind of NAMES) {
    test(`a ${kind} token has the header and the claims of its kind, and no others`, async () => {
      const { aud, claims, lives, payload, typ } = KINDS[kind]
      const token = await world.parts.tokens.sign(kind, claims)
      const header = decodeProtectedHeader(token)
      assert.deepEqual(Object.keys(header).sort(), ['alg', 'kid', 'typ'])
      assert.deepEqual([header.alg, header.typ], ['ES256', typ])
      const { exp = 0, iat = 0, ...rest } = decodeJwt(token)
      assert.equal(exp - iat, lives)
      assert.deepEqual(rest, {
        OrgUnitId: '2001',
        ReferenceId: '2968-2001',
        ...(kind === 'step_up' ? { ReturnUrl: RETURN } : {}),
        ObjectifyPayload: true,
        Payload: payload,
        iss: 'tollgate',
        aud,
        jti: CLAIMS.tokenId,
      })
      assert.deepEqual(await world.parts.tokens.verify(kind, token), { ...claims, payload })
      assert.ok(token.length < 2_048)
    })

    test(`a ${kind} token is no token of another kind`, async () => {
      const token = await world.parts.tokens.sign(kind, KINDS[kind].claims)
      for (const other of NAMES) {
        if (other !== kind) assert.equal(await world.parts.tokens.verify(other, token), null)
      }
    })

    test(`a ${kind} token lives as long as it should, with five seconds for clocks that differ`, async () => {
      const token = await world.parts.tokens.sign(kind, KINDS[kind].claims)
      world.pass(KINDS[kind].lives * 1_000 + 4_000)
      assert.notEqual(await world.parts.tokens.verify(kind, token), null)
      world.pass(2_000)
      assert.equal(await world.parts.tokens.verify(kind, token), null)
    })
  }

  test('a changed, foreign, unsigned or malformed token is invalid', async () => {
    const token = await world.parts.tokens.sign('ddc', CLAIMS)
    const [head = '', body = '', signature = ''] = token.split('.')
    const jwk = await publicJwk()
    const { kid } = decodeProtectedHeader(token)
    const now = decodeJwt(token).iat ?? 0
    const base = () =>
      new SignJWT({ OrgUnitId: '2001', ReferenceId: 'r', Payload: {} })
        .setIssuer('tollgate')
        .setAudience('gw:ddc')
        .setJti('j')
        .setIssuedAt(now)
        .setExpirationTime(now + 600)
    const header = (alg: string) => ({ alg, typ: 'ddc+jwt', kid: String(kid) })
    const foreign = await generateKeyPair('ES256')
    const pem = createPublicKey({ key: jwk as never, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const change = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
    const cases: Record<string, string> = {
      'another payload': `${head}.${Buffer.from(JSON.stringify({ ...decodeJwt(token), OrgUnitId: '1' })).toString('base64url')}.${signature}`,
      'another signature': `${head}.${body}.${change(signature)}`,
      'no signature': `${head}.${body}.`,
      'alg none': new UnsecuredJWT({ jti: 'j' })
        .setAudience('gw:ddc')
        .setIssuer('tollgate')
        .encode(),
      'a foreign key under our kid': await base()
        .setProtectedHeader(header('ES256'))
        .sign(foreign.privateKey),
      'a foreign key with its own in the header': await base()
        .setProtectedHeader({ ...header('ES256'), jwk: jwk as never })
        .sign(foreign.privateKey),
      'HS256 with the public key': await base()
        .setProtectedHeader(header('HS256'))
        .sign(new TextEncoder().encode(String(pem))),
      'an unknown kid': await base()
        .setProtectedHeader({ ...header('ES256'), kid: 'x' })
        .sign(foreign.privateKey),
      'no kid': await base()
        .setProtectedHeader({ alg: 'ES256', typ: 'ddc+jwt' })
        .sign(foreign.privateKey),
      'junk between': `${head}.${body.slice(0, 9)}!${body.slice(9)}.${signature}`,
      padding: `${token}=`,
      'a line end': `${token}\n`,
      'four parts': `${token}.x`,
      nothing: '',
      'too long': `${head}.${body}.${'A'.repeat(5_000)}`,
    }
    for (const [name, wrong] of Object.entries(cases)) {
      assert.equal(await world.parts.tokens.verify('ddc', wrong), null, name)
    }
    assert.notEqual(await world.parts.tokens.verify('ddc', token), null)
  })

  test('an invalid claim or header makes a token invalid, though our own key signed it', async () => {
    const token = await world.parts.tokens.sign('ddc', CLAIMS)
    const { kid = '' } = decodeProtectedHeader(token)
    const { rows } = await world.pool.query<{ sealed: Buffer }>(
      'select private_key_ciphertext as sealed from three_ds_keys where kid = $1',
      [kid],
    )
    const opened = await world.vaultParts.seal.open(
      rows[0]?.sealed ?? Buffer.alloc(0),
      threeDsKeyBinding(kid),
    )
    const key = await importJWK(JSON.parse(opened.reveal()) as JWK, 'ES256')
    const claims = decodeJwt(token)
    const { exp = 0, iat = 0 } = claims
    const sign = (header: object, changes: object): Promise<string> =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg: 'ES256', typ: 'ddc+jwt', kid, ...header })
        .sign(key)
    assert.notEqual(await world.parts.tokens.verify('ddc', await sign({}, {})), null)
    for (const [header, changes] of [
      [{ typ: 'JWT' }, {}],
      [{ typ: 'stepup+jwt' }, {}],
      [{ typ: undefined }, {}],
      [{}, { aud: 'gw:stepup' }],
      [{}, { aud: ['gw:ddc', 'gw:stepup'] }],
      [{}, { aud: undefined }],
      [{}, { iss: 'somebody' }],
      [{}, { jti: undefined }],
      [{}, { jti: '' }],
      [{}, { exp: undefined }],
      [{}, { iat: undefined }],
      [{}, { iat: iat - 700, exp: exp + 700 }],
      [{}, { iat: iat + 60 }],
      [{}, { nbf: exp }],
      [{}, { OrgUnitId: 2001 }],
      [{}, { OrgUnitId: '2001x' }],
      [{}, { ReferenceId: null }],
      [{}, { Payload: [] }],
      [{}, { Payload: 'x' }],
    ] as const) {
      const wrong = await sign(header, changes)
      assert.equal(
        await world.parts.tokens.verify('ddc', wrong),
        null,
        JSON.stringify([header, changes]),
      )
    }
  })

  test('a token with addresses of any length is short enough to be accepted', async () => {
    const returnUrl = `https://shop.example/${'r'.repeat(2_000)}`
    const payload = {
      ACSUrl: `https://acs.example/${'a'.repeat(2_000)}`,
      Payload: 'e30',
      TransactionId: 'T',
    }
    const token = await world.parts.tokens.sign('step_up', { ...CLAIMS, returnUrl, payload })
    assert.ok(token.length <= 4_096)
    const claims = await world.parts.tokens.verify('step_up', token)
    assert.equal(claims?.returnUrl, returnUrl)
    assert.equal(claims?.payload['TransactionId'], 'T')
  })

  test('any number of processes that start at once make one key, and read the same', async () => {
    await world.pool.query('delete from three_ds_keys')
    const processes = await Promise.all(Array.from({ length: 4 }, () => world.anotherProcess()))
    const tokens = await Promise.all(processes.map((each) => each.tokens.sign('ddc', CLAIMS)))
    const { rows } = await world.pool.query('select kid from three_ds_keys')
    assert.equal(rows.length, 1)
    for (const { tokens: reader } of processes) {
      for (const token of tokens) assert.notEqual(await reader.verify('ddc', token), null)
    }
  })

  test('the private key is in the database under the vault only', async () => {
    await world.parts.tokens.sign('ddc', CLAIMS)
    const { rows } = await world.pool.query<{ all: string; key: Buffer }>(
      `select row_to_json(k)::text as all, private_key_ciphertext as key from three_ds_keys k`,
    )
    for (const { all, key } of rows) {
      assert.equal(/"d"\s*:/.test(all), false)
      assert.equal(key.toString('latin1').includes('"kty"'), false)
    }
  })

  test("after 90 days a new key signs, and the old key's signatures are valid until they expire", async () => {
    await world.pool.query('delete from three_ds_keys')
    const { jobs, tokens } = await world.anotherProcess()
    const old = await tokens.sign('response', KINDS.response.claims)
    world.pass(90 * DAY_MS - 1_000)
    const last = await tokens.sign('response', KINDS.response.claims)
    assert.equal(decodeProtectedHeader(last).kid, decodeProtectedHeader(old).kid)
    world.pass(2_000)
    const next = await tokens.sign('response', KINDS.response.claims)
    assert.notEqual(decodeProtectedHeader(next).kid, decodeProtectedHeader(last).kid)
    world.pass(1_750_000)
    assert.notEqual(await tokens.verify('response', last), null)
    assert.notEqual(await (await world.anotherProcess()).tokens.verify('response', last), null)
    world.pass(HOUR_MS)
    for (const { run } of jobs) await run(NEVER)
    const { rows } = await world.pool.query<{ kid: string }>('select kid from three_ds_keys')
    assert.deepEqual(
      rows.map(({ kid }) => kid),
      [decodeProtectedHeader(next).kid],
    )
  })

  test('collections are deleted a day after they expired', async () => {
    const { DDC_REFERENCEID } = await world.ask()
    const left = async (): Promise<number> => {
      for (const { run } of world.parts.jobs) await run(NEVER)
      const { rowCount } = await world.pool.query(
        'select from three_ds_collections where reference = $1',
        [DDC_REFERENCEID],
      )
      return rowCount ?? 0
    }
    world.pass(DAY_MS)
    assert.equal(await left(), 1)
    world.pass(HOUR_MS)
    assert.equal(await left(), 0)
  })
})
