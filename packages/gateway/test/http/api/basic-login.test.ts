import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBasicLogin } from '../../../src/http/api/basic-login.ts'

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`
}

test('a login has the user name before the first colon and the password behind it', () => {
  const login = readBasicLogin(basic('shop@example.com:a:b£'))
  assert.equal(login?.username, 'shop@example.com')
  assert.equal(login?.password.reveal(), 'a:b£')
})

test('the scheme is read in any case', () => {
  assert.equal(readBasicLogin(basic('a:b').replace('Basic', 'bAsIc'))?.username, 'a')
})

for (const header of [
  undefined,
  '',
  'Basic',
  'Basic ***',
  `Bearer ${Buffer.from('a:b').toString('base64')}`,
  basic('no colon'),
  basic(':password'),
]) {
  test(`the header ${JSON.stringify(header)} is no login`, () => {
    assert.equal(readBasicLogin(header), null)
  })
}
