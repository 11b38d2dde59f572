import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nearestName, wordsOf } from '../src/command-forms.ts'
import { runCommand, usageOf, WrongUsage, type Command } from '../src/command.ts'
import { COMMANDS } from '../src/commands.ts'
import type { Terminal } from '../src/terminal.ts'

const seen: string[] = []
const tell =
  (what: string) =>
  (given: Parameters<Command<Terminal>['forms'][number]['run']>[0]): number => {
    const { word, words, option, options, has } = given
    seen.push(
      `${what} ${word('name')} ${words('network').join('+')} ${option('role') ?? ''} ${options('head').join('+')} ${has('json')}`,
    )
    return 0
  }

const COMMAND: Command<Terminal> = {
  name: 'users',
  summary: 'who may come in',
  forms: [
    { words: '[list]', options: ['[--json]'], help: 'lists them', run: tell('list') },
    { words: 'add <merchant> <name>', options: ['[--role a|b]'], help: 'adds', run: tell('add') },
    { words: 'allow <name> everywhere', help: 'lifts', run: tell('lift') },
    { words: 'allow <name> <network>...', help: 'allows', run: tell('allow') },
    { words: 'check', options: ['--head <N>...'], help: 'checks', run: tell('check') },
    {
      words: 'disable|enable <name>',
      help: 'switches',
      run: ({ word }) => {
        throw new WrongUsage(`no ${word('disable|enable')}`)
      },
    },
  ],
}

async function run(line: string) {
  seen.length = 0
  const printed: string[] = []
  const complained: string[] = []
  const code = await runCommand(COMMAND, line === '' ? [] : line.split(' '), {
    print: (text) => void printed.push(text),
    complain: (text) => void complained.push(text),
  })
  return { code, seen: seen.join(';'), printed, complaint: complained.join('\n') }
}

suite('the arguments of a command are read by its forms', () => {
  for (const [line, expected] of [
    ['', 'list     false'],
    ['list --json', 'list     true'],
    ['add 1 shop --role b', 'add shop  b  false'],
    ['--role=a add 1 shop', 'add shop  a  false'],
    ['allow shop everywhere', 'lift shop    false'],
    ['allow shop 10.0.0.0/8 ::1', 'allow shop 10.0.0.0/8+::1   false'],
  ] as const) {
    test(`"${line}" is ${expected}`, async () => {
      assert.deepEqual([(await run(line)).seen, (await run(line)).code], [expected, 0])
    })
  }

  for (const [line, fault] of [
    ['lsit', 'Unknown word "lsit". Did you mean "list"?'],
    ['list --jsn', 'Unknown option --jsn. Did you mean --json?'],
    ['list --colour', 'Unknown option --colour.'],
    ['list --role a', '--role is not valid here.'],
    ['list --json --json', '--json may be given only once.'],
    ['add 1 shop --role', '--role needs a value: a|b.'],
    ['add 1 shop --role c', '--role is "c"; expected a or b.'],
    ['list --json=1', '--json takes no value.'],
    ['check', '--head is missing.'],
    ['disable shop', 'no disable'],
    ['add first shop', null],
    ['allow shop', null],
    ['allow shop 10.0.0.0/8 everywhere', null],
    ['list more', null],
  ] as const) {
    test(`"${line}" is refused with the usage`, async () => {
      const { code, seen: ran, complaint } = await run(line)
      assert.deepEqual([code, ran], [1, ''])
      const expected = [...usageOf(COMMAND), ...(fault === null ? [] : [fault])]
      assert.equal(complaint, expected.join('\n'))
    })
  }

  test('the usage has a line for each form, and help describes each one', async () => {
    assert.equal(usageOf(COMMAND).length, COMMAND.forms.length)
    assert.equal(usageOf(COMMAND)[0], 'Usage: tollgate users [list] [--json]')
    const { code, printed } = await run('add --help')
    assert.equal(code, 0)
    assert.equal(printed[0], 'tollgate users: who may come in')
    for (const { words, help } of COMMAND.forms) {
      assert.ok(printed.some((line) => line.includes(`tollgate users ${words}`)))
      assert.ok(printed.includes(`      ${help}`))
    }
  })
})

test('an id in the arguments of a command is a number', () => {
  const ids = COMMANDS.flatMap(({ forms }) => forms.flatMap(wordsOf)).filter(
    ({ key }) => key.endsWith('_ID') && key !== 'PRODUCT_ID',
  )
  assert.ok(ids.length > 20)
  assert.deepEqual(
    ids.filter(({ fits }) => fits('12x') || !fits('12')).map(({ key }) => key),
    [],
  )
})

test('a name is near another one by two letters at most', () => {
  assert.equal(nearestName('strat', ['start', 'config']), 'start')
  assert.equal(nearestName('vreify', ['verify']), 'verify')
  assert.equal(nearestName('zzz', ['start']), null)
  assert.equal(nearestName('x', ['y']), null)
})
