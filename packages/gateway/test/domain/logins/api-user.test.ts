import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  decideActive,
  decideNetworkCount,
  decideNetworkList,
  decideNetworks,
  decideNewPassword,
  decideNewUser,
  decideRetirement,
  nameOfMerchant,
  rememberedHashes,
  type StoredPassword,
} from '../../../src/domain/logins/api-user.ts'

const password = (number: number, place: 1 | 2, isRetired = false): StoredPassword => ({
  number,
  place,
  hash: `hash ${number}`,
  isRetired,
})

suite('the merchant in the name of an API user', () => {
  const merchants = [
    { id: 2n, name: 'Bees' },
    { id: 12n, name: 'Wasps' },
  ]

  test('a name gets the ending of its merchant once, also behind the ending of another', () => {
    assert.equal(nameOfMerchant('shop', 2n), 'shop#2')
    assert.equal(nameOfMerchant('shop#2', 2n), 'shop#2')
    assert.equal(nameOfMerchant('shop#12', 2n), 'shop#12#2')
    assert.equal(nameOfMerchant('shop#2', 12n), 'shop#2#12')
  })

  test('no merchant gets a user with the ending of another, by an operator either', () => {
    for (const name of ['shop#12', 'shop#02', 'shop#2#12', 'shop#99']) {
      const refusal = decideNewUser(name, 2n, merchants)
      assert.match(refusal?.faults.join() ?? '', /number of another merchant/, name)
    }
    for (const name of ['shop', 'shop#2', 'shop#12#2', 'shop#x', '#12-shop']) {
      assert.equal(decideNewUser(name, 2n, merchants), null, name)
    }
  })
})

suite('passwords of an API user', () => {
  const places: readonly (readonly [
    name: string,
    passwords: readonly StoredPassword[],
    number: number,
    place: number,
    alongside: string | null,
  ])[] = [
    ['the first', [], 1, 1, null],
    ['a second beside the first', [password(1, 1)], 2, 2, 'hash 1'],
    ['one beside that of the second place', [password(2, 2), password(1, 1, true)], 3, 1, 'hash 2'],
    ['one after all were retired', [password(2, 2, true), password(1, 1, true)], 3, 1, null],
  ]
  for (const [name, passwords, number, place, alongside] of places) {
    test(`a new password has its number and the free place: ${name}`, () => {
      assert.deepEqual(decideNewPassword('shop', passwords), { ok: true, number, place, alongside })
    })
  }

  test('a third live password is refused, and both valid ones are named', () => {
    const decided = decideNewPassword('shop', [
      password(7, 2),
      password(5, 1),
      password(4, 1, true),
    ])
    assert.ok(!decided.ok)
    assert.equal(decided.kind, 'conflict')
    assert.match(decided.faults.join(), /two live passwords already, numbers 5 and 7/)
  })

  test('the last four are remembered, retired or not', () => {
    const all = [5, 4, 3, 2, 1].map((number) => password(number, 1, number < 5))
    assert.deepEqual(rememberedHashes(all), ['hash 5', 'hash 4', 'hash 3', 'hash 2'])
  })

  test('a live password is retired, and those that stay are named', () => {
    const passwords = [password(3, 2), password(2, 1), password(1, 1, true)]
    assert.deepEqual(decideRetirement('shop', passwords, 2), { ok: true, live: [3] })
    for (const number of [1, 9]) {
      const decided = decideRetirement('shop', passwords, number)
      assert.ok(!decided.ok)
      assert.deepEqual(
        [decided.kind, decided.faults],
        ['missing', [`shop has no live password ${number}; it has live passwords: 2, 3.`]],
      )
    }
  })
})

suite('an API user', () => {
  const merchants = [{ id: 1n, name: 'Shop' }]

  test('a name of 3 to 64 characters is accepted, for an existing merchant', () => {
    assert.equal(decideNewUser('shop@example.com', 1n, merchants), null)
    assert.equal(decideNewUser('a'.repeat(64), 1n, merchants), null)
    for (const name of ['ab', 'a'.repeat(65), 'with blank', 'ümlaut', '4111-1111-1111-1111']) {
      assert.equal(decideNewUser(name, 1n, merchants)?.field, 'name', name)
    }
    assert.match(
      decideNewUser('shop', 7n, merchants)?.faults.join() ?? '',
      /no merchant 7\. There are: 1 \(Shop\)/,
    )
  })

  test('only a change of state is done, and an idle user may be enabled and disabled', () => {
    const refusals = (['enabled', 'disabled', 'idle'] as const).map((state) =>
      [true, false].map((active) => decideActive('shop', state, active)?.kind ?? null),
    )
    assert.deepEqual(refusals, [
      ['conflict', null],
      [null, 'conflict'],
      [null, null],
    ])
  })

  test('networks are replaced where they equal the seen ones, or where none were seen', () => {
    const before = ['192.0.2.0/24', '198.51.100.7/32']
    assert.equal(decideNetworks('shop', before, null), null)
    assert.equal(decideNetworks('shop', before, [...before]), null)
    const refusal = decideNetworks('shop', before, ['192.0.2.0/24'])
    assert.deepEqual([refusal?.kind, refusal?.code], ['conflict', 'changed_meanwhile'])
  })

  test('networks are kept once each, and every invalid text is named', () => {
    const network = (text: string, found: string | null) => ({ text, network: found })
    assert.deepEqual(
      decideNetworkList([
        network('192.0.2.7', '192.0.2.7/32'),
        network('192.0.2.7/32', '192.0.2.7/32'),
      ]),
      { ok: true, networks: ['192.0.2.7/32'] },
    )
    const decided = decideNetworkList([
      network('a', null),
      network('::', '::/128'),
      network('b', null),
    ])
    assert.ok(!decided.ok)
    assert.deepEqual([decided.field, decided.faults.length], ['networks', 2])
  })

  test('a hundred networks are kept, and no more', () => {
    assert.equal(decideNetworkCount(100), null)
    assert.equal(decideNetworkCount(101)?.kind, 'invalid')
  })
})
