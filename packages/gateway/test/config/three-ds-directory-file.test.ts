import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { loadConfig } from '../../src/config/config.ts'
import { readThreeDsDirectoryFile } from '../../src/config/three-ds-directory-file.ts'
import { makeAuthority, makePair, type Pair } from '../adapters/three-ds-server/certificates.ts'

let folder: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-ds-file-'))
  const authority = await makeAuthority('Scheme CA')
  const simulator = await makeAuthority('SIM 3-D Secure CA 0a1b2c3d')
  const save = (name: string, { cert, key }: Pair): void => {
    writeFileSync(join(folder, `${name}.pem`), cert)
    writeFileSync(join(folder, `${name}.key`), key)
  }
  save('ca', authority)
  save('client', await makePair(authority, 'our client'))
  save('results', await makePair(authority, 'results'))
  save('old', await makePair(authority, 'old', { expired: true }))
  save('sim-ca', simulator)
  save('sim-client', await makePair(simulator, 'SIM gateway client'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

const VISA = {
  name: 'visa',
  brands: ['Visa'],
  url: 'https://ds.example/3ds',
  caFile: 'ca.pem',
  certFile: 'client.pem',
  keyFile: 'client.key',
  refNumber: 'REF_1',
  operatorId: 'OP_1',
  resultSubjects: ['ds-client.example'],
}
const RESULTS = { certFile: 'results.pem', keyFile: 'results.key' }
const fileOf = (directories: readonly object[], results: object = RESULTS): string =>
  JSON.stringify({ results, directories })
const read = (text: string) => readThreeDsDirectoryFile(text, folder, new Date())
const faultsOf = (text: string): readonly string[] => {
  const outcome = read(text)
  return outcome.ok ? [] : outcome.faults
}

test('a file that is right is read, for live accounts, with versions from 2.1.0 to 2.2.0', () => {
  const outcome = read(fileOf([VISA, { ...VISA, name: 'mc', brands: ['Mastercard', 'Maestro'] }]))
  assert.ok(outcome.ok, JSON.stringify(outcome))
  const [visa, mastercard] = outcome.directories
  assert.deepEqual(
    [visa?.name, visa?.mode, visa?.simulated, visa?.versions, visa?.operatorId],
    ['live visa', 'live', false, { from: '2.1.0', to: '2.2.0' }, 'OP_1'],
  )
  assert.deepEqual(mastercard?.brands, ['Mastercard', 'Maestro'])
  assert.ok(!JSON.stringify(outcome).includes('PRIVATE KEY'))
})

describe('errors of the file are reported', () => {
  const cases: readonly [string, object, RegExp][] = [
    ['a brand that is none', { brands: ['Vista'] }, /^directories\.0\.brands/],
    ['no brand', { brands: [] }, /^directories\.0\.brands/],
    ['plain HTTP', { url: 'http://ds.example/' }, /^directories\.0\.url/],
    ['a user in the address', { url: 'https://me@ds.example/' }, /^directories\.0\.url/],
    [
      'a file that is not there',
      { caFile: 'nowhere.pem' },
      /caFile is nowhere\.pem, which cannot be read \(ENOENT\)/,
    ],
    [
      'a certificate that ran out',
      { certFile: 'old.pem', keyFile: 'old.key' },
      /certFile holds a certificate that ended on/,
    ],
    [
      'the key of another certificate',
      { keyFile: 'results.key' },
      /keyFile holds the key of another certificate/,
    ],
    ['no certificate', { caFile: 'ca.key' }, /caFile holds no certificate in PEM form/],
    [
      'a reference number that is too long',
      { refNumber: 'x'.repeat(33) },
      /^directories\.0\.refNumber/,
    ],
    [
      'versions the wrong way round',
      { versions: { from: '2.2.0', to: '2.1.0' } },
      /versions goes from 2\.2\.0 to 2\.1\.0/,
    ],
    [
      'a version that is not spoken',
      { versions: { from: '2.1.0', to: '2.3.1' } },
      /^directories\.0\.versions\.to/,
    ],
    ['nobody who may bring results', { resultSubjects: [] }, /^directories\.0\.resultSubjects/],
    ['a setting that does not exist', { mode: 'test' }, /There is no setting directories\.0\.mode/],
  ]
  for (const [name, changes, expected] of cases) {
    test(name, () => {
      const faults = faultsOf(fileOf([{ ...VISA, ...changes }]))
      assert.ok(
        faults.some((fault) => expected.test(fault)),
        JSON.stringify(faults),
      )
    })
  }
  test('two for one brand, and two of one name', () => {
    assert.deepEqual(faultsOf(fileOf([VISA, VISA])), [
      'directories.1.name is visa, which another one has already.',
      'directories.1.brands names Visa, which visa has already.',
    ])
  })
  test('a file that is not JSON', () => {
    assert.match(faultsOf('{')[0] ?? '', /The file is not JSON/)
  })
})

describe('the simulator is refused for live accounts', () => {
  for (const [name, changes, trait] of [
    ['by its address', { url: 'https://localhost:8585/ds' }, 'its address is on this machine'],
    [
      'by a name for this machine',
      { url: 'https://ds.localhost:8585/ds' },
      'its address is on this machine',
    ],
    [
      'by a loopback address',
      { url: 'https://127.0.0.1:8585/ds' },
      'its address is on this machine',
    ],
    [
      'by its loopback address of IPv6',
      { url: 'https://[::1]:8585/ds' },
      'its address is on this machine',
    ],
    ['by its reference number', { refNumber: 'SIM_3DSS_0001' }, 'its refNumber'],
    ['by its authority', { caFile: 'sim-ca.pem' }, 'its certificates'],
    [
      'by its client certificate',
      { certFile: 'sim-client.pem', keyFile: 'sim-client.key' },
      'its certificates',
    ],
  ] as const) {
    test(name, () => {
      const faults = faultsOf(fileOf([{ ...VISA, ...changes }]))
      assert.ok(
        faults.some((fault) => fault.includes(`is the simulator, or looks like it (${trait})`)),
        JSON.stringify(faults),
      )
    })
  }
})

describe('settings', () => {
  const settings = (others: object) => ({
    DATA_DIR: join(folder, 'data'),
    THREE_DS_DIRECTORY_FILE: join(folder, 'directories.json'),
    THREE_DS_RESULTS_URL: 'https://3ds.example/3ds/results',
    ...others,
  })
  const save = (text: string): void => writeFileSync(join(folder, 'directories.json'), text)

  test('the start is refused with every sentence about a wrong file', () => {
    save(fileOf([{ ...VISA, url: 'https://localhost:8585/ds', refNumber: 'SIM_1' }]))
    const loaded = loadConfig(settings({}))
    assert.ok(!loaded.ok)
    assert.match(
      loaded.problems.join('\n'),
      /THREE_DS_DIRECTORY_FILE is .*directories\.json: directories\.0 is the simulator/,
    )
  })
  test('the file needs an address for results beside it', () => {
    save(fileOf([VISA]))
    const loaded = loadConfig(settings({ THREE_DS_RESULTS_URL: '' }))
    assert.ok(!loaded.ok)
    assert.match(
      loaded.problems.join('\n'),
      /THREE_DS_RESULTS_URL must be set beside THREE_DS_DIRECTORY_FILE/,
    )
    const whole = loadConfig(settings({}))
    assert.ok(whole.ok, JSON.stringify(whole))
    assert.equal(whole.config.threeDs.liveDirectories.length, 1)
  })
  test('an address for results has its path, and https', () => {
    for (const url of [
      'http://3ds.example/3ds/results',
      'https://3ds.example/',
      'https://me@3ds.example/3ds/results',
      'x',
    ]) {
      const loaded = loadConfig(
        settings({ THREE_DS_RESULTS_URL: url, THREE_DS_DIRECTORY_FILE: '' }),
      )
      assert.ok(!loaded.ok, url)
    }
  })
  test('the simulator is on in the sandbox, and off in production unless it is asked for', () => {
    const simulatorOf = (env: Record<string, string>): boolean | null => {
      const loaded = loadConfig({ DATA_DIR: join(folder, 'data'), ...env })
      return loaded.ok ? loaded.config.threeDs.simulator : null
    }
    const production = {
      MODE: 'production',
      TRUST_PROXY: '10.0.0.1',
      PUBLIC_URL: 'https://pay.example',
      VAULT_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    assert.equal(simulatorOf({}), true)
    assert.equal(simulatorOf({ THREE_DS_SIMULATOR: 'off' }), false)
    assert.equal(simulatorOf(production), false)
    assert.equal(simulatorOf({ ...production, BANK: 'on', THREE_DS_SIMULATOR: 'on' }), true)
  })
})
