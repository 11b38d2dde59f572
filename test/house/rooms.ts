import { dirname, join } from 'node:path/posix'
import { importsOf } from './source-text.ts'

/** Packages of this repository that a package may import. A package that is not here is new. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  iso8583: [],
  client: [],
  bank: ['iso8583'],
  kernel: [],
  'portal-contract': ['kernel'],
  gateway: ['iso8583', 'kernel', 'portal-contract'],
  tollgate: ['bank', 'gateway'],
  portal: ['kernel', 'portal-contract'],
}

/** The rooms of the gateway, and the other rooms that each may import whole. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  domain: ['base'],
  usecases: ['domain', 'base'],
  config: ['usecases', 'domain', 'base'],
  adapters: ['usecases', 'domain', 'base'],
  http: ['usecases', 'domain', 'base'],
  jobs: ['usecases', 'domain', 'base'],
  portal: ['usecases', 'domain', 'base'],
  wiring: ['config', 'portal', 'jobs', 'http', 'adapters', 'usecases', 'domain', 'base'],
}

/** The rooms below are split by capability. A folder of another name is a new capability. */
const CAPABILITIES = new Set([
  'payments',
  'memberships',
  'three-ds',
  'clocks',
  'card-tokens',
  'card-testing',
  'logins',
  'audit',
  'vault',
  'banks',
  'books',
  'merchants',
  'retention',
  'fees',
  'settlement',
  'disputes',
  'events',
  'queries',
  'webhooks',
  'mail',
  'sandbox',
])
const SPLIT_BY_CAPABILITY = ['domain', 'usecases', 'adapters/postgres']

/**
 * The face of a folder: the files that its neighbours in the same room, and the portal, may import.
 * '*' is the whole folder. Everything else of a folder is its own.
 */
const FACES: Readonly<Record<string, '*' | readonly string[]>> = {
  domain: ['currency', 'money', 'states'],
  'domain/disputes': ['dispute-states'],
  'domain/events': ['event', 'event-types'],
  'domain/fees': ['plan-change'],
  'domain/memberships': ['retry-advice', 'retry-plan'],
  'domain/merchants': ['refused-site'],
  'domain/payments': ['card', 'card-product', 'verification'],
  'domain/settlement': ['bank-days', 'difference'],
  'usecases/audit': ['audit-log', 'audited-transaction'],
  'usecases/banks': ['processor', 'processor-links'],
  'usecases/card-testing': ['velocity-rules'],
  'usecases/card-tokens': ['card-token-store', 'use-card-token'],
  'usecases/clocks': ['due-source', 'site-clocks'],
  'usecases/events': ['describe-event', 'event-store', 'expiring-orders'],
  'usecases/memberships': ['membership-claim', 'rebill-history', 'sold-memberships'],
  'usecases/merchants': ['locked-site', 'merchant-directory', 'operator'],
  'usecases/payments': [
    'adjustment-command',
    'charge',
    'claimed-reference',
    'idempotency-key',
    'learn-truth',
    'payment-command',
    'payment-ending',
    'payment-field',
    'payment-intent',
    'payment-store',
    'payment-view',
    'plain-payment',
    'release-authorizations',
    'resolve-payment',
    'transaction-view',
  ],
  'usecases/three-ds': [
    'authentication-store',
    'challenge-in-answer',
    'expire-authentications',
    'find-enrolment',
    'finish-challenge',
    'leading-digits',
    'pay-authenticated',
    'three-ds-deps',
    'three-ds-request',
  ],
  'usecases/vault': ['card-vault'],
  'adapters/processor-iso8583': ['response-codes'],
  'adapters/postgres/audit': ['admin-transaction', 'audit-log', 'logged-parameters'],
  'adapters/postgres/books': ['advice-agreement', 'batch-store'],
  'adapters/postgres/card-testing': ['card-testing-admin', 'card-testing-policy'],
  'adapters/postgres/card-tokens': ['token-key-store'],
  'adapters/postgres/clocks': ['site-clock-rows'],
  'adapters/postgres/connection': '*',
  'adapters/postgres/disputes': [
    'answer-rows',
    'dispute-reader',
    'money-statements',
    'ratio-store',
  ],
  'adapters/postgres/banks': ['link-admin'],
  'adapters/postgres/fees': ['fee-plan-rows', 'fee-plan-store'],
  'adapters/postgres/events': ['card-facts', 'event-days', 'order-names', 'feed-reader', 'outbox'],
  'adapters/postgres/logins': ['allowed-addresses', 'request-rate-columns'],
  'adapters/postgres/mail': ['mail-rows'],
  'adapters/postgres/memberships': [
    'membership-charge-store',
    'membership-rows',
    'membership-claims',
    'membership-statements',
    'membership-store',
    'product-rows',
  ],
  'adapters/postgres/merchants': [
    'account-admin',
    'account-demands-store',
    'account-details-store',
    'account-features-store',
    'account-limits-store',
    'account-rows',
    'directory',
    'locked-site',
    'merchant-admin',
    'site-mode-store',
    'site-settings-store',
    'time-zone-store',
  ],
  'adapters/postgres/payments': [
    'counted-payments',
    'idempotency-keys',
    'intend-once',
    'intend-query',
    'reference-claims',
    'written-ahead',
  ],
  'adapters/postgres/three-ds': ['three-ds-admin'],
  'adapters/credentials': ['login-journal'],
  'http/payment': '*',
  'http/sandbox': ['clock-request', 'sandbox-request'],
  'http/servers': ['client-address', 'foreign-pages', 'raw-bodies', 'traced-requests'],
  'http/three-ds': ['prepare-service'],
  'http/tokens': ['signature', 'token-service'],
  'http/hosted-field': ['hosted-field', 'inventory', 'pinned-files'],
  'portal/shell': '*',
  'portal/words': '*',
}

/** Rooms that touch the world. The others are handed what they need, so no package enters them. */
const WORLDLY = new Set(['adapters', 'http', 'jobs', 'portal', 'config', 'wiring', ''])
const BUILTINS_EVERYWHERE = new Set(['node:util'])
/** Rules without a world of their own, which the gateway and the browser share. */
const KERNEL = '@tollgate/kernel/'

/** Files beside the rooms: the two programs, and what the package gives to others. */
const ENTRIES = new Set(['main', 'prepare', 'index', 'vault-main'])

const GATEWAY = 'packages/gateway/src/'

/** The forbidden imports of one file, a sentence each. */
export function importBreaches(path: string, text: string): string[] {
  return importsOf(text).flatMap((target) => {
    const why = packageBreach(path, target) ?? roomBreach(path, target) ?? bankBreach(path, target)
    return why === null ? [] : [`${path} imports ${target}: ${why}`]
  })
}

/** The rooms of the bank, and the other rooms that each may import whole. */
const BANK_ROOMS: Readonly<Record<string, readonly string[]>> = {
  acquirer: ['books', 'issuer'],
  books: [],
  control: ['books', 'disputes', 'settlement'],
  disputes: ['books', 'issuer', 'settlement'],
  issuer: [],
  settlement: ['books', 'issuer'],
  'test-data': ['issuer'],
  'three-ds': [],
}

/** The files of a room of the bank that every other room may import. */
const BANK_FACES: Readonly<Record<string, readonly string[]>> = {
  '': ['bank-role', 'invariant', 'link-secret', 'startup-error'],
  acquirer: [
    'authorization-answer',
    'authorization-request',
    'fault',
    'fault-rules',
    'read-request',
    'stored-credential',
  ],
  books: ['journal-record'],
  control: ['control-fields', 'control-request'],
  issuer: ['account-ids', 'account-updater', 'balance', 'card-brands', 'currencies'],
  'test-data': [
    'code-amounts',
    'dispute-amounts',
    'dispute-deadlines',
    'test-cards',
    'test-card',
    'fault-amounts',
    'published-cavvs',
    'test-values',
    'trigger-amounts',
  ],
  'three-ds': ['cards', 'cavv-check', 'challenge-store', 'habits', 'three-ds'],
}

const BANK = 'packages/bank/src/'

/** Files of the bank beside its rooms put them together, and may import all of them. */
function bankBreach(path: string, target: string): string | null {
  if (!path.startsWith(BANK) || !target.startsWith('.')) return null
  const [room = '', toRoom = ''] = [path, join(dirname(path), target)].map((each) =>
    dirname(each.slice(BANK.length)).replace(/^\.$/, ''),
  )
  if (room === '' || room === toRoom) return null
  const mayImport = BANK_ROOMS[room]
  if (mayImport === undefined) return `the bank's room ${room} is not described.`
  const file = target.slice(target.lastIndexOf('/') + 1).replace(/\.ts$/, '')
  if (mayImport.includes(toRoom) || BANK_FACES[toRoom]?.includes(file) === true) return null
  return `the bank's room ${room} may not import ${toRoom}/${file}.`
}

/** The reason that a file may not be where it is; null if it may. */
export function placeBreach(path: string): string | null {
  if (!path.startsWith(GATEWAY)) return null
  const place = placeOf(path)
  if (place.room === '') {
    return ENTRIES.has(place.file) ? null : `${path} is in no room and no entry point.`
  }
  if (!(place.room in ROOMS)) return `${path} is in a room that is not described.`
  const split = SPLIT_BY_CAPABILITY.find((folder) => `${place.folder}/`.startsWith(`${folder}/`))
  if (split === undefined || place.folder === 'adapters/postgres/connection') return null
  const name = place.folder.slice(split.length + 1)
  if (name === '' && isOfFace(place)) return null
  return CAPABILITIES.has(name) ? null : `${path}: ${name} is not a capability that is described.`
}

function packageBreach(path: string, target: string): string | null {
  const [, own = ''] = path.split('/')
  const allowed = PACKAGES[own]
  if (allowed === undefined) return `what the package ${own} may import is not described.`
  if (target.startsWith('.')) {
    const inside = join(dirname(path), target).startsWith(`packages/${own}/src/`)
    return inside ? null : `it leaves the sources of the package ${own}.`
  }
  const [, scoped] = /^@tollgate\/([^/]+)/.exec(target) ?? []
  if (scoped === undefined || allowed.includes(scoped)) return null
  return `the package ${own} may not import the package ${scoped}.`
}

function roomBreach(path: string, target: string): string | null {
  if (!path.startsWith(GATEWAY)) return null
  const from = placeOf(path)
  if (!target.startsWith('.')) {
    const isPure = BUILTINS_EVERYWHERE.has(target) || target.startsWith(KERNEL)
    if (isPure || WORLDLY.has(from.room)) return null
    return `no package may enter ${from.room}.`
  }
  const to = placeOf(join(dirname(path), target))
  if (from.room === '' || from.folder === to.folder) return null
  const mayImport = from.isWire ? (ROOMS['wiring'] ?? []) : (ROOMS[from.room] ?? [])
  const isSlice = to.room === 'portal' && from.room !== 'wiring'
  if (!isSlice && mayImport.includes(to.room)) return null
  const isNeighbour = from.room === to.room && isSplit(from) === isSplit(to)
  const isLent = from.room === 'portal' && (to.room === 'adapters' || to.room === 'http')
  if ((isNeighbour || isLent) && isOfFace(to)) return null
  return `${from.folder} may not import ${to.folder}/${to.file}.`
}

/** Whether a place is split by capability: adapters are rooms of their own but for postgres. */
function isSplit({ folder, room }: Place): boolean {
  return room !== 'adapters' || folder.startsWith('adapters/postgres')
}

function isOfFace({ folder, file }: Place): boolean {
  const face = FACES[folder]
  return face === '*' || (face?.includes(file) ?? false)
}

interface Place {
  /** The first folder; empty for a file beside the rooms. */
  readonly room: string
  /** The unit that has a face: a capability, an adapter, a part of the portal. */
  readonly folder: string
  readonly file: string
  /** Composes one slice, so it may import what wiring may, but no other slice. */
  readonly isWire: boolean
}

function placeOf(path: string): Place {
  const parts = path.slice(GATEWAY.length).split('/')
  const file = (parts.pop() ?? '').replace(/\.ts$/, '')
  const [room = '', inner] = parts
  const isPostgres = room === 'adapters' && inner === 'postgres'
  const folder = parts.slice(0, isPostgres ? 3 : 2).join('/')
  return { room, folder, file, isWire: room === 'portal' && /^wire(?:-|$)/.test(file) }
}

/** Folders of tests that hold what tests need, and mirror nothing. */
const SUPPORT = new Set(['support', 'fixtures'])

/**
 * The reason that a test file of a package may not be where it is; null if it may. Its folder has
 * to exist under `src` too.
 * @param isFolder whether a path from the root of the checkout is a folder
 */
export function testPlaceBreach(path: string, isFolder: (path: string) => boolean): string | null {
  const [, before, inside] = /^(packages\/[^/]+\/)test\/(?:(.*)\/)?[^/]+$/.exec(path) ?? []
  if (before === undefined || inside === undefined) return null
  if (inside.split('/').some((name) => SUPPORT.has(name))) return null
  return isFolder(`${before}src/${inside}`)
    ? null
    : `${path} tests a folder that is not there: ${before}src/${inside}.`
}

/** The code in a wiring file that belongs to the routes of a slice, a sentence each. */
export function wiringBreaches(path: string, text: string): string[] {
  const isWiring = path.startsWith(`${GATEWAY}wiring/`) || path.endsWith('/wire.ts')
  if (!isWiring) return []
  return [
    ...(importsOf(text).includes('zod')
      ? [`${path} has a zod schema; it belongs to the routes.`]
      : []),
    ...(/\bimplement\(/.test(text) ? [`${path} has a route; it belongs to its slice.`] : []),
  ]
}
