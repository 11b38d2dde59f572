import { mayDo, RIGHTS, ROLES, type Right, type Role } from '@tollgate/portal-contract/rights'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { emailFault } from '../../../../src/portal/shell/domain/email-address.ts'
import { nameFault } from '../../../../src/portal/shell/domain/portal-user-name.ts'
import { nextStep } from '../../../../src/portal/shell/domain/sign-in-steps.ts'
import { changeFault, roleFault } from '../../../../src/portal/users/domain/portal-user-changes.ts'

const roles = Object.keys(ROLES) as Role[]

test('no user changes their own role, and only an owner grants or removes the rights of owners', () => {
  for (const actor of roles) {
    assert.notEqual(changeFault({ id: 1n, role: actor }, { id: 1n, role: actor }, 'owner'), null)
    for (const target of roles) {
      for (const to of roles) {
        const touchesOwner = target === 'owner' || to === 'owner'
        const fault = changeFault({ id: 1n, role: actor }, { id: 2n, role: target }, to)
        assert.equal(
          fault === null,
          actor === 'owner' || !touchesOwner,
          `${actor} makes ${target} ${to}`,
        )
      }
    }
    assert.equal(roleFault(actor, 'owner') === null, actor === 'owner')
  }
})

test("the next step of a sign-in follows from the account and the merchant's policy", () => {
  const policy = { secondFactorRequired: false, passwordDays: 90, idleDays: 90 }
  const fresh = { secondFactor: false, codeVerified: false, passwordAgeDays: 0 }

  assert.equal(nextStep(fresh, policy), null)
  assert.equal(nextStep(fresh, { ...policy, secondFactorRequired: true }), 'second_factor')
  assert.equal(nextStep({ ...fresh, passwordAgeDays: 90 }, policy), 'password')
  assert.equal(nextStep({ ...fresh, passwordAgeDays: 9_000 }, { ...policy, passwordDays: 0 }), null)
  assert.equal(nextStep({ ...fresh, secondFactor: true, passwordAgeDays: 90 }, policy), 'code')
  assert.equal(
    nextStep({ secondFactor: true, codeVerified: true, passwordAgeDays: 9_000 }, policy),
    null,
  )
})

test('names and addresses hold neither line breaks nor possible card numbers', () => {
  for (const name of ['Anna-Lena O’Neill', 'نورة ٢']) assert.equal(nameFault(name), null, name)
  assert.equal(emailFault('anna.o+shop@shop.example'), null)
  for (const name of [
    '',
    ' ',
    'a\nb',
    'a\u202Eb',
    'x'.repeat(101),
    '4111 1111 1111 1111',
    '٤١١١١١١١١١١١١١١١',
  ])
    assert.notEqual(nameFault(name), null, name)
  for (const email of [
    'a',
    'a@b',
    'A@shop.example',
    'a b@shop.example',
    'a@shop.example\n',
    '4111111111111111@shop.example',
  ]) {
    assert.notEqual(emailFault(email), null, email)
  }
})

test('docs/portal/users.md has the table of roles as the code has it', () => {
  const page = readFileSync(
    new URL('../../../../../../docs/portal/users.md', import.meta.url),
    'utf8',
  )
  const wanted = (Object.entries(RIGHTS) as [Right, string][]).map(
    ([right, text]) =>
      `| ${text} | ${roles.map((role) => (mayDo(role, right) ? 'yes' : '')).join(' | ')} |`,
  )
  assert.deepEqual(
    page.split('\n').filter((line) => wanted.includes(line)),
    wanted,
  )
})
