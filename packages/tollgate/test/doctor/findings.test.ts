import type { CertificatePair, DatabaseFacts } from '@tollgate/gateway/operator-doctor'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { describeFindings } from '../../src/doctor-command.ts'
import { judgeAuditPush } from '../../src/doctor/audit-push-findings.ts'
import { judgeBackup, type BackupFacts } from '../../src/doctor/backup-findings.ts'
import { judgeCertificate } from '../../src/doctor/certificate-findings.ts'
import { judgeConsole } from '../../src/doctor/console-findings.ts'
import { judgeDatabase } from '../../src/doctor/database-findings.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { judgeGateway } from '../../src/doctor/gateway-findings.ts'
import { judgeMachine } from '../../src/doctor/machine-findings.ts'
import { judgeMail } from '../../src/doctor/mail-findings.ts'
import { judgeRetention } from '../../src/doctor/retention-findings.ts'
import { judgeMetrics, judgeTraces } from '../../src/doctor/trace-findings.ts'
import { judgeVault, judgeVaultProcess } from '../../src/doctor/vault-findings.ts'

test('a mail server that refuses the gateway is a fault, and none is not', () => {
  const server = { host: 'smtp.example', port: 587 }
  assert.deepEqual(wrong([judgeMail(null, null), judgeMail(server, null)]), [])
  assert.deepEqual(wrong([judgeMail(server, '535 wrong password')]), [
    'fault mail: The mail server smtp.example:587 cannot be used: 535 wrong password.',
  ])
})

test('a collector of metrics that takes none is a warning, and none is not', () => {
  const url = 'http://127.0.0.1:4318/v1/metrics'
  assert.deepEqual(wrong([judgeMetrics(null, null), judgeMetrics(url, null)]), [])
  assert.deepEqual(wrong([judgeMetrics(url, 'ECONNREFUSED')]), [
    `warning metrics: The collector ${url} takes no metrics: ECONNREFUSED.`,
  ])
})

test('a collector of traces that takes no spans is a warning, and none is not', () => {
  const url = 'http://127.0.0.1:4318/v1/traces'
  assert.deepEqual(wrong([judgeTraces(null, null), judgeTraces(url, null)]), [])
  assert.deepEqual(wrong([judgeTraces(url, 'ECONNREFUSED')]), [
    `warning traces: The collector ${url} takes no spans: ECONNREFUSED.`,
  ])
})

test('a receiver that does not take the audit log is a fault, and none is not', () => {
  const url = 'syslog+tls://logs.example:6514'
  assert.deepEqual(wrong([judgeAuditPush(null, null), judgeAuditPush(url, null)]), [])
  assert.deepEqual(wrong([judgeAuditPush(url, 'self-signed certificate')]), [
    `fault audit log: The receiver ${url} does not take the audit log: self-signed certificate.`,
  ])
})

test('a Vault is a fault where its key cannot be used, and a warning where its token ends soon', () => {
  const keyId = 'transit:transit/tollgate'
  const judged = (token: Parameters<typeof judgeVault>[0]) => wrong([judgeVault(token)])
  const life = { secondsLeft: 3_000, seconds: 3_600, isRenewable: true }
  assert.deepEqual(judged({ keyId, token: life }), [])
  assert.deepEqual(judged({ keyId, token: { ...life, secondsLeft: null, seconds: 0 } }), [])
  assert.deepEqual(judged({ keyId, token: { ...life, secondsLeft: 361 } }), [])
  assert.deepEqual(judged({ keyId, token: { ...life, secondsLeft: 360 } }), [
    `warning vault: The key ${keyId} wraps and unwraps. The token is valid for 6 minutes more. ` +
      'It began with 60 minutes.',
  ])
  assert.deepEqual(judged({ keyId, token: null }), [
    `warning vault: The key ${keyId} wraps and unwraps. The validity of the token is unknown.`,
  ])
  assert.deepEqual(judged('The Vault is sealed.'), ['fault vault: The Vault is sealed.'])
})

test('workers that have the data keys in production are a warning, and in a sandbox are not', () => {
  const judged = (mode: 'sandbox' | 'production', vaultProcess: 'on' | 'off') =>
    wrong([judgeVaultProcess({ mode, vaultProcess })])
  assert.deepEqual(judged('production', 'on'), [])
  assert.deepEqual(judged('sandbox', 'off'), [])
  assert.deepEqual(judged('production', 'off'), [
    'warning vault: Each worker has the data keys in its memory (VAULT_PROCESS=off).',
  ])
})

test('a pass of retention that has not ended for three days is a warning unless its kind is kept', () => {
  const at = new Date('2026-11-27T12:00:00Z')
  const passes = [
    { kind: 'requests', endedAt: new Date('2026-11-24T11:00:00Z') },
    { kind: 'guest_cards', endedAt: new Date('2026-11-24T12:00:00Z') },
    { kind: 'mails', endedAt: null },
    { kind: 'of another version', endedAt: new Date(0) },
  ]
  const days = { guest_cards: 180, mails: 30 }
  assert.deepEqual(wrong(judgeRetention(passes, { ...days, requests: 90 }, at)), [
    'warning retention: No pass through these data has ended for more than 3 days: requests.',
  ])
  assert.deepEqual(wrong(judgeRetention(passes, { ...days, requests: 0 }, at)), [])
  assert.deepEqual(judgeRetention([], days, at), [])
})

suite('the console', () => {
  const at = (host: string, isTls: boolean) => ({ host, port: 9443, isTls })
  const owner = { email: 'a@ops.test', role: 'owner', hasPassword: true, hasSecondFactor: true }
  const other = { ...owner, email: 'b@ops.test' }
  const judged = (
    endpoint: ReturnType<typeof at> | null,
    operators: Parameters<typeof judgeConsole>[1],
    mode: 'production' | 'sandbox' = 'production',
  ): string[] => wrong(judgeConsole({ consoleEndpoint: endpoint, mode }, operators))

  test('that is off, on loopback or with TLS is good, with two owners or unknown ones', () => {
    assert.deepEqual(judged(null, []), [])
    assert.deepEqual(judged(at('127.0.0.1', false), [owner, other]), [])
    assert.deepEqual(judged(at('0.0.0.0', true), null), [])
  })

  test('that sends passwords in plain text over a network is a fault in production', () => {
    const found =
      'console: The console listens at 10.0.0.7 port 9443 without TLS, so that passwords cross ' +
      'the network in plain text.'
    assert.deepEqual(judged(at('10.0.0.7', false), null), [`fault ${found}`])
    assert.deepEqual(judged(at('10.0.0.7', false), null, 'sandbox'), [`warning ${found}`])
  })

  test('without an owner, with one owner, or with an owner without a second factor is reported', () => {
    const place = at('::1', false)
    const admin = { ...owner, role: 'admin' }
    assert.deepEqual(judged(place, [admin]), [
      'warning console: The console has no owner who may sign in.',
    ])
    const one =
      'warning console: 1 owner has a second factor, and two are needed to confirm requests.'
    assert.deepEqual(judged(place, [owner, admin]), [one])
    assert.deepEqual(judged(place, [owner, { ...other, hasSecondFactor: false }]), [
      'warning console: The owner b@ops.test has a password, and no second factor.',
      one,
    ])
    const invited = { ...other, hasSecondFactor: false, hasPassword: false }
    assert.deepEqual(judged(place, [owner, invited]), [
      'warning console: The owner b@ops.test has set no password yet.',
      one,
    ])
  })
})

suite('backups', () => {
  const NOW = new Date('2026-11-27T12:00:00Z')
  const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000)
  const FRESH: BackupFacts = {
    place: '/backup',
    problem: null,
    lastBackup: hoursAgo(12),
    waiting: 1,
    waitingSince: new Date(NOW.getTime() - 90_000),
    lagS: 60,
  }
  const judged = (facts: BackupFacts | null, more = {}): string[] =>
    wrong(judgeBackup(facts, { isProduction: true, isEmbedded: true, ...more }, NOW))

  test('that are fresh, of your own PostgreSQL, or missing in a sandbox are good', () => {
    assert.deepEqual(judged(FRESH), [])
    assert.deepEqual(judged(null, { isEmbedded: false }), [])
    assert.deepEqual(judged(null, { isProduction: false }), [])
  })

  test('that are missing, old, unreadable or behind the log are reported', () => {
    assert.deepEqual(judged(null), [
      'warning backup: BACKUP_TO is not set, so no backups are made.',
    ])
    assert.deepEqual(judged({ ...FRESH, lastBackup: null }), [
      'fault backup: /backup has no complete backup.',
    ])
    assert.deepEqual(judged({ ...FRESH, lastBackup: hoursAgo(31) }), [
      'warning backup: The latest backup in /backup is 31 hours old.',
    ])
    assert.deepEqual(judged({ ...FRESH, problem: 'The key is another.' }), [
      'fault backup: The key is another.',
    ])
    assert.deepEqual(judged({ ...FRESH, waiting: 7, waitingSince: hoursAgo(1) }), [
      'fault backup: 7 segments of the log wait for the store, for 3600 s.',
    ])
  })
})

/** The warnings and faults, a line for each. */
function wrong(findings: readonly Finding[]): string[] {
  return findings
    .filter(({ level }) => level !== 'good')
    .map(({ found, level, part }) => `${level} ${part}: ${found}`)
}

suite('the database', () => {
  const SOUND: DatabaseFacts = {
    version: '18.4',
    versionNumber: 180_004,
    isEncrypted: true,
    fsync: true,
    fullPageWrites: true,
    synchronousCommit: 'on',
    encoding: 'UTF8',
    mostConnections: 200,
    connections: 40,
    clockAheadMs: 3,
    clockDoubtMs: 1,
    role: 'serving',
    schema: {
      version: 47,
      oldestProgram: 45,
      ownsAuditLog: false,
      unreadable: [],
      unknownZones: [],
    },
    knownSchema: 47,
    retentionPasses: [],
    operators: null,
  }
  const SCHEMA = SOUND.schema ?? assert.fail()
  const judged = (more: Partial<DatabaseFacts>, isProduction = true): string[] =>
    wrong(
      judgeDatabase(
        { ...SOUND, ...more },
        { isProduction, migratesAtStart: !isProduction, connections: 82 },
      ),
    )

  test('that is sound has neither a fault nor a warning', () => {
    assert.deepEqual(judged({}), [])
  })

  for (const [what, facts, expected] of [
    [
      'is too old',
      { version: '14.2', versionNumber: 140_002 },
      'fault database: PostgreSQL 14.2, and 15 or newer is needed.',
    ],
    [
      'has another encoding',
      { encoding: 'LATIN1' },
      'fault database: The encoding of the database is LATIN1, and UTF8 is needed.',
    ],
    [
      'is not encrypted',
      { isEncrypted: false },
      'warning database: The connection is not encrypted.',
    ],
    [
      'reports commits before they are on the disk',
      { synchronousCommit: 'off' },
      'fault database: synchronous_commit is off. An approved payment can be lost when the server stops.',
    ],
    [
      'writes nothing through to the disk',
      { fsync: false },
      'fault database: fsync is off. An approved payment can be lost when the server stops.',
    ],
    [
      'may tear pages',
      { fullPageWrites: false },
      'fault database: full_page_writes is off. An approved payment can be lost when the server stops.',
    ],
    [
      'allows no connection beside those of the gateway',
      { mostConnections: 131 },
      'warning database: The server allows 131 connections, and 40 are open. The gateway of this node opens up to 82. Commands, starts and backups need 50 more.',
    ],
    [
      'allows too few connections',
      { mostConnections: 81 },
      'fault database: The server allows 81 connections, and 40 are open. The gateway of this node opens up to 82.',
    ],
    [
      'is almost full',
      { connections: 181 },
      'warning database: The server allows 200 connections, and 181 are open.',
    ],
    [
      'has a slow clock',
      { clockAheadMs: -2_600 },
      'warning clock: The clock of the database is 2.6 s behind the clock of this machine.',
    ],
    [
      'has a wrong clock',
      { clockAheadMs: 31_000 },
      'fault clock: The clock of the database is 31.0 s ahead of the clock of this machine.',
    ],
    [
      'has left this program behind',
      { knownSchema: 44 },
      'fault database: The database has schema 47, which needs programs from schema 45 on. This one has 44.',
    ],
    [
      'lacks a migration that no start applies',
      { knownSchema: 48 },
      'fault database: The database has schema 47, and this version needs 48.',
    ],
    [
      'has no schema that a start would make',
      { schema: null },
      'fault database: It has no schema yet.',
    ],
    [
      'hides tables',
      { schema: { ...SCHEMA, unreadable: ['disputes', 'fees'] } },
      'fault database: The role serving may not read 2 tables, such as disputes.',
    ],
    [
      'belongs to the serving role',
      { schema: { ...SCHEMA, ownsAuditLog: true } },
      'warning database: The role serving owns the tables, so it can switch off the protection of the audit log.',
    ],
    [
      'lacks a time zone',
      { schema: { ...SCHEMA, unknownZones: ['Europe/Kyiv'] } },
      'fault time zones: The server does not know these time zones of merchants: Europe/Kyiv.',
    ],
  ] as const) {
    test(`that ${what} is reported`, () => assert.deepEqual(judged(facts), [expected]))
  }

  test('of a sandbox may be unencrypted and owned by its role', () => {
    const facts = { isEncrypted: false, schema: { ...SCHEMA, ownsAuditLog: true } }
    assert.deepEqual(judged(facts, false), [])
  })

  test('is not blamed for a clock that was read slowly', () => {
    assert.deepEqual(judged({ clockAheadMs: 2_500, clockDoubtMs: 800 }), [])
  })
})

suite('the machine', () => {
  const SOUND = {
    openFiles: 4_096,
    dataDir: '/var/lib/tollgate',
    dataDirState: 'writable',
    freeBytes: 5_000_000_000,
    nodeVersion: '26.1.0',
  } as const
  const judged = (more: Partial<Parameters<typeof judgeMachine>[0]>): string[] =>
    wrong(judgeMachine({ ...SOUND, ...more }, 2_000))

  test('that is sound has neither a fault nor a warning, before the first start either', () => {
    assert.deepEqual(judged({}), [])
    assert.deepEqual(judged({ dataDirState: 'missing', openFiles: null }), [])
  })

  test('with few open files, a full disk and a foreign folder is reported', () => {
    const facts = {
      openFiles: 1_024,
      freeBytes: 100_000_000,
      dataDirState: 'not writable',
    } as const
    assert.deepEqual(judged(facts), [
      'warning machine: A process may open 1024 files. MAX_CONNECTIONS is 2000, which needs 2256.',
      'fault disk: DATA_DIR is /var/lib/tollgate, and this user may not write there.',
      'fault disk: DATA_DIR has 95 MiB free.',
    ])
    assert.deepEqual(judged({ freeBytes: 1_000_000_000 }), [
      'warning disk: DATA_DIR has 953 MiB free.',
    ])
  })
})

suite('the certificate', () => {
  const NOW = new Date(Date.UTC(2026, 10, 24))
  const pair = (validTo: string, names: string): CertificatePair => ({
    kind: 'good',
    certificate: { cert: '', key: '' },
    facts: {
      subject: 'CN=pay.example.com',
      names,
      issuer: 'CN=authority',
      validFrom: new Date(0),
      validTo: new Date(validTo),
      intermediates: 1,
    },
  })
  const judged = (validTo: string, names: string, url: string): string[] =>
    wrong(judgeCertificate(pair(validTo, names), { PUBLIC_URL: url }, NOW))
  const LATER = '2027-02-01T00:00:00Z'

  test('that ends within 30 days is reported', () => {
    const soon = judged('2026-12-20T00:00:00Z', 'DNS:pay.example.com', 'https://pay.example.com')
    assert.deepEqual(soon, [
      'warning certificate: CN=pay.example.com is valid for 26 days, until 2026-12-20T00:00:00.000Z.',
    ])
  })

  for (const [url, names] of [
    ['https://pay.example.com:8443', 'DNS:www.example.com, DNS:PAY.example.com'],
    ['https://pay.example.com', 'DNS:*.example.com'],
    ['https://192.0.2.7', 'DNS:x, IP Address:192.0.2.7'],
    ['https://[2001:db8::1]', 'IP Address:2001:DB8:0:0:0:0:0:1'],
    ['http://pay.example.com', 'DNS:other'],
  ] as const) {
    test(`for ${names} is good for ${url}`, () => assert.deepEqual(judged(LATER, names, url), []))
  }

  for (const [url, names] of [
    ['https://pay.example.com', 'DNS:example.com, DNS:*.pay.example.com'],
    ['https://a.pay.example.com', 'DNS:*.example.com'],
    ['https://192.0.2.7', 'DNS:192.0.2.7, IP Address:192.0.2.8'],
  ] as const) {
    test(`for ${names} is reported at ${url}`, () => {
      const { hostname } = new URL(url)
      assert.deepEqual(judged(LATER, names, url), [
        `fault certificate: PUBLIC_URL names ${hostname}, and the certificate is for ${names}.`,
      ])
    })
  }

  test('without the name of a portal apart is reported by the setting of that name', () => {
    const addresses = { PUBLIC_URL: 'https://pay.example', PORTAL_URL: 'https://office.example' }
    assert.deepEqual(wrong(judgeCertificate(pair(LATER, 'DNS:pay.example'), addresses, NOW)), [
      'fault certificate: PORTAL_URL names office.example, and the certificate is for DNS:pay.example.',
    ])
  })

  test('that cannot be used is a fault in its own words', () => {
    const found = judgeCertificate({ kind: 'faulty', problem: 'TLS_KEY does not fit.' }, {}, NOW)
    assert.deepEqual(wrong(found), ['fault certificate: TLS_KEY does not fit.'])
  })
})

suite('the gateway', () => {
  const link = { name: 'acme', mode: 'live', state: 'up' }

  test('that does not run is fine', () => {
    assert.deepEqual(wrong(judgeGateway(null, 'http://127.0.0.1:8080')), [])
  })

  test('that is not ready, and a link that is down, are reported', () => {
    const health = {
      status: 'unavailable',
      database: 'read_only',
      links: [link, { ...link, name: 'other', state: 'signing_on' }],
    }
    assert.deepEqual(wrong(judgeGateway(health, 'http://127.0.0.1:8080')), [
      'fault gateway: The gateway at http://127.0.0.1:8080 takes no payments; its database is read-only.',
      'warning links: The live link "other" is signing on.',
    ])
  })
})

test('each finding is a line, with what to do below it, and the counts at the end', () => {
  const findings: readonly Finding[] = [
    { part: 'disk', level: 'good', found: 'There is room.', advice: null },
    { part: 'clock', level: 'fault', found: 'It is wrong.', advice: 'Set it.' },
  ]
  assert.deepEqual(describeFindings(findings), [
    'ok       disk         There is room.',
    'FAULT    clock        It is wrong.',
    '                      Set it.',
    '',
    'Faults: 1. Warnings: 0.',
  ])
})
