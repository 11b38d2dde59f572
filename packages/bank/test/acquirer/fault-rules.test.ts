import { decodePrivateData } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { ask, openLink, startTestBank } from '../support/running-bank.ts'
import { aCapture, anAuthorization, repeated } from '../support/test-bank.ts'

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

async function control(url: string, method: string, body?: unknown): Promise<Answer> {
  const response = await fetch(`${url}/faults`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

const MALFUNCTION = { kind: 'code', code: '96', applied: false } as const

/** Which of 40 payments a rule strikes, as a row of digits. */
async function strikesOf(t: TestContext, seed: number): Promise<string> {
  const { bank, url } = await startTestBank(t)
  const { link } = await openLink(t, bank)
  await control(url, 'POST', { action: MALFUNCTION, probability: 0.4, seed })
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(link, anAuthorization())))
  return answers.map(({ fields }) => (fields[39] === '96' ? '1' : '0')).join('')
}

suite('scripted faults', () => {
  test('affect only messages that they match, and only as often as they state', async (t) => {
    const { bank, url } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const match = {
      mti: '0100',
      merchant: 'SHOP1',
      amountFrom: '2000',
      amountTo: 3000,
      last4: '1111',
    }
    const { status, body } = await control(url, 'POST', { match, action: MALFUNCTION, count: 2 })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: 1,
      match: { ...match, amountTo: '3000' },
      action: MALFUNCTION,
      count: 2,
      probability: 1,
      seed: 1,
      seen: 0,
      done: 0,
    })

    const fits = { minor: 2000n, merchant: 'SHOP1', pan: '4111111111111111' }
    const codes: unknown[] = []
    for (const change of [
      { merchant: 'SHOP2' },
      { minor: 1999n },
      { minor: 3001n },
      { pan: '5555555555554444' },
      {},
      { minor: 3000n },
      {},
    ]) {
      codes.push((await ask(link, anAuthorization({ ...fits, ...change }))).fields[39])
    }

    assert.deepEqual(codes, ['00', '00', '00', '00', '96', '96', '00'])
    const { rules, done } = (await control(url, 'GET')).body
    assert.deepEqual(done, { code: 2 })
    assert.deepEqual(rules, [{ ...body, seen: 2, done: 2 }])
  })

  test('strike advices by the card of their order, and repeats too', async (t) => {
    const { bank, url } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const authorization = anAuthorization()
    await ask(link, authorization)
    const match = { mti: '0220', last4: '1111' }
    await control(url, 'POST', { match, action: MALFUNCTION, count: 2 })
    const capture = aCapture(authorization, 1000n)

    const codes: unknown[] = []
    for (const message of [capture, repeated(capture), repeated(capture)]) {
      codes.push((await ask(link, message)).fields[39])
    }

    assert.deepEqual(codes, ['96', '96', '00'])
  })

  test('affect the second renewal of a card twice, and no other payment of it', async (t) => {
    const { bank, url } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const match = { initiation: 'merchant', last4: '1111' }
    const action = { kind: 'code', code: '51', advice: '24', applied: false }
    const { body, status } = await control(url, 'POST', { match, action, skip: 1, count: 2 })
    assert.deepEqual([status, body['match'], body['skip']], [201, match, 1])
    const sent: readonly (readonly [initiation: string, pan: string])[] = [
      ['C103', '4111111111111111'],
      ['M103', '4111111111111111'],
      ['M103', '5555555555554444'],
      ['C101', '4111111111111111'],
      ['M103', '4111111111111111'],
      ['M101', '4111111111111111'],
      ['M103', '4111111111111111'],
    ]

    const answers = []
    for (const [initiation, pan] of sent) {
      answers.push(await ask(link, anAuthorization({ pan, tags: { CI: initiation } })))
    }

    const codes = answers.map(({ fields }) => fields[39])
    assert.deepEqual(codes, ['00', '00', '00', '00', '51', '51', '00'])
    const advices = answers.map(({ fields }) => decodePrivateData(fields[48] ?? '')['MA'])
    assert.deepEqual(
      advices.map((advice) => advice ?? ''),
      ['', '', '', '', '24', '24', ''],
    )
    const { rules } = (await control(url, 'GET')).body
    assert.deepEqual(rules, [{ ...body, seen: 3, done: 2 }])
  })

  test('match a payment by the side that has started it, or by its kind', async (t) => {
    const { bank, url } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    const cases: readonly (readonly [initiation: string, struck: string])[] = [
      ['merchant', 'M101 M103'],
      ['customer', ' C101'],
      ['M103', 'M103'],
    ]
    const authorization = anAuthorization()
    await ask(link, authorization)

    for (const [initiation, struck] of cases) {
      await control(url, 'DELETE')
      await control(url, 'POST', { match: { initiation }, action: MALFUNCTION })
      const found: string[] = []
      for (const kind of ['', 'C101', 'M101', 'M103']) {
        const tags = kind === '' ? {} : { CI: kind }
        const { fields } = await ask(link, anAuthorization({ tags }))
        if (fields[39] === '96') found.push(kind)
      }
      assert.equal(found.join(' '), struck)
      assert.equal((await ask(link, aCapture(authorization, 1n))).fields[39], '00')
    }
  })

  test('strike the same messages again when the seed is the same', async (t) => {
    const first = await strikesOf(t, 7)

    assert.equal(await strikesOf(t, 7), first)
    assert.notEqual(await strikesOf(t, 8), first)
    assert.match(first, /1/)
    assert.match(first, /0/)
  })

  test('scripted faults end when they are deleted', async (t) => {
    const { bank, url } = await startTestBank(t)
    const { link } = await openLink(t, bank)
    await control(url, 'POST', { action: MALFUNCTION })
    await control(url, 'POST', { action: { kind: 'twice' } })

    assert.deepEqual((await control(url, 'DELETE')).body, { removed: 2 })

    assert.equal((await ask(link, anAuthorization())).fields[39], '00')
    assert.deepEqual((await control(url, 'GET')).body, { rules: [], done: {} })
  })

  test('scripted faults are refused with a sentence about the error, and nothing changes', async (t) => {
    const { url } = await startTestBank(t)
    const action = { kind: 'twice' }
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [[], /^The body must be a JSON object\.$/],
      [{ actoin: action }, /^The body has "actoin", but may have only match, action, count/],
      [{}, /^action\.kind is missing; it must be one of slow, late, /],
      [{ action: { kind: 'toString' } }, /^action\.kind is "toString"; it must be one of /],
      [
        { action: { kind: 'slow' } },
        /^action\.delayMs is missing; .* milliseconds up to 120000\.$/,
      ],
      [{ action: { kind: 'slow', delayMs: '5' } }, /^action\.delayMs is "5"; /],
      [
        { action: { kind: 'twice', delayMs: 5 } },
        /^action has "delayMs", but may have only kind\.$/,
      ],
      [{ action: { kind: 'code', code: 'x' } }, /^action\.code is "x"; it must be two digits or /],
      [
        { action: { kind: 'silent', applied: 1 } },
        /^action\.applied is 1; it must be true or false/,
      ],
      [{ action, count: 0 }, /^count is 0; it must be a whole number from 1/],
      [{ action, probability: 1.5 }, /^probability is 1\.5; it must be a number from 0 to 1\.$/],
      [{ action, seed: -1 }, /^seed is -1; /],
      [{ action, skip: -1 }, /^skip is -1; it must be a whole number from 0\.$/],
      [
        { action: { ...MALFUNCTION, advice: 24 } },
        /^action\.advice is 24; it must be two digits in/,
      ],
      [
        { action, match: { initiation: 'M' } },
        /^match\.initiation is "M"; it must be "merchant", /,
      ],
      [{ action, match: { mti: '0800' } }, /^match\.mti is "0800"; it must be one of "0100"/],
      [
        { action, match: { last4: 1111 } },
        /^match\.last4 is 1111; it must be four digits in quotes/,
      ],
      [{ action, match: { amountFrom: -5 } }, /^match\.amountFrom is -5; /],
      [{ action, match: { pan: '1' } }, /^match has "pan", but may have only mti, merchant/],
    ]
    for (const [body, sentence] of cases) {
      const refused = await control(url, 'POST', body)
      assert.equal(refused.status, 400, JSON.stringify(body))
      assert.match(String(refused.body['error']), sentence)
    }
    const post = (type: string, body: string) =>
      fetch(`${url}/faults`, { method: 'POST', headers: { 'Content-Type': type }, body })
    assert.equal((await post('application/json', '{')).status, 400)
    assert.equal((await post('text/plain', '{"action":{"kind":"twice"}}')).status, 415)
    assert.equal((await post('application/json', ' '.repeat(200_000))).status, 413)

    assert.deepEqual((await control(url, 'GET')).body, { rules: [], done: {} })
  })
})
