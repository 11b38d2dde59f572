import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { customerIp } from '../../../src/domain/card-testing/customer-ip.ts'

const READ = [
  ['198.51.100.7', '198.51.100.7'],
  [' 198.51.100.7 ', '198.51.100.7'],
  ['172.32.0.1', '172.32.0.1'],
  ['100.128.0.1', '100.128.0.1'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['::FFFF:C633:6407', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['2a02::1:0:0:0:1', '2a02:0:0:1::/64'],
] as const

for (const [text, expected] of READ) {
  test(`"${text}" counts as the customer ${expected}`, () => {
    assert.equal(customerIp(text), expected)
  })
}

const NOBODY = [
  '',
  'unknown',
  '10.0.0.1',
  '127.0.0.1',
  '0.0.0.0',
  '169.254.1.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '224.0.0.1',
  '255.255.255.255',
  '198.51.100',
  '198.51.100.256',
  '198.51.100.07',
  '198.51.100.7.',
  '198.51.100.7:443',
  '1.1',
  '3325256711',
  '::',
  '::1',
  'fe80::1',
  'fd00::1',
  'ff02::1',
  '::ffff:10.0.0.1',
  '2001:db8::1%eth0',
  '2001:db8:::1',
  ':',
  '[2001:db8::1]',
  '198.51.100.7, 10.0.0.1',
  'http://198.51.100.7',
]

for (const text of NOBODY) {
  test(`"${text}" is no customer's address`, () => {
    assert.equal(customerIp(text), null)
  })
}

test('two addresses of IPv6 count as one customer exactly when their first 64 bits are equal', () => {
  const half = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 })
  const network = half.map(([, ...rest]) => [0x2a00, ...rest])
  const text = (groups: readonly number[]): string =>
    groups.map((group) => group.toString(16)).join(':')
  fc.assert(
    fc.property(network, network, half, half, (a, b, x, y) => {
      const [one, other] = [customerIp(text([...a, ...x])), customerIp(text([...b, ...y]))]
      assert.ok(one !== null && other !== null)
      assert.equal(one === other, text(a) === text(b))
    }),
  )
})

test('no text at all makes it fail', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => {
      const address = customerIp(text)
      assert.ok(address === null || customerIp(address.replace('/64', '')) === address)
    }),
  )
})
