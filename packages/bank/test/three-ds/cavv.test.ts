import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { TestContext } from 'node:test'
import { TEST_BANK } from '../../src/bank-role.ts'
import { startBank } from '../../src/bank.ts'
import { linkTo } from '../support/bank-process.ts'
import { ask } from '../support/running-bank.ts'
import {
  aBank,
  aCapture,
  aCardCheck,
  aFolder,
  anAuthorization,
  closeWith,
} from '../support/test-bank.ts'
import type { Ask } from '../support/test-bank.ts'
import { ANY_PORT, begin, press, startScriptedServer } from './scripted-server.ts'
import type { Fields } from './scripted-server.ts'

/** A whole bank with its simulator, a link to it, and a 3DS Server. */
async function start(t: TestContext) {
  const folder = await aFolder(t)
  const options = {
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    folder,
    threeDs: {
      ds: ANY_PORT,
      acs: ANY_PORT,
      acsBack: ANY_PORT,
      dsHost: 'localhost',
      acsHost: 'localhost',
      timeScale: 1,
    },
    now: Date.now,
    warn: () => undefined,
    onFatal: (error: unknown) => assert.fail(String(error)),
  }
  const bank = await startBank(options)
  let stopped: Promise<void> | null = null
  const stop = () => (stopped ??= bank.stop())
  closeWith(folder, stop)
  const link = await linkTo(t, bank.port)
  assert.ok(bank.threeDs !== null)
  const server = await startScriptedServer({ folder, threeDs: { addresses: bank.threeDs } })
  return { bank, folder, server, options, stop, send: (message: IsoMessage) => ask(link, message) }
}

/** The tags of DE 48 for what the ACS gave. */
function tagsOf(ares: Fields, eci = String(ares['eci'])): Record<string, string> {
  const cavv = Buffer.from(String(ares['authenticationValue']), 'base64').toString('hex')
  return {
    '3V': String(ares['messageVersion']),
    CA: cavv.toUpperCase(),
    DS: String(ares['dsTransID']),
    EC: eci,
  }
}

/** DE 39 and position 4 of DE 44. */
const gist = ({ fields }: IsoMessage) => `${fields[39]} ${fields[44]?.[3]}`

const VISA = '4000000000002701'
const MASTERCARD = '5200000000002235'

suite('a CAVV in a 0100', () => {
  test('a CAVV in a 0100 is right with its own card, amount, currency, ECI and DS id, and with no other', async (t) => {
    const { send, server } = await start(t)
    const ares = await server.ask(server.areq(VISA))
    const other = await server.ask(server.areq(VISA))
    const good = tagsOf(ares)
    const cases: readonly (readonly [name: string, asked: Ask, expected: string])[] = [
      ['as it is', { pan: VISA, tags: good }, '00 2'],
      ['another card', { pan: '4000000000002719', tags: good }, 'Q1 1'],
      ['a higher amount', { pan: VISA, minor: 1001n, tags: good }, 'Q1 1'],
      ['a lower amount', { pan: VISA, minor: 999n, tags: good }, '00 2'],
      ['another currency', { pan: VISA, currency: '978', tags: good }, 'Q1 1'],
      ['the ECI of an attempt', { pan: VISA, tags: { ...good, EC: '06' } }, 'Q1 4'],
      ['no authentication by its ECI', { pan: VISA, tags: { ...good, EC: '07' } }, 'Q1 1'],
      ['another DS id', { pan: VISA, tags: { ...good, DS: String(other['dsTransID']) } }, 'Q1 1'],
      ['another CAVV', { pan: VISA, tags: { ...good, CA: tagsOf(other)['CA'] ?? '' } }, 'Q1 1'],
      ['no CAVV', { pan: VISA, tags: { EC: '05', DS: good['DS'] ?? '' } }, '00 0'],
    ]
    for (const [name, asked, expected] of cases) {
      assert.equal(gist(await send(anAuthorization(asked))), expected, name)
    }
    const { DS: _left, ...withoutId } = good
    assert.equal(gist(await send(anAuthorization({ pan: VISA, tags: withoutId }))), 'Q1 1')
  })

  test('a CAVV in a 0100 holds nothing when it is wrong, for any amount', async (t) => {
    const { bank, send, server } = await start(t)
    const tags = tagsOf(await server.ask(server.areq(VISA)))
    for (const minor of [2000n, 605n, 508n]) {
      const asked = anAuthorization({ pan: VISA, minor: minor + 1000n, tags })
      assert.equal((await send(asked)).fields[39], 'Q1')
      assert.equal((await send(aCapture(asked, minor))).fields[39], '76')
    }
    const declined = await server.ask(server.areq(VISA, { purchaseAmount: '635' }))
    const asked = anAuthorization({ pan: VISA, minor: 635n, tags: tagsOf(declined) })
    assert.equal(gist(await send(asked)), '51 2')
    assert.deepEqual(bank.books.findContradictions(), [])
  })

  test('a CAVV in a 0100 of Mastercard is right with its own ECI and with that of the link', async (t) => {
    const { send, server } = await start(t)
    const ares = await server.ask(server.areq(MASTERCARD))
    const attempt = await server.ask(server.areq('5200000000002482'))
    assert.deepEqual([ares['eci'], attempt['eci']], ['02', '01'])
    const pay = (pan: string, given: Fields, eci: string) =>
      send(anAuthorization({ pan, tags: tagsOf(given, eci) }))
    assert.equal(gist(await pay(MASTERCARD, ares, '02')), '00 2')
    assert.equal(gist(await pay(MASTERCARD, ares, '05')), '00 2')
    assert.equal(gist(await pay(MASTERCARD, ares, '06')), 'Q1 4')
    assert.equal(gist(await pay('5200000000002482', attempt, '01')), '00 3')
    assert.equal(gist(await pay('5200000000002482', attempt, '06')), '00 3')
    assert.equal(gist(await pay(VISA, await server.ask(server.areq(VISA)), '02')), 'Q1 1')
  })

  test('a CAVV in a 0100 of an attempt is right with 3', async (t) => {
    const { send, server } = await start(t)
    const tags = tagsOf(await server.ask(server.areq('4000000000002719')))
    assert.equal(gist(await send(anAuthorization({ pan: '4000000000002719', tags }))), '00 3')
    const asFull = { ...tags, EC: '05' }
    assert.equal(
      gist(await send(anAuthorization({ pan: '4000000000002719', tags: asFull }))),
      'Q1 1',
    )
  })

  test('a CAVV in a 0100 of a card check is over zero', async (t) => {
    const { send, server } = await start(t)
    const changes = { messageCategory: '02', purchaseAmount: '0' }
    const tags = tagsOf(await server.ask(server.areq(VISA, changes)))
    assert.equal(gist(await send(aCardCheck({ pan: VISA, tags }))), '85 2')
    assert.equal(gist(await send(anAuthorization({ pan: VISA, tags }))), 'Q1 1')
  })

  const insisting = [
    ['4000009000000110', '1A'],
    ['5200829000000652', '65'],
  ] as const
  for (const [pan, code] of insisting) {
    test(`a CAVV in a 0100 of a challenge gets ${pan} through, which needs its holder authenticated`, async (t) => {
      const { folder, send, server } = await start(t)
      const { acsUrl, ares, first } = await begin({ folder }, server, pan)
      const DS = String(ares['dsTransID'])
      const pay = (tags: Record<string, string>) => send(anAuthorization({ pan, tags }))
      assert.equal(gist(await pay({ EC: '05' })), `${code} 0`)
      assert.equal(gist(await pay({ EC: '05', CA: '0'.repeat(40), DS })), 'Q1 1')
      await press({ folder }, first, acsUrl, 'submit', '1234')
      const result = await server.result(1)
      assert.equal(gist(await pay(tagsOf({ ...ares, ...result }))), '00 2')
    })
  }

  test('a CAVV in a 0100 is right after the bank was started again, for the whole amount', async (t) => {
    const { options, server, stop } = await start(t)
    const tags = tagsOf(await server.ask(server.areq(VISA)))
    await stop()
    const next = await startBank(options)
    closeWith(options.folder, () => next.stop())
    const link = await linkTo(t, next.port)
    const whole = await ask(link, anAuthorization({ pan: VISA, tags }))
    const part = await ask(link, anAuthorization({ pan: VISA, minor: 400n, tags }))
    assert.equal(gist(whole), '00 2')
    assert.equal(gist(part), 'Q1 1')
  })

  test('a CAVV in a 0100 that is not 40 hexadecimal digits, or of no version, is a format error', async (t) => {
    const bank = await aBank(t)
    for (const CA of ['0'.repeat(39), '0'.repeat(42), 'G'.repeat(40)]) {
      const answer = await bank.send(anAuthorization({ tags: { CA, EC: '05' } }))
      assert.equal(answer.fields[39], '30', CA)
    }
    const tags = { CA: '0'.repeat(40), EC: '05', '3V': '22' }
    assert.equal((await bank.send(anAuthorization({ tags }))).fields[39], '30')
  })

  test('a CAVV in a 0100 is not honoured by a bank without the key, and declines nothing there', async (t) => {
    const bank = await aBank(t)
    const tags = { CA: '0'.repeat(40), DS: crypto.randomUUID(), EC: '05' }
    const plain = await bank.send(anAuthorization({ tags }))
    const insisting = await bank.send(anAuthorization({ pan: '4000009000000110', tags }))
    assert.deepEqual([gist(plain), gist(insisting)], ['00 6', '1A 6'])
  })

  test('a CAVV in a 0100 is not looked at by the network in place of the issuer', async (t) => {
    const { send, server } = await start(t)
    const tags = tagsOf(await server.ask(server.areq(VISA, { purchaseAmount: '911100' })))
    const answer = await send(anAuthorization({ pan: VISA, minor: 911_100n, tags }))
    assert.deepEqual([answer.fields[39], answer.fields[44]], ['00', '4UU6'])
  })

  test('a CAVV in a 0100 is in no record of the books', async (t) => {
    const { folder, send, server } = await start(t)
    const tags = tagsOf(await server.ask(server.areq(VISA)))
    await send(anAuthorization({ pan: VISA, tags }))
    const journal = await readFile(join(folder, 'journal.jsonl'), 'utf8')
    assert.match(journal, /"last4":"2701"/)
    assert.ok(!journal.toUpperCase().includes(tags['CA'] ?? ''))
  })
})

suite('the control API of a whole bank', () => {
  test('has the simulator under /three-ds/, and has not where there is none', async (t) => {
    const { bank, server } = await start(t)
    await server.ask(server.areq(VISA))
    const log = await fetch(`${bank.controlUrl}/three-ds/log`)
    const { entries } = (await log.json()) as { entries: unknown[] }
    assert.equal(entries.length, 4)
    const body = JSON.stringify({ fault: 'ares_decoupled' })
    const headers = { 'Content-Type': 'application/json' }
    const added = await fetch(`${bank.controlUrl}/three-ds/faults`, {
      method: 'POST',
      headers,
      body,
    })
    assert.equal(added.status, 201)
    assert.equal((await server.ask(server.areq(VISA)))['transStatus'], 'D')
    const reset = await fetch(`${bank.controlUrl}/three-ds/reset`, { method: 'POST' })
    assert.equal(reset.status, 200)

    const folder = await aFolder(t)
    const plain = await startBank({
      host: '127.0.0.1',
      port: 0,
      controlPort: 0,
      folder,
      role: TEST_BANK,
      now: Date.now,
      warn: () => undefined,
      onFatal: (error) => assert.fail(String(error)),
    })
    closeWith(folder, () => plain.stop())
    assert.equal(plain.threeDs, null)
    assert.equal((await fetch(`${plain.controlUrl}/three-ds/log`)).status, 404)
  })
})
