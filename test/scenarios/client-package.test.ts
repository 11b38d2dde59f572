import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

/** A payment and a mistake, as both kinds of modules write them after their imports. */
const PAY = `
const client = createClient({ baseUrl: process.env.GATEWAY, username: 'demo@tollgate.test',
  password: 'Sandbox-4.14-demo', siteId: 1001 })
const card = { cardNumber: '4111111111111111', expiry: '122040', securityCode: '123' }
const pay = (orderReference) => client.pay({ ...card, amount: '12.50', orderReference })
const renew = ({ customerId }, words) => client.pay({ customerId, amount: '5.00',
  initiator: 'merchant', recurring: 'rebill', orderReference: process.argv[2] + words,
  more: { SANDBOX_TEST: words } })
pay(process.argv[2]).then(async (first) => {
  const again = await pay(process.argv[2])
  const { found } = await client.status({ orderReference: process.argv[2] + '-unknown' })
  const error = await pay('').catch((error) => error)
  const declined = await renew(first, 'de39=41; mac=03')
  const updated = await renew(first, 'updater=new-expiry; mac=24; de39=91')
  console.log([first.status, again.orderId === first.orderId, found,
    error instanceof ClientError, error.accepted, declined.adviceCode, declined.retryAfter,
    updated.adviceCode, updated.retryAfter > new Date(), updated.accountUpdate,
    first.retryAfter, /^[a-z]+-/.test(first.httpRequestId)].join(' '))
})
`
/** Recent versions of Node load ES modules by `require` too, which would hide a missing build. */
const NO_REQUIRED_MODULES = '--no-experimental-require-module'
const SAID = 'APPROVED true false true no 03 never 24 true new-expiry  true'

const TYPED = `
import { ClientError, createClient, type OrderStatus, type Transaction } from '@tollgate/client'
const client = createClient({ baseUrl: 'https://pay.example', username: 'u', password: 'p', siteId: 1 })
export async function pay(): Promise<Transaction | null> {
  try {
    const payment = await client.pay({
      amount: '12.50',
      orderReference: 'basket-1',
      cardToken: 'token',
      product: { name: 'Gold', kind: 'renews', period: { length: 1, unit: 'months' } },
      series: { type: 'initial', membershipReference: 'member-1' },
    })
    const ids: readonly string[] = payment.lines.map(({ membershipId }) => membershipId)
    const { accountUpdate, adviceCode, httpRequestId, retryAfter } = payment
    if (retryAfter === 'never' || accountUpdate === 'closed') return null
    if (retryAfter instanceof Date && adviceCode === '24') retryAfter.toISOString()
    // @ts-expect-error There is no such word.
    if (retryAfter === 'soon') return null
    return ids.length > 0 && httpRequestId !== '' ? payment : null
  } catch (error) {
    if (error instanceof ClientError && error.accepted === 'no') return null
    throw error
  }
}
export const events = (status: OrderStatus) => (status.found ? status.events : [])
// @ts-expect-error A status that was not found has no events.
export const none = (status: OrderStatus) => status.events
// @ts-expect-error An amount is text.
void client.pay({ amount: 12.5, orderReference: 'basket-1' })
// @ts-expect-error A reference is required.
void client.pay({ amount: '12.50' })
// @ts-expect-error The client decides about repeats.
void client.pay({ amount: '12.50', orderReference: 'basket-1', duplicates: 'allow' })
void client.cancelMembership({ membershipId: 5000, when: 'period end' })
`

suite('the packed client in an empty project', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
  const installed = join(folder, 'node_modules', '@tollgate', 'client')
  let gateway: RunningGateway
  before(async () => {
    gateway = await startRunningGateway()
    const packed = await run(
      'npm',
      ['run', '-s', 'pack:client', '--', '--pack-destination', folder],
      {
        cwd: ROOT,
      },
    )
    const tarball = packed.stdout.trim().split('\n').at(-1) ?? ''
    project('module')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], {
      cwd: folder,
    })
    writeFileSync(
      join(folder, 'pay.mjs'),
      `import { ClientError, createClient } from '@tollgate/client'\n${PAY}`,
    )
    writeFileSync(
      join(folder, 'pay.cjs'),
      `const { ClientError, createClient } = require('@tollgate/client')\n${PAY}`,
    )
    writeFileSync(join(folder, 'typed.ts'), TYPED)
  })
  after(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  function project(type: 'commonjs' | 'module'): void {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }))
  }

  for (const node of nodes()) {
    for (const [kind, args] of [
      ['an ES module', ['pay.mjs']],
      ['CommonJS', [NO_REQUIRED_MODULES, 'pay.cjs']],
    ] as const) {
      test(`the packed client in an empty project pays from ${kind} with ${node.version}`, async () => {
        const reference = `package-${kind.replaceAll(' ', '-')}-${node.version}`
        const { stderr, stdout } = await run(node.path, [...args, reference], {
          cwd: folder,
          env: { ...CHILD_ENVIRONMENT, GATEWAY: gateway.baseUrl },
        })
        assert.equal(stderr, '')
        assert.equal(stdout.trim(), SAID)
      })
    }
  }

  for (const [type, module, resolution] of [
    ['commonjs', 'node16', 'node16'],
    ['module', 'node16', 'node16'],
    ['commonjs', 'nodenext', 'nodenext'],
    ['module', 'nodenext', 'nodenext'],
    ['module', 'esnext', 'bundler'],
    ['commonjs', 'commonjs', 'bundler'],
  ] as const) {
    test(`type-checks in a ${type} project with the resolution ${resolution}`, async () => {
      project(type)
      const options = ['--module', module, '--moduleResolution', resolution]
      const rest = ['--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', 'false']
      const checked = run(process.execPath, [TSC, ...options, ...rest, 'typed.ts'], { cwd: folder })
      const output = await checked.then(
        () => '',
        (error: { readonly stdout: string }) => error.stdout,
      )
      assert.equal(output, '')
    })
  }

  test('contains each file that its package.json names, and no test', () => {
    const {
      engines,
      exports: entries,
      main,
      types,
    } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      exports: object
      engines: object
      main: string
      types: string
    }
    const named = [main, types, ...targets(entries)]
    assert.ok(named.length > 6)
    assert.deepEqual(
      named.filter((path) => !existsSync(join(installed, path))),
      [],
    )
    assert.deepEqual(engines, { node: '>=20' })
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    assert.deepEqual(
      ['README.md', 'LICENSE', 'dist/index.d.ts', 'cjs/index.d.ts'].filter(
        (path) => !files.includes(path),
      ),
      [],
    )
    assert.deepEqual(
      files.filter((path) => /test|tsbuildinfo|\.env|key/i.test(path)),
      [],
    )
  })

  test('the packed client in an empty project names types before code in each of its entries', () => {
    const { exports: entries } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    ) as { exports: object }
    const untyped = conditions(entries).filter((names) => names.at(0) !== 'types')
    assert.deepEqual(untyped, [])
  })
})

/** All paths of an `exports` object. */
function targets(entries: object): string[] {
  return Object.values(entries).flatMap((value: string | object) =>
    typeof value === 'string' ? [value] : targets(value),
  )
}

/** The conditions beside each `default`. */
function conditions(entries: object): string[][] {
  const deeper = Object.values(entries).filter((value) => typeof value === 'object')
  const own = 'default' in entries ? [Object.keys(entries)] : []
  return [...own, ...deeper.flatMap((value: object) => conditions(value))]
}

interface NodeProgram {
  readonly path: string
  readonly version: string
}

/** The Node of this run, and other ones of the machine: the oldest that is supported is 20. */
function nodes(): NodeProgram[] {
  const own = { path: process.execPath, version: `Node ${process.versions.node.split('.')[0]}` }
  const folders = ['/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(delimiter)]
  const found = new Map([[own.version, own]])
  for (const folder of folders) {
    const path = join(folder, 'node')
    if (!existsSync(path) || dirname(path) === dirname(own.path)) continue
    const major = majorOf(path)
    if (major >= 20) found.set(`Node ${major}`, { path, version: `Node ${major}` })
  }
  return [...found.values()]
}

/** The major version, 0 for a file that is no usable Node. */
function majorOf(path: string): number {
  try {
    return Number(/^v(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1] ?? 0)
  } catch {
    return 0
  }
}
