import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readNetwork, type Network } from '../../../src/domain/webhooks/network.ts'
import {
  addressFault,
  urlFault,
  type OutwardRules,
} from '../../../src/domain/webhooks/outward-rules.ts'

function network(text: string): Network {
  const read = readNetwork(text)
  assert.ok(read, text)
  return read
}

const STRICT: OutwardRules = { allowsLoopback: false, allowed: [], refused: [], ports: [443] }
const TEST: OutwardRules = { ...STRICT, allowsLoopback: true }

const PUBLIC = [
  '93.184.215.14',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
]
const PRIVATE = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.1.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.19.0.1',
  '198.51.100.1',
  '203.0.113.9',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:a00:1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
]
const METADATA = ['169.254.169.254', '100.100.100.200', '168.63.129.16', 'fd00:ec2::254']

test('public addresses are reached, also within IPv6', () => {
  for (const address of PUBLIC) assert.equal(addressFault(address, STRICT), null, address)
})

test('no private, local, reserved or metadata address is reached, however IPv6 spells it', () => {
  for (const address of [...PRIVATE, ...METADATA])
    assert.notEqual(addressFault(address, STRICT), null, address)
})

test('a text that resolvers do not write is no address', () => {
  for (const text of [
    '127.1',
    '010.0.0.1',
    '0x7f.0.0.1',
    '1.2.3.4.5',
    '1::2::3',
    'fe80::1%lo',
    '::1.2.3',
    '12345::',
  ])
    assert.equal(addressFault(text, TEST), 'is no numeric address', text)
})

test('a test site reaches loopback, and no other private address', () => {
  const reached = PRIVATE.filter((address) => addressFault(address, TEST) === null)
  assert.deepEqual(reached, ['127.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])
})

test("the operator's networks decide, except about metadata services", () => {
  const allowed = [network('10.0.0.0/8'), network('169.254.0.0/16'), network('fd00::/8')]
  const rules = { ...STRICT, allowed, refused: [network('10.1.0.0/16'), network('8.8.8.8')] }
  assert.equal(addressFault('10.2.0.1', rules), null)
  assert.equal(addressFault('10.1.0.1', rules), 'is refused by the operator')
  assert.equal(addressFault('8.8.8.8', rules), 'is refused by the operator')
  for (const address of METADATA) assert.notEqual(addressFault(address, rules), null, address)
})

const URL_CASES: readonly (readonly [url: string, strict: RegExp | null, test: RegExp | null])[] = [
  ['https://shop.example/hooks?key=1', null, null],
  ['https://93.184.215.14/', null, null],
  ['https://[2606:4700::1111]/', null, null],
  ['http://shop.example/', /must begin with https/, /must begin with https/],
  ['ftp://shop.example/', /complete/, /complete/],
  ['shop.example/hooks', /complete/, /complete/],
  ['https://user:pass@shop.example/', /no user/, /no user/],
  ['https://shop.example/#a', /no fragment/, /no fragment/],
  ['https://shop.example:8443/', /port 8443/, /port 8443/],
  ['https://10.0.0.1/', /no public address/, /no public address/],
  ['http://127.0.0.1:3000/', /machine itself/, null],
  ['http://localhost:3000/', /https/, null],
  ['https://localhost/', /machine itself/, null],
  ['http://[::1]:3000/', /machine itself/, null],
  // The URL parser of the standard turns each of these into 127.0.0.1.
  ['http://2130706433/', /machine itself/, null],
  ['http://0x7f.1/', /machine itself/, null],
  ['http://017700000001/', /machine itself/, null],
  ['http://127.1/', /machine itself/, null],
  ['http://１２７.0.0.1/', /machine itself/, null],
  ['https://0/', /no public address/, /no public address/],
  ['https://169.254.169.254/latest', /metadata/, /metadata/],
  ['https://[::ffff:169.254.169.254]/', /metadata/, /metadata/],
  ['https://[2002:7f00:1::]/', /no public address/, /no public address/],
  ['https://intranet/', /no public name/, /no public name/],
  ['https://db.internal/', /no public name/, /no public name/],
  ['https://printer.local./', /no public name/, /no public name/],
  ['https://api.localhost/', /no public name/, /no public name/],
]

for (const [url, strict, inTest] of URL_CASES) {
  test(`${url} is ${strict === null ? 'allowed' : 'refused'} for a live site, and ${inTest === null ? 'allowed' : 'refused'} for a test site`, () => {
    for (const [rules, expected] of [
      [STRICT, strict],
      [TEST, inTest],
    ] as const) {
      const fault = urlFault(url, rules)
      if (expected === null) assert.equal(fault, null)
      else assert.match(fault ?? '', expected)
    }
  })
}

test('a local name is allowed where the operator allowed a network', () => {
  const rules = { ...STRICT, allowed: [network('10.0.0.0/8')] }
  assert.equal(urlFault('https://shop.internal/', rules), null)
  assert.match(urlFault('https://localhost/', rules) ?? '', /machine itself/)
})
