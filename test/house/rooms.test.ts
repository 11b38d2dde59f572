import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { bansBrokenBy, idleExceptions, repeatedTestNames } from './banned-words.ts'
import { importBreaches, placeBreach, wiringBreaches, testPlaceBreach } from './rooms.ts'
import { filesUnder, packageFolders, read, root, sourceFiles } from './source-text.ts'

const G = 'packages/gateway/src'

suite('the rooms', () => {
  test('every import stays inside what its package and its room may use', () => {
    const files = sourceFiles()
    assert.ok(files.length > 100, 'the walk found no sources')
    assert.deepEqual(
      files.flatMap((path) => importBreaches(path, read(path))),
      [],
    )
  })

  test('every file of the gateway is in a described room, under a described capability', () => {
    assert.deepEqual(
      sourceFiles().flatMap((path) => placeBreach(path) ?? []),
      [],
    )
  })

  test('the tests of a package stand in the folders of its sources', () => {
    const isFolder = (path: string): boolean => existsSync(join(root, path))
    const tests = packageFolders()
      .map((name) => `packages/${name}/test`)
      .filter(isFolder)
      .flatMap((folder) => filesUnder(folder, '.ts'))
    assert.ok(tests.length > 100, 'the walk found too few tests')
    assert.deepEqual(
      tests.flatMap((path) => testPlaceBreach(path, isFolder) ?? []),
      [],
    )
  })

  test('the guard bites: a test in a folder that the sources do not have', () => {
    const isFolder = (path: string): boolean => path === 'packages/bank/src/issuer'
    assert.notEqual(testPlaceBreach('packages/bank/test/cards/x.test.ts', isFolder), null)
    assert.notEqual(testPlaceBreach('packages/shop/test/issuer/x.test.ts', isFolder), null)
    assert.equal(testPlaceBreach('packages/bank/test/issuer/x.test.ts', isFolder), null)
    assert.equal(testPlaceBreach('packages/bank/test/support/x.ts', isFolder), null)
    assert.equal(testPlaceBreach('packages/bank/test/x.test.ts', isFolder), null)
  })

  test('the guard lets rooms of the bank import what the others lend', () => {
    const from = (room: string) => `packages/bank/src/${room}/x.ts`
    const lent = "import { a } from '../issuer/balance.ts'"
    assert.deepEqual(importBreaches(from('books'), lent), [])
    assert.deepEqual(importBreaches(from('acquirer'), "import { a } from '../books/books.ts'"), [])
    assert.deepEqual(importBreaches('packages/bank/src/x.ts', "import './acquirer/host.ts'"), [])
  })

  test('wiring holds no route and no zod schema', () => {
    assert.deepEqual(
      sourceFiles().flatMap((path) => wiringBreaches(path, read(path))),
      [],
    )
  })

  const breaches: readonly (readonly [name: string, path: string, text: string])[] = [
    ['base reaching for domain', `${G}/base/x.ts`, "import { a } from '../domain/money.ts'"],
    [
      'domain reaching for a use case',
      `${G}/domain/payments/x.ts`,
      "import { a } from '../../usecases/payments/charge.ts'",
    ],
    [
      'a capability taking what its neighbour keeps to itself',
      `${G}/domain/three-ds/x.ts`,
      "import { a } from '../payments/order.ts'",
    ],
    [
      'a type taken from an adapter',
      `${G}/usecases/payments/x.ts`,
      "import type { A } from '../../adapters/vault/y.ts'",
    ],
    [
      'one adapter leaning on another',
      `${G}/adapters/vault/x.ts`,
      "import { a } from '../postgres/payments/payment-store.ts'",
    ],
    [
      'a store reading the rows of another capability',
      `${G}/adapters/postgres/payments/x.ts`,
      "import { a } from '../logins/api-user-store.ts'",
    ],
    [
      'http reaching for an adapter',
      `${G}/http/payment/x.ts`,
      "import { a } from '../../adapters/vault/y.ts'",
    ],
    ['jobs reaching for http', `${G}/jobs/x.ts`, "export { a } from '../http/servers/server.ts'"],
    [
      'http reading the wiring',
      `${G}/http/payment/x.ts`,
      "import { a } from '../../wiring/gateway.ts'",
    ],
    [
      'one part of the portal entering another',
      `${G}/portal/home/routes/x.ts`,
      "import { a } from '../../orders/domain/order-filter.ts'",
    ],
    [
      'the wiring of one part entering another part',
      `${G}/portal/home/wire.ts`,
      "import { a } from '../orders/store/order-lists.ts'",
    ],
    [
      'a use case knowing the portal',
      `${G}/usecases/payments/x.ts`,
      "import '../../portal/shell/ids.ts'",
    ],
    [
      'a part of the portal wiring itself',
      `${G}/portal/home/wire.ts`,
      "import '../../wiring/gateway.ts'",
    ],
    [
      'a use case entering the portal contract',
      `${G}/usecases/payments/x.ts`,
      "import '@tollgate/portal-contract/route'",
    ],
    [
      'the contract entering the gateway',
      'packages/portal-contract/src/x.ts',
      "import '@tollgate/gateway'",
    ],
    ['the portal entering the gateway', 'packages/portal/src/x.ts', "import '@tollgate/gateway'"],
    ['a package in domain', `${G}/domain/payments/x.ts`, "import { z } from 'zod'"],
    [
      'a built-in in a use case',
      `${G}/usecases/vault/x.ts`,
      "import {\n  readFile,\n} from 'node:fs'",
    ],
    ['the codec in base', `${G}/base/x.ts`, "const a = await import('@tollgate/iso8583')"],
    [
      'the gateway knowing the bank',
      `${G}/wiring/gateway.ts`,
      "import { a } from '@tollgate/bank'",
    ],
    ['the gateway leaving its package', `${G}/main.ts`, "import '../../bank/src/bank.ts'"],
    [
      'the bank knowing the gateway',
      'packages/bank/src/x.ts',
      "import { a } from '@tollgate/gateway/config'",
    ],
    [
      'the codec knowing the bank',
      'packages/iso8583/src/x.ts',
      "import { a } from '@tollgate/bank'",
    ],
    [
      'the books of the bank asking its host',
      'packages/bank/src/books/x.ts',
      "import { a } from '../acquirer/host.ts'",
    ],
    [
      'the issuer reading the books',
      'packages/bank/src/issuer/x.ts',
      "import { a } from '../books/books.ts'",
    ],
    [
      'a room of the bank that is not described',
      'packages/bank/src/fees/x.ts',
      "import { a } from '../books/journal-record.ts'",
    ],
    [
      'a room of the bank using what puts the rooms together',
      'packages/bank/src/control/x.ts',
      "import { a } from '../bank.ts'",
    ],
    ['a package that is not described', 'packages/shop/src/x.ts', "import { a } from './y.ts'"],
  ]
  for (const [name, path, text] of breaches) {
    test(`an import is refused: ${name}`, () => {
      assert.equal(importBreaches(path, text).length, 1)
    })
  }

  test('the guard lets through what is allowed, and what only a comment says', () => {
    const text = [
      "// import { z } from 'zod'",
      "import { inspect } from 'node:util'",
      "import { a } from '../base/clock.ts'",
      "import type { B } from './money.ts'",
    ].join('\n')
    assert.deepEqual(importBreaches(`${G}/domain/x.ts`, text), [])
    assert.deepEqual(importBreaches(`${G}/adapters/vault/x.ts`, "import pg from 'pg'"), [])
    const kernel = "import { findCurrency } from '@tollgate/kernel/currency'"
    assert.deepEqual(importBreaches(`${G}/domain/x.ts`, kernel), [])
    const wired = "import { a } from '../http/servers/server.ts'"
    assert.deepEqual(importBreaches(`${G}/wiring/gateway.ts`, wired), [])
    const shared = "import { a } from '../connection/columns.ts'"
    assert.deepEqual(importBreaches(`${G}/adapters/postgres/payments/x.ts`, shared), [])
    const composed = "import { a } from '../../adapters/vault/secret-seal.ts'"
    assert.deepEqual(importBreaches(`${G}/portal/settings/wire.ts`, composed), [])
  })

  test('the guard bites: a file beside the rooms, a room and a capability that are not described', () => {
    assert.notEqual(placeBreach(`${G}/payments.ts`), null)
    assert.notEqual(placeBreach(`${G}/services/x.ts`), null)
    assert.notEqual(placeBreach(`${G}/usecases/charging/x.ts`), null)
    assert.notEqual(placeBreach(`${G}/adapters/postgres/charge.ts`), null)
    assert.equal(placeBreach(`${G}/prepare.ts`), null)
    assert.equal(placeBreach(`${G}/adapters/postgres/connection/columns.ts`), null)
    assert.equal(placeBreach(`${G}/domain/money.ts`), null)
  })

  test('the guard bites: a schema and a route in the wiring', () => {
    const text = "import { z } from 'zod'\nconst a = implement(home.figures, {})"
    assert.equal(wiringBreaches(`${G}/wiring/portal.ts`, text).length, 2)
    assert.equal(wiringBreaches(`${G}/portal/home/wire.ts`, text).length, 2)
    assert.equal(wiringBreaches(`${G}/portal/home/routes/home-routes.ts`, text).length, 0)
  })
})

suite('words that belong in few places', () => {
  test('only the listed files use time, randomness, the environment or revealed secrets', () => {
    assert.deepEqual(
      sourceFiles().flatMap((path) => bansBrokenBy(path, read(path))),
      [],
    )
  })

  test('every listed exception is still needed', () => {
    const readOrNull = (path: string) => (existsSync(join(root, path)) ? read(path) : null)
    assert.deepEqual(idleExceptions(readOrNull), [])
  })

  const planted: readonly (readonly [name: string, text: string])[] = [
    ['new Date()', 'const at = new Date()'],
    ['Date.now', 'const clock = Date.now'],
    ['a hand-written transaction', "await client.query('begin')"],
    ['an eighth detector of card numbers', 'const MAY_BE_A_CARD = /\\d(?:[ -]?\\d){12,}/g'],
    ['Math.random', 'const jitter = Math.random()'],
    ['process.env', "const port = process.env['PORT']"],
    ['reveal(', 'log(pan.reveal())'],
    ['openSealed(', 'return openSealed(key, row, place)'],
    ['a promise', `// ${'TO'}${'DO'}: later`],
  ]
  for (const [name, text] of planted) {
    test(`a word is refused: ${name}`, () => {
      assert.equal(bansBrokenBy(`${G}/http/x.ts`, text).length, 1)
    })
  }

  test('a date that was handed in is no time of the machine, and a comment may name it', () => {
    const text = 'const at = new Date(now.getTime())\n/** Never new Date(). */'
    assert.deepEqual(bansBrokenBy(`${G}/http/x.ts`, text), [])
  })

  test('the guard bites: an exception whose file is gone or lost its reason', () => {
    assert.ok(idleExceptions(() => null).length > 0)
    assert.ok(idleExceptions(() => 'const a = 1').length > 0)
  })
})

suite('names of tests', () => {
  test('no file has two tests of one name', () => {
    const folders = [...packageFolders().map((name) => `packages/${name}`), 'test']
    const files = folders.flatMap((folder) => filesUnder(folder, '.test.ts'))
    assert.ok(files.length > 20, 'the walk found no tests')
    const repeated = files.flatMap((path) =>
      repeatedTestNames(read(path)).map((name) => `${path}: ${name}`),
    )
    assert.deepEqual(repeated, [])
  })

  test('the guard bites: one name twice', () => {
    const line = "test('a card is charged once', () => {})"
    assert.deepEqual(repeatedTestNames(`${line}\n  ${line}`), ['a card is charged once'])
    assert.deepEqual(repeatedTestNames(line), [])
  })
})
