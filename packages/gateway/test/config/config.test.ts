import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import {
  createSandboxVaultKey,
  describeConfig,
  isLoopback,
  loadConfig,
  readEnvironment,
  SETTINGS,
  type GatewayConfig,
} from '../../src/config/config.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'tollgate-config-'))
  t.after(() => rmSync(path, { recursive: true }))
  return path
}

/** A data folder that is not there, so that no key of a sandbox nearby is found. */
const NO_DATA = { DATA_DIR: '/nonexistent/tollgate' }

function load(env: Record<string, string>): GatewayConfig {
  const loaded = loadConfig({ ...NO_DATA, ...env })
  if (!loaded.ok) assert.fail(loaded.problems.join('\n'))
  return loaded.config
}

function problems(env: Record<string, string>): readonly string[] {
  const loaded = loadConfig({ ...NO_DATA, ...env })
  return loaded.ok ? [] : loaded.problems
}

suite('the configuration', () => {
  test('has a sandbox on loopback when nothing is set', (t) => {
    const config = load({ DATA_DIR: folder(t) })
    assert.equal(config.mode, 'sandbox')
    assert.deepEqual(config.http, { host: '127.0.0.1', port: 8080 })
    assert.deepEqual(
      [config.tls?.host, config.tls?.port, config.tls?.selfMade],
      ['127.0.0.1', 8443, true],
    )
    assert.deepEqual(config.bank, { host: '127.0.0.1', port: 8583 })
    assert.equal(config.databaseUrl, null)
    assert.equal(config.publicUrl, 'http://127.0.0.1:8080')
    assert.ok(config.workers >= 1)
    assert.equal(config.loginFailureLimit, 100)
    assert.equal(config.apiUserIdleDays, 0)
    assert.deepEqual(config.requestRate, { perSecond: 0, burst: 2000 })
    assert.equal(config.bankTimeoutMs, 25_000)
  })

  test('takes an empty value for none', () => {
    assert.equal(load({ PORT: '', WORKERS: ' ' }).http?.port, 8080)
  })

  test('reports every fault at once, each as a whole sentence', () => {
    const told = problems({ PORT: '70000', WORKERS: '1.5', MODE: 'prod', LOG_LEVEL: 'loud' })
    assert.deepEqual(told, [
      'MODE is "prod", but must be one of sandbox, production.',
      'PORT is "70000", but must be a port number from 1 to 65535, or 0 for any free port.',
      'WORKERS is "1.5", but must be a whole number from 1 to 256.',
      'LOG_LEVEL is "loud", but must be one of fatal, error, warn, info, debug, trace, silent.',
    ])
  })

  test('refuses days of retention that break something, and states what', () => {
    assert.deepEqual(problems({ RETENTION_REQUEST_DAYS: '30', RETENTION_EVENT_DAYS: '0' }), [
      'RETENTION_REQUEST_DAYS is "30", but must be 0 (kept without end) or a whole number of days ' +
        'from 35 to 36500: references and idempotency keys answer repeats of a request for 35 days.',
    ])
  })

  const refused: readonly (readonly [string, string])[] = [
    ['PORT', '-1'],
    ['PORT', '0x50'],
    ['PORT', '1e3'],
    ['HOST', 'http://127.0.0.1'],
    ['HOST', '127.0.0.1:80'],
    ['TRUST_PROXY', 'proxy.example'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.0/8/8'],
    ['PUBLIC_URL', 'pay.example'],
    ['PUBLIC_URL', 'ftp://pay.example'],
    ['PUBLIC_URL', 'https://pay.example/path'],
    ['DATABASE_URL', 'mysql://a@b/c'],
    ['DATABASE_URL', 'tollgate'],
    ['VAULT_KEY', 'c2hvcnQ='],
    ['VAULT_KEY', `${KEY}AA`],
    ['BANK_TIMEOUT_MS', '0'],
    ['LOGIN_FAILURE_LIMIT', '0'],
    ['API_USER_IDLE_DAYS', '-1'],
    ['TLS_CERT', '/nowhere/cert.pem'],
    ['VAULT_KEY_FILE', '/nowhere/vault.key'],
  ]
  for (const [name, value] of refused) {
    test(`refuses ${name}=${value} in sentences that name it`, () => {
      const told = problems({ [name]: value })
      assert.ok(told.length > 0)
      for (const sentence of told) assert.match(sentence, new RegExp(`${name}.*\\.$`))
    })
  }

  test('refuses two ports that are the same', () => {
    assert.deepEqual(problems({ PORT: '9000', BANK_PORT: '9000' }), [
      'PORT and BANK_PORT are both 9000, but each needs a port of its own.',
    ])
    assert.deepEqual(problems({ PORT: '0', TLS_PORT: '0', BANK_PORT: '0' }), [])
  })

  test('refuses plain HTTP that others can reach unless a proxy is named', () => {
    for (const HOST of ['0.0.0.0', '::', '192.0.2.7', 'gateway.example']) {
      assert.match(
        problems({ HOST }).join(),
        /Plain HTTP is served on loopback addresses only/,
        HOST,
      )
      assert.deepEqual(problems({ HOST, TRUST_PROXY: '192.0.2.1' }), [], HOST)
    }
    assert.equal(load({ TLS_HOST: '0.0.0.0' }).tls?.host, '0.0.0.0')
  })

  test('knows a loopback address', () => {
    for (const host of ['127.0.0.1', '127.8.8.8', '::1', 'localhost'])
      assert.ok(isLoopback(host), host)
    for (const host of ['128.0.0.1', '::', '::2', 'localhost.example'])
      assert.ok(!isLoopback(host), host)
  })

  test('gives an address that this machine can connect to', () => {
    assert.equal(load({ HOST: '::1' }).baseUrl, 'http://[::1]:8080')
    assert.equal(load({ HOST: '0.0.0.0', TRUST_PROXY: '::1/128' }).baseUrl, 'http://127.0.0.1:8080')
    assert.equal(load({ PUBLIC_URL: 'https://pay.example/' }).publicUrl, 'https://pay.example')
  })

  test('serves the portal with the payments, or at an address of its own', () => {
    const shared = load({ PUBLIC_URL: 'https://pay.example' })
    assert.deepEqual([shared.portalEndpoint, shared.portalUrl], [null, 'https://pay.example'])
    const named = load({ PORTAL_URL: 'https://portal.example/' })
    assert.deepEqual([named.portalEndpoint, named.portalUrl], [null, 'https://portal.example'])

    // A browser would refuse the certificate that a sandbox makes for itself.
    const apart = load({ PORTAL_PORT: '8090' })
    assert.deepEqual(apart.portalEndpoint, { host: '127.0.0.1', port: 8090, isTls: false })
    assert.equal(apart.portalUrl, 'http://127.0.0.1:8090')
    assert.deepEqual(problems({ PORTAL_PORT: '8080' }), [
      'PORT and PORTAL_PORT are both 8080, but each needs a port of its own.',
    ])
    assert.match(problems({ PORTAL_HOST: '10.0.0.8' }).join(), /but PORTAL_PORT is not set/)
  })

  test('has a console only with a port, and never at the address of payments or of the portal', () => {
    const none = load({})
    assert.deepEqual([none.consoleEndpoint, none.consoleUrl], [null, ''])
    const some = load({ CONSOLE_PORT: '8092' })
    assert.deepEqual(some.consoleEndpoint, { host: '127.0.0.1', port: 8092, isTls: false })
    assert.equal(some.consoleUrl, 'http://127.0.0.1:8092')
    assert.deepEqual(problems({ CONSOLE_PORT: '8080' }), [
      'PORT and CONSOLE_PORT are both 8080, but each needs a port of its own.',
    ])
    assert.match(problems({ CONSOLE_URL: 'https://ops.example' }).join(), /CONSOLE_PORT is not/)
    const same = { CONSOLE_PORT: '8092', CONSOLE_URL: 'https://pay.example/' }
    assert.match(
      problems({ ...same, PUBLIC_URL: 'https://pay.example' }).join(),
      /needs an address of its own/,
    )
  })
})

suite('the configuration in production', () => {
  const behindProxy = {
    MODE: 'production',
    TRUST_PROXY: '10.0.0.1',
    PUBLIC_URL: 'https://pay.example',
    VAULT_KEY: KEY,
  }

  test('refuses to start on the sandbox defaults', () => {
    const told = problems({ MODE: 'production' }).join('\n')
    assert.match(told, /TLS_CERT and TLS_KEY must name a certificate/)
    assert.match(
      told,
      /VAULT_KEY, VAULT_KEY_FILE, VAULT_KMS_KEY or VAULT_TRANSIT_KEY must give the key/,
    )
  })

  test('behind a proxy serves plain HTTP and no self-made certificate', () => {
    const config = load(behindProxy)
    assert.equal(config.http?.port, 8080)
    assert.equal(config.tls, null)
  })

  test('behind a proxy a portal apart has plain HTTP and a stated https address', () => {
    const apart = { ...behindProxy, PORTAL_HOST: '10.0.0.8', PORTAL_PORT: '8090' }
    assert.match(problems(apart).join(), /PORTAL_URL must be set in production behind TRUST_PROXY/)
    const open = { ...apart, PORTAL_URL: 'http://portal.example' }
    assert.match(problems(open).join(), /in production it must start with https/)
    const config = load({ ...apart, PORTAL_URL: 'https://portal.example' })
    assert.deepEqual(config.portalEndpoint, { host: '10.0.0.8', port: 8090, isTls: false })
    assert.equal(config.portalUrl, 'https://portal.example')
  })

  test('behind a proxy a console has a stated https address', () => {
    const console = { ...behindProxy, CONSOLE_PORT: '8092' }
    assert.match(problems(console).join(), /CONSOLE_URL must be set in production behind/)
    const open = { ...console, CONSOLE_URL: 'http://ops.example' }
    assert.match(problems(open).join(), /in production it must start with https/)
    assert.equal(
      load({ ...console, CONSOLE_URL: 'https://ops.example' }).consoleEndpoint?.port,
      8092,
    )
  })

  test('has other defaults than the sandbox for these settings, and for no other', () => {
    const differing = Object.entries(SETTINGS).flatMap(([name, { fallback }]) =>
      typeof fallback === 'string' ? [] : [`${name} ${fallback.sandbox} ${fallback.production}`],
    )
    assert.deepEqual(differing, [
      'SERVED_HOSTS  *',
      'BANK on off',
      'THREE_DS_SIMULATOR on off',
      'VAULT_PROCESS off on',
      'LOGIN_FAILURE_LIMIT 100 10',
      'API_USER_IDLE_DAYS 0 90',
      'PORTAL_SECOND_FACTOR optional required',
      'PORTAL_PASSWORD_DAYS 0 90',
      'PORTAL_IDLE_DAYS 0 90',
      'REQUEST_RATE_LIMIT 0 500',
      'MAX_CONNECTIONS_PER_ADDRESS 0 500',
    ])
  })

  test('reads the hosts and the limits of connections as they are set', () => {
    const config = load({
      BANK_DS_HOST: 'ds.test',
      METRICS_HOST: '127.0.0.2',
      METRICS_PORT: '9464',
      THREE_DS_RESULTS_HOST: '127.0.0.3',
      MAX_CONNECTIONS: '77',
      MAX_CONNECTIONS_PER_ADDRESS: '7',
    })
    assert.equal(config.threeDs.simulatorSettings.BANK_DS_HOST, 'ds.test')
    assert.deepEqual(config.metrics, { host: '127.0.0.2', port: 9464 })
    assert.equal(config.threeDs.resultsHost, '127.0.0.3')
    assert.deepEqual([config.maxConnections, config.maxConnectionsPerAddress], [77, 7])
  })

  test('applies the strict defaults where nothing is set', () => {
    const config = load(behindProxy)
    assert.equal(config.loginFailureLimit, 10)
    assert.equal(config.apiUserIdleDays, 90)
    assert.equal(config.portal.secondFactorRequired, true)
    assert.equal(config.portal.passwordDays, 90)
    assert.equal(config.portal.idleDays, 90)
    assert.deepEqual(config.requestRate, { perSecond: 500, burst: 2_000 })
    assert.equal(config.maxConnectionsPerAddress, 500)
  })

  test('with a certificate of its own serves no plain HTTP', (t) => {
    const file = join(folder(t), 'pem')
    writeFileSync(file, '')
    const config = load({ MODE: 'production', VAULT_KEY: KEY, TLS_CERT: file, TLS_KEY: file })
    assert.equal(config.http, null)
    assert.equal(config.baseUrl, 'https://127.0.0.1:8443')
  })

  test('runs no bundled bank unless BANK requests it', () => {
    assert.equal(load(behindProxy).bundledBank, 'off')
    assert.equal(load({ ...behindProxy, BANK: 'on' }).bundledBank, 'on')
    assert.equal(load({}).bundledBank, 'on')
  })

  test('shares the bundled bank of another machine, with a warning about its plain link', () => {
    const warnings = (more: Record<string, string>): string => {
      const loaded = loadConfig({ ...NO_DATA, ...behindProxy, BANK_HOST: 'bank.example', ...more })
      if (!loaded.ok) assert.fail(loaded.problems.join('\n'))
      return loaded.warnings.join('\n')
    }
    assert.match(
      warnings({ BANK: 'shared', BANK_SECRET: 's'.repeat(32) }),
      /BANK_HOST is bank\.example, .* not encrypted: use test cards only/,
    )
    assert.doesNotMatch(warnings({ BANK: 'off' }), /BANK_HOST/)
  })

  test('refuses settings of a bundled bank that this node does not run', () => {
    assert.deepEqual(problems({ ...behindProxy, BANK: 'shared', BANK_PORT: '0' }), [
      'BANK is shared, so BANK_PORT must be the port of that bank: 0 is not the port of any.',
      'BANK is shared, so BANK_SECRET must be the secret of that bank. Take BANK_SECRET of its ' +
        'node, or bank/link-secret in its DATA_DIR.',
    ])
    assert.deepEqual(problems({ ...behindProxy, THREE_DS_SIMULATOR: 'on' }), [
      'THREE_DS_SIMULATOR is on, but the simulator is a part of the bundled bank: set BANK=on too.',
    ])
    assert.equal(load({ BANK: 'off' }).threeDs.simulator, false)
  })

  test('refuses a mail server in plain text that is not on this machine, and halves of its settings', () => {
    const mail = { ...behindProxy, SMTP_HOST: 'smtp.example', MAIL_FROM: 'receipts@pay.example' }
    assert.deepEqual(problems({ ...mail, SMTP_TLS: 'none', MAIL_FROM: '', SMTP_PORT: '0' }), [
      'SMTP_HOST is set, so MAIL_FROM must be the address that mails come from.',
      'SMTP_TLS is none, and SMTP_HOST is smtp.example: mails with names and amounts would cross ' +
        'the network in plain text. Use starttls or implicit, or a server on loopback.',
      'SMTP_PORT must be the port of the mail server: 0 is not the port of any.',
    ])
    assert.deepEqual(problems({ ...mail, SMTP_USER: 'gateway' }), [
      'SMTP_USER and SMTP_PASSWORD belong together, but only one of them is set.',
    ])
    assert.equal(load({ SMTP_TLS: 'none' }).smtp, null)
    const local = { SMTP_HOST: 'localhost', SMTP_TLS: 'none', MAIL_FROM: 'receipts@pay.example' }
    assert.equal(load(local).smtp?.tls, 'none')
  })

  test('names the collector of metrics, and refuses an address without a path', () => {
    assert.equal(load({}).metricsUrl, null)
    const url = 'https://metrics.example/v1/metrics'
    assert.equal(load({ METRICS_URL: url }).metricsUrl, url)
    const METRICS_URL = 'http://127.0.0.1:4318'
    assert.deepEqual(problems({ ...behindProxy, METRICS_URL }), [
      `METRICS_URL is "${METRICS_URL}", but must be the address of a collector with its path, ` +
        'such as http://127.0.0.1:4318/v1/metrics, without user, password or query.',
    ])
  })

  test('names the collector of traces and the part that is recorded, and refuses other forms', () => {
    const url = 'http://127.0.0.1:4318/v1/traces'
    assert.equal(load({}).traces, null)
    assert.deepEqual(load({ TRACES_URL: url }).traces, { url, ratio: 1 })
    assert.equal(load({ TRACES_URL: url, TRACES_RATIO: '0.05' }).traces?.ratio, 0.05)
    for (const TRACES_URL of [
      '127.0.0.1:4318',
      'grpc://127.0.0.1:4317/v1/traces',
      'http://127.0.0.1:4318',
      'https://me:secret@traces.example/v1/traces',
      'https://traces.example/v1/traces?key=1',
    ]) {
      assert.deepEqual(problems({ ...behindProxy, TRACES_URL }), [
        `TRACES_URL is "${TRACES_URL}", but must be the address of a collector with its path, ` +
          'such as http://127.0.0.1:4318/v1/traces, without user, password or query.',
      ])
    }
    for (const TRACES_RATIO of ['1.5', '-1', '5%', '.5', '1e-3', '0.12345678']) {
      assert.deepEqual(problems({ ...behindProxy, TRACES_RATIO }), [
        `TRACES_RATIO is "${TRACES_RATIO}", but must be a number from 0 to 1 with a point and at ` +
          'most six digits behind it, such as 0.05.',
      ])
    }
  })

  test('wants the public address, and an https one', () => {
    assert.match(problems({ ...behindProxy, PUBLIC_URL: '' }).join(), /PUBLIC_URL must be set/)
    assert.match(
      problems({ ...behindProxy, PUBLIC_URL: 'http://pay.example' }).join(),
      /start with https/,
    )
  })

  test('refuses a key that the sandbox made, even by another name', (t) => {
    const file = join(folder(t), 'copy.key')
    createSandboxVaultKey(file)
    const env = { ...behindProxy, VAULT_KEY: '', VAULT_KEY_FILE: file }
    assert.match(problems(env).join(), /a key that the sandbox made for itself/)
    assert.deepEqual(problems({ ...env, MODE: 'sandbox' }), [])
  })

  test('allows the embedded PostgreSQL with a warning', () => {
    const loaded = loadConfig(behindProxy)
    assert.match((loaded.ok ? loaded.warnings : []).join(), /embedded PostgreSQL/)
  })
})

suite('the vault key', () => {
  test('of a new sandbox is made once, readable by its user only', (t) => {
    const dataDir = folder(t)
    const before = load({ DATA_DIR: dataDir })
    assert.equal(before.vaultKey, null)
    const file = before.vaultKeyFile ?? ''
    createSandboxVaultKey(file)
    const made = load({ DATA_DIR: dataDir }).vaultKey?.reveal()
    assert.equal(Buffer.from(made ?? '', 'base64').length, 32)
    createSandboxVaultKey(file)
    assert.equal(load({ DATA_DIR: dataDir }).vaultKey?.reveal(), made)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(join(dataDir, 'keys')).mode & 0o777, 0o700)
  })

  test('file that is damaged is refused, never replaced', (t) => {
    const dataDir = folder(t)
    mkdirSync(join(dataDir, 'keys'))
    writeFileSync(join(dataDir, 'keys', 'vault.key'), 'half a k')
    assert.match(
      problems({ DATA_DIR: dataDir }).join(),
      /must hold the base64 text of 32 random bytes/,
    )
  })

  test('file that every user of the machine may read is taken with a warning', (t) => {
    const file = join(folder(t), 'vault.key')
    const warnings = (mode: number): string => {
      writeFileSync(file, KEY)
      chmodSync(file, mode)
      const loaded = loadConfig({ VAULT_KEY_FILE: file })
      return (loaded.ok ? loaded.warnings : ['not loaded']).join()
    }
    assert.match(warnings(0o644), /vault\.key is open to every user of this machine: "chmod 600 /)
    assert.deepEqual([warnings(0o640), warnings(0o600)], ['', ''])
  })

  test('can come from one place only', (t) => {
    const file = join(folder(t), 'vault.key')
    writeFileSync(file, `# ours\n${KEY}\n`)
    assert.equal(load({ VAULT_KEY_FILE: file }).vaultKey?.reveal(), KEY)
    assert.match(problems({ VAULT_KEY_FILE: file, VAULT_KEY: KEY }).join(), /one place only/)
    assert.match(
      problems({ VAULT_KMS_KEY: 'alias/tollgate', VAULT_KEY_FILE: file, VAULT_KEY: KEY }).join(),
      /^VAULT_KEY and VAULT_KEY_FILE and VAULT_KMS_KEY are all set/,
    )
  })

  test('of a Vault needs its address and a file with a token', () => {
    const vault = { VAULT_ADDR: 'https://vault.example:8200/', VAULT_TOKEN_FILE: '/run/token' }
    const { vaultKey, vaultKeyFile, vaultTransitKey, vaultServer } = load({
      ...vault,
      VAULT_TRANSIT_KEY: 'engines/cards/kek',
      VAULT_NAMESPACE: 'payments/live/',
    })
    assert.deepEqual([vaultKey, vaultKeyFile, vaultTransitKey], [null, null, 'engines/cards/kek'])
    assert.deepEqual(vaultServer, {
      address: 'https://vault.example:8200',
      tokenFile: '/run/token',
      namespace: 'payments/live',
      caFile: null,
    })
    const before = load({ ...vault, VAULT_KEY_PREVIOUS: 'transit:kek' })
    assert.deepEqual(before.vaultKeyPrevious, { transitKey: 'kek' })
    assert.match(
      problems({ VAULT_TRANSIT_KEY: 'kek' }).join(),
      /^VAULT_TRANSIT_KEY names .* VAULT_ADDR must be .*,VAULT_TRANSIT_KEY .* VAULT_TOKEN_FILE must/,
    )
    assert.match(
      problems({ VAULT_KEY_PREVIOUS: 'transit:kek', ...vault, VAULT_TOKEN_FILE: '' }).join(),
      /^VAULT_KEY_PREVIOUS names a key of a Vault, so VAULT_TOKEN_FILE must be a file/,
    )
    assert.match(
      problems({ ...vault, VAULT_ADDR: 'http://vault.example:8200' }).join(),
      /^VAULT_ADDR is http:.* data keys would cross the network in plain text/,
    )
    assert.match(
      problems({ VAULT_TRANSIT_KEY: '../sys/seal' }).join(),
      /^VAULT_TRANSIT_KEY is .* must be/,
    )
  })

  test('of a KMS needs no file, and the one before is named beside it', (t) => {
    const file = join(folder(t), 'old.key')
    writeFileSync(file, KEY)
    const kms = load({ VAULT_KMS_KEY: 'alias/tollgate', VAULT_KEY_PREVIOUS: `file:${file}` })
    assert.deepEqual(
      [kms.vaultKey, kms.vaultKeyFile, kms.vaultKmsKey],
      [null, null, 'alias/tollgate'],
    )
    assert.ok(kms.vaultKeyPrevious !== null && 'reveal' in kms.vaultKeyPrevious)
    assert.equal(kms.vaultKeyPrevious.reveal(), KEY)
    const back = load({ VAULT_KEY_FILE: file, VAULT_KEY_PREVIOUS: 'kms:alias/tollgate' })
    assert.deepEqual(back.vaultKeyPrevious, { kmsKey: 'alias/tollgate' })
    assert.match(
      problems({ VAULT_KEY_PREVIOUS: 'file:/nowhere/old.key' }).join(),
      /names \/nowhere\/old\.key, a file that is not there/,
    )
    assert.match(
      problems({ VAULT_KEY_PREVIOUS: KEY }).join(),
      /must be file: and the path of a key file/,
    )
  })
})

suite('a printed configuration', () => {
  const env = {
    DATABASE_URL: 'postgresql://someone:pa55word@db.example/tollgate?sslpassword=pa55word',
    VAULT_KEY: KEY,
  }

  test('names every setting and shows no secret', () => {
    const shown = describeConfig(load(env))
    assert.deepEqual(Object.keys(shown), Object.keys(SETTINGS))
    assert.equal(shown.DATABASE_URL, 'postgresql://someone:***@db.example/tollgate?sslpassword=***')
    assert.equal(shown.VAULT_KEY, '***')
  })

  test('shows no secret when it is logged as it stands either', () => {
    const config = load(env)
    for (const text of [JSON.stringify(config), inspect(config, { depth: 9 })]) {
      assert.ok(!text.includes('pa55word') && !text.includes(KEY))
    }
  })

  test('shows no secret in the sentence that refuses it', () => {
    const told = problems({ DATABASE_URL: 'pa55word', VAULT_KEY: 'pa55word' })
    assert.equal(told.length, 2)
    assert.ok(!told.join().includes('pa55word'))
  })
})

suite('a secret setting', () => {
  const URL_TEXT = 'postgresql://shop:pa55word@db.example/shop'
  const put = (path: string, name: string, text: string): string => {
    writeFileSync(join(path, name), text)
    return join(path, name)
  }

  test('stands in a file, without the line break at its end', (t) => {
    const path = folder(t)
    const files = {
      DATABASE_URL_FILE: put(path, 'url', `${URL_TEXT}\n`),
      BANK_SECRET_FILE: put(path, 'secret', `${'s'.repeat(32)}\n`),
    }
    assert.equal(load(files).databaseUrl?.reveal(), URL_TEXT)
    assert.equal(load(files).bankSecret?.reveal(), 's'.repeat(32))
  })

  test('is a credential that systemd passed, unless the setting is there', (t) => {
    const path = folder(t)
    put(path, 'DATABASE_URL', URL_TEXT)
    put(path, 'VAULT_KEY', KEY)
    const passed = load({ CREDENTIALS_DIRECTORY: path })
    assert.equal(passed.databaseUrl?.reveal(), URL_TEXT)
    assert.equal(passed.vaultKey?.reveal(), KEY)
    const other = 'postgresql://shop@other.example/shop'
    const set = load({ CREDENTIALS_DIRECTORY: path, DATABASE_URL: other })
    assert.equal(set.databaseUrl?.reveal(), other)
  })

  test('is refused in two places, and in a file that is empty or missing', (t) => {
    const path = folder(t)
    const url = put(path, 'url', URL_TEXT)
    assert.deepEqual(problems({ DATABASE_URL_FILE: url, DATABASE_URL: 'postgresql://x/y' }), [
      'DATABASE_URL and DATABASE_URL_FILE are both set, but the value can come from one place only.',
    ])
    const empty = put(path, 'empty', '\n')
    assert.deepEqual(problems({ DATABASE_URL_FILE: empty, BANK_SECRET_FILE: '/nowhere/secret' }), [
      `DATABASE_URL_FILE is ${empty}, a file that is empty.`,
      'BANK_SECRET_FILE is /nowhere/secret, a file that cannot be read (ENOENT).',
    ])
  })

  test('in a file with a wrong value is not shown', (t) => {
    const told = problems({ BANK_SECRET_FILE: put(folder(t), 'secret', 'pa55word') })
    assert.equal(told.length, 1)
    assert.doesNotMatch(told.join(), /pa55word/)
  })
})

suite('the database', () => {
  test('has a password and an authority of its own, on each of its servers', (t) => {
    const ca = join(folder(t), 'ca.pem')
    writeFileSync(ca, '')
    const { databaseUrl } = load({
      DATABASE_URL: 'postgresql://shop@one:5432,two:5433/shop?application_name=shop',
      DATABASE_PASSWORD: 'a:b@c',
      DATABASE_CA: ca,
    })
    const query = `application_name=shop&sslrootcert=${encodeURIComponent(ca)}&sslmode=verify-full`
    assert.equal(
      databaseUrl?.reveal(),
      `postgresql://shop:a%3Ab%40c@one:5432,two:5433/shop?${query}`,
    )
  })

  test('keeps a weaker sslmode that the address asks for', (t) => {
    const ca = join(folder(t), 'ca.pem')
    writeFileSync(ca, '')
    const DATABASE_URL = 'postgresql://shop@one/shop?sslmode=verify-ca'
    const text = load({ DATABASE_URL, DATABASE_CA: ca }).databaseUrl?.reveal() ?? ''
    assert.equal(new URL(text).searchParams.getAll('sslmode').join(), 'verify-ca')
  })

  test('is refused with two passwords, and with a password and no user', () => {
    const other = { DATABASE_URL: 'postgresql://shop:one@db/shop', DATABASE_PASSWORD: 'two' }
    assert.deepEqual(problems(other), [
      'DATABASE_URL has a password and DATABASE_PASSWORD is set, but it can come from one place only.',
    ])
    assert.deepEqual(problems({ DATABASE_URL: 'postgresql://db/shop', DATABASE_PASSWORD: 'two' }), [
      'DATABASE_PASSWORD is set, but DATABASE_URL names no user: name one.',
    ])
    assert.deepEqual(problems({ DATABASE_PASSWORD: 'two' }), [
      'DATABASE_PASSWORD is set, but DATABASE_URL is not: set it too.',
    ])
  })

  const production = {
    MODE: 'production',
    VAULT_KEY: KEY,
    TRUST_PROXY: '10.0.0.1',
    PUBLIC_URL: 'https://pay.example.com',
  }
  for (const [url, warning] of [
    ['postgresql://shop@db.example/shop', 'the connection to db.example is not encrypted'],
    [
      'postgresql://shop@db.example/shop?sslmode=no-verify',
      'the certificate of db.example is not checked (sslmode=no-verify)',
    ],
    ['postgresql://shop@db.example/shop?sslmode=verify-full', null],
    ['postgresql://shop@localhost,127.0.0.1,[::1]/shop', null],
    ['postgresql://shop@localhost/shop?host=%2Frun%2Fpostgresql', null],
  ] as const) {
    test(`in production ${url} is used ${warning === null ? 'without' : 'with'} a warning`, () => {
      const loaded = loadConfig({ ...NO_DATA, ...production, DATABASE_URL: url })
      assert.ok(loaded.ok)
      assert.deepEqual(
        loaded.warnings.map((text) => text.split('. ')[0]),
        warning === null ? [] : [`DATABASE_URL: ${warning}`],
      )
    })
  }
})

suite('the .env file', () => {
  test('gives what the environment does not', (t) => {
    const path = folder(t)
    writeFileSync(join(path, '.env'), 'PORT=9001\nHOST="127.0.0.2" # ours\n')
    const env = readEnvironment(path, { PORT: '9002' })
    assert.deepEqual([env['PORT'], env['HOST']], ['9002', '127.0.0.2'])
  })

  test('need not be there', (t) => {
    assert.deepEqual(readEnvironment(folder(t), { PORT: '1' }), { PORT: '1' })
  })

  test('gives way to the file that TOLLGATE_ENV_FILE names', (t) => {
    const path = folder(t)
    const named = join(folder(t), 'tollgate.env')
    writeFileSync(join(path, '.env'), 'PORT=9001\nHOST=127.0.0.2\n')
    writeFileSync(named, 'PORT=9003\n')
    const env = readEnvironment(path, { TOLLGATE_ENV_FILE: named })
    assert.deepEqual([env['PORT'], env['HOST']], ['9003', undefined])
  })

  test('has to be there if TOLLGATE_ENV_FILE names it', (t) => {
    const named = join(folder(t), 'missing.env')
    const code = { code: 'ENOENT' }
    assert.throws(() => readEnvironment(folder(t), { TOLLGATE_ENV_FILE: named }), code)
  })
})

suite('the documentation of the settings', () => {
  const root = new URL('../../../../', import.meta.url)
  const example = readFileSync(new URL('.env.example', root), 'utf8')

  test('lists in running.md exactly the settings there are, with their defaults', () => {
    const page = readFileSync(new URL('docs/operators/running.md', root), 'utf8')
    const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)` \| (.*?) \|/gm)].map(([, name, value]) => [
      name,
      value,
    ])
    const expected = Object.entries(SETTINGS).map(([name, setting]) => {
      const { fallback } = setting
      const text = 'fallbackText' in setting ? setting.fallbackText : undefined
      if (text !== undefined) return [name, text]
      if (typeof fallback === 'string') return [name, fallback === '' ? 'none' : `\`${fallback}\``]
      return [name, `${fallback.sandbox} in the sandbox, ${fallback.production} in production`]
    })
    assert.deepEqual(rows, expected)
  })

  test('lists in .env.example exactly the settings there are, none of them set', () => {
    const names = [...example.matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name)
    assert.deepEqual(names, Object.keys(SETTINGS))
    assert.doesNotMatch(example, /^[^#\n]/m)
  })

  test('gives in .env.example the default of every setting that has one for both modes', () => {
    const given = new Map(
      [...example.matchAll(/^#([A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    )
    const wrong = Object.entries(SETTINGS).filter(([name, { fallback }]) => {
      const isFixed = typeof fallback === 'string' && fallback !== '' && name !== 'WORKERS'
      return isFixed && given.get(name) !== fallback
    })
    assert.deepEqual(
      wrong.map(([name]) => name),
      [],
    )
  })
})
