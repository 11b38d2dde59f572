import { MARKED_USER } from '../marked-user.ts'
import { card, OPERATOR_PASSWORD, PASSWORD } from '../marks.ts'
import { inTurn, type Path } from '../path.ts'
import type { ProgramRun } from '../program-run.ts'

const AT_ONCE = 4

/**
 * The arguments of an operator's commands, right and wrong, with their files and standard input.
 */
export const commands: Path = {
  name: 'commands of an operator',
  seen: [],
  async push(run) {
    const number = card('command')
    const typed = [
      ...general(number),
      ...audit(run, number),
      ...linksAndAccounts(run, number),
      ...merchants(number),
      ...sites(number),
      ...cardTesting(run, number),
      ...keys(number),
      ...users(number),
      ...portalUsers(number),
      ...operators(number),
      ...catalogueAndClock(number),
      ...webhooks(number),
      ...mails(number),
      ...ids(card('commandId')),
      ...databases(number),
    ]
    const backup = await run.command('backup', 'create')
    if (backup.code !== 0) throw new Error(`There is no backup to search: ${backup.output}`)
    await inTurn(AT_ONCE, typed.values(), (args) => run.command(...args))
    await inTurn(AT_ONCE, passwords(number).values(), ([input, ...args]) =>
      run.commandWithInput(input, ...args),
    )
  },
}

type Typed = readonly string[]

function portalUsers(number: string): Typed[] {
  return [
    ['portal-users'],
    ['portal-users', 'list', '--json'],
    ['portal-users', 'add', '1', number, 'owner', number],
    ['portal-users', 'add', '1', 'typed@tollgate.test', number, number],
    ['portal-users', 'add', '1', 'typed@tollgate.test', 'owner', number],
    ['portal-users', 'reset', number],
    ['portal-users', 'disable', number],
    ['portal-users', number],
  ]
}

function operators(number: string): Typed[] {
  return [
    ['operators'],
    ['operators', 'list', '--json'],
    ['operators', 'invite', number, 'owner', number],
    ['operators', 'invite', 'typed@tollgate.test', number, number],
    ['operators', 'invite', 'typed@tollgate.test', 'owner', number],
    ['operators', 'role', number, number],
    ['operators', 'role', 'typed@tollgate.test', number],
    ['operators', 'reset', number],
    ['operators', 'disable', number],
    ['operators', number],
  ]
}

function general(number: string): Typed[] {
  return [
    ['config'],
    ['help'],
    ['verify'],
    ['queue', '--json'],
    ['recon', '--json'],
    ['links'],
    [number],
    ['verify', number],
  ]
}

function databases(number: string): Typed[] {
  return [
    ['migrate', 'status'],
    ['migrate', '--serving-role', number],
    ['migrate', number],
    ['backup', 'list'],
    ['backup', 'check', number],
    ['backup', 'prune', '--keep', number],
    ['restore', '--to', number],
    ['restore', number],
  ]
}

function audit(run: ProgramRun, number: string): Typed[] {
  return [
    ['audit', 'verify'],
    ['audit', 'export'],
    ['audit', 'show', '--object', number],
    ['audit', 'show', '--operation', number],
    ['audit', 'show', '--last', number],
    ['audit', 'export', '--since', number],
    ['audit', 'verify', '--head', `${number}:${number}`],
    ['audit', 'verify', '--file', number],
    ['audit', 'verify', '--file', run.file('log.jsonl', `${number}\n`)],
    [
      'audit',
      'verify',
      '--file',
      run.file('entry.jsonl', `{"number":${number},"at":"${number}"}\n`),
    ],
  ]
}

function linksAndAccounts(run: ProgramRun, number: string): Typed[] {
  const account = {
    id: 2001,
    merchantId: 1,
    mode: 'test',
    processorName: `bank ${number}`,
    acquirerId: '414000',
    acquirerMerchantId: number.slice(0, 15),
    categoryCode: '5999',
    name: number,
    city: 'x',
    country: 'US',
    currencies: ['USD'],
  }
  const link = {
    name: 'canary',
    mode: 'test',
    addresses: [number],
    profile: number,
    institutionId: number,
    tls: number,
  }
  return [
    ['links', 'put', number],
    ['links', 'put', run.file('link.json', JSON.stringify(link))],
    ['accounts', 'put', run.file('account.json', JSON.stringify(account))],
    ['accounts', 'put', run.file('torn.json', `{"id": ${number}, "password": "${PASSWORD}`)],
  ]
}

function merchants(number: string): Typed[] {
  return [
    ['merchants', '--json', '--operator', number],
    ['merchants', '--json', '--operator', 'typed'],
    ['merchants', 'create', number],
    ['merchants', 'create', 'Typed', '--id', number],
    ['merchants', 'create', 'Typed', '--time-zone', number],
    ['merchants', 'rename', '2', `Shop ${number}`],
    ['merchants', 'disable', '2', '--reason', `card ${number}`],
    ['sites', 'create', '1', number],
    ['sites', 'create', '1', 'Typed', '--id', number],
    ['sites', 'create', '1', 'Typed', '--currency', number],
    ['sites', 'rename', '1002', number],
    ['accounts', 'limit', '2002', 'USD', '--payment', number],
    ['accounts', 'limit', '2002', 'USD', '--day', `${number}.00`],
    ['accounts', 'limit', '2002', number, '--day', '5'],
    ['accounts', 'countries', '2002', 'allow', number],
  ]
}

function sites(number: string): Typed[] {
  const parted = number.replace(/(.{4})(?!$)/g, '$1-')
  return [
    ['sites', 'set-mode', number, 'live'],
    ['sites', 'key', '1001'],
    ['sites', 'key', '1003', 'new'],
    ['sites', 'key', number, 'new'],
    ['sites', 'key', '1002', OPERATOR_PASSWORD],
    ['sites', 'origins', '1001', number],
    ['sites', 'origins', '1001', `https://${number}.example`],
    ['sites', 'origins', '1001', `https://shop.example`, `https://${parted}.example`],
    ['sites', 'origins', '1001', `https://shop.example:${number}`],
  ]
}

function cardTesting(run: ProgramRun, number: string): Typed[] {
  const rule = {
    name: `r${number}`,
    subject: 'card',
    counts: 'declines',
    limit: 3,
    windowSeconds: 60,
    code: 503,
  }
  const rules = run.file('rules.json', JSON.stringify({ rules: [rule], exceptAddresses: [number] }))
  const torn = run.file('rules-torn.json', `{"rules": [{"name": "${number}`)
  return [
    ['card-testing', 'show', number],
    ['card-testing', 'show', '1001'],
    ['card-testing', 'put', '1001', rules],
    ['card-testing', 'put', '1001', torn],
    ['card-testing', 'put', '1001', number],
    ['card-testing', 'try', '1001', rules],
    ['card-testing', 'try', '1001', torn, number],
    ['card-testing', 'mode', '1001', number],
    ['card-testing', 'mode', '1001', 'watch'],
  ]
}

/** The path of the vault covers successful operations on keys and exports. */
function keys(number: string): Typed[] {
  return [
    ['keys', 'list'],
    ['keys', 'rewrap'],
    ['keys', 'rotate', number],
    ['keys', 'destroy', number],
    ['keys', 'destroy', '1', '--unreadable-cards', number],
    ['vault', 'export', number],
  ]
}

function users(number: string): Typed[] {
  return [
    ['users', '--json'],
    ['users', number],
    ['users', 'add', number, 'canary-2@tollgate.test'],
    ['users', 'add', '1', number],
    ['users', 'add', '1', `shop-${number}@tollgate.test`],
    ['users', 'add', '1', 'canary-2@tollgate.test', OPERATOR_PASSWORD],
    ['users', 'password', number, 'new'],
    ['users', 'password', MARKED_USER, OPERATOR_PASSWORD],
    ['users', 'password', MARKED_USER, 'retire', number],
    ['users', 'allow', MARKED_USER, number],
    ['users', 'allow', number, 'everywhere'],
    ['users', 'disable', number],
  ]
}

function catalogueAndClock(number: string): Typed[] {
  return [
    ['products', number],
    ['products', '1001', 'add', number],
    ['products', '1001', 'add', 'bees', '--type', number, '--price', number, '--currency', number],
    ['clock', '1001', 'jump', number],
    ['clock', '1001', 'step', number],
    ['clock', '1001', 'speed', number],
    ['three-ds', '1001', '--return-hosts', number],
    ['ids', 'advance', '--by', number],
    ['settlement', 'source', '2001', ...sourceOf(number)],
    ['settlement', 'differences', 'note', '1', number],
    ['help', number],
  ]
}

/** Addresses that a merchant typed, and what names events and deliveries. */
function webhooks(number: string): Typed[] {
  const address = 'https://shop.example/webhooks'
  return [
    ['webhooks', 'add', '1001', `https://shop.example/${number}`],
    ['webhooks', 'add', '1001', `${address}?card=${number}`],
    ['webhooks', 'add', '1001', address, '--types', number],
    ['webhooks', 'add', number, address],
    ['webhooks', 'change', '1', '--url', number],
    ['webhooks', 'log', '1', '--state', number],
    ['webhooks', 'resend', '1', '--event', number, '--since', number],
  ]
}

/** Texts, names and addresses of mails. */
function mails(number: string): Typed[] {
  return [
    ['mail', 'set', '1001', '--kinds', number],
    ['mail', 'set', '1001', '--sender-name', number],
    ['mail', 'set', '1001', '--reply-to', `${number}@shop.example`],
    ['mail', 'set', '1001', '--kinds', 'receipt,refund_receipt', '--test-mail', 'on'],
    ['mail', 'template', '1001', 'receipt', '--subject', number, '--text', '/dev/null'],
    ['mail', 'template', '1001', number, '--built-in'],
    ['mail', 'preview', '1001', number],
    ['mail', 'test', '1001', 'receipt', '--to', `${number}@shop.example`],
    ['mail', 'log', '1001', '--state', number],
    ['mail', 'notices', number, '--kinds', number],
  ]
}

/** A card number of 15 digits passes for an id, so the database answers that it does not exist. */
function ids(number: string): Typed[] {
  return [
    ['batches', 'list', number],
    ['batches', 'close', number],
    ['batches', 'show', number],
    ['retention', 'erase-customer', number],
    ['settlement', 'show', number],
    ['clock', number, 'stop'],
    ['card-testing', 'show', number],
    ['card-testing', 'mode', number, 'watch'],
    ['portal-users', 'add', number, 'typed@tollgate.test', 'owner', 'Typed'],
    ['products', number],
    ['sites', 'key', number],
    ['sites', 'origins', number],
    ['sites', 'set-mode', number, 'live'],
    ['sites', 'show', number],
    ['sites', 'create', number, 'Typed'],
    ['merchants', 'show', number],
    ['merchants', 'create', 'Typed', '--id', number],
    ['merchants', 'enable', number],
    ['accounts', 'show', number],
    ['accounts', 'limit', number, 'USD', '--day', '5'],
    ['three-ds', number],
    ['users', 'add', number, 'typed@tollgate.test'],
    ['users', 'password', MARKED_USER, 'retire', number],
  ]
}

/** The options of a source of settlement files, each with the number. */
function sourceOf(number: string): string[] {
  const names = ['--sender', number, '--receiver', number, '--account', number]
  return ['--currency', 'USD', ...names, '--since', '2026-11-19', '--fx-band', '0']
}

/** The first lines of standard input. */
function passwords(number: string): (readonly [string, ...string[]])[] {
  return [
    [`${OPERATOR_PASSWORD}\n`, 'users', 'add', '1', 'canary-3@tollgate.test', '--stdin'],
    [`${number}\n`, 'users', 'add', '1', 'canary-4@tollgate.test', '--stdin'],
    [`${OPERATOR_PASSWORD}\n`, 'users', 'add', number, 'canary-5@tollgate.test', '--stdin'],
    [`${OPERATOR_PASSWORD}\n${number}\n`, 'users', 'password', MARKED_USER, 'new', '--stdin'],
    [`${OPERATOR_PASSWORD}\n`, 'users', 'password', MARKED_USER, 'new', '--stdin'],
    [`${PASSWORD}\n`, 'users', 'password', number, 'new', '--stdin'],
  ]
}
