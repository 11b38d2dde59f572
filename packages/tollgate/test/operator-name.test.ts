import assert from 'node:assert/strict'
import { hostname, userInfo } from 'node:os'
import { test } from 'node:test'
import { operatorActor } from '../../gateway/src/wiring/operator-actor.ts'
import { takeOperator } from '../src/operator-name.ts'

const { username } = userInfo()
const nothing = (): Record<string, string> => ({})

test('a command without a name acts for the system user, and one with that name as well', () => {
  assert.deepEqual(takeOperator(['list'], nothing), ['list'])
  assert.equal(operatorActor(), `operator:${username}@${hostname()}`)
  takeOperator([], () => ({ TOLLGATE_OPERATOR: username }))
  assert.equal(operatorActor(), `operator:${username}@${hostname()}`)
})

test('a command acts for the operator of its option, else for that of the environment', () => {
  const env = (): Record<string, string> => ({ TOLLGATE_OPERATOR: 'bob' })
  assert.deepEqual(takeOperator(['disable', '7'], env), ['disable', '7'])
  assert.equal(operatorActor(), `operator:bob/${username}@${hostname()}`)
  for (const args of [
    ['--operator', 'anna@pay.example', 'disable', '7', '--reason', 'x'],
    ['disable', '7', '--operator=anna@pay.example', '--reason', 'x'],
    ['disable', '7', '--reason', 'x', '--operator', 'anna@pay.example'],
  ])
    assert.deepEqual(takeOperator(args, env), ['disable', '7', '--reason', 'x'])
  assert.equal(operatorActor(), `operator:anna@pay.example/${username}@${hostname()}`)
})

test('a command is refused before it does anything if the name of its operator is missing or odd', () => {
  for (const args of [
    ['list', '--operator'],
    ['--operator=', 'list'],
  ])
    assert.throws(() => takeOperator(args, nothing), /--operator needs a value/)
  for (const name of ['an na', '-anna', 'a/b', 'x'.repeat(65), '4111111111111111', 'a\nb'])
    assert.throws(
      () => takeOperator(['--operator', name], nothing),
      /expected 1 to 64 letters, .* Nothing was changed\./s,
      name,
    )
  assert.throws(() => takeOperator([], () => ({ TOLLGATE_OPERATOR: 'a b' })), /"a b"; expected/)
})

test('an argument behind the end of the options is no name of an operator', () => {
  assert.deepEqual(takeOperator(['--', '--operator', 'x'], nothing), ['--', '--operator', 'x'])
})
