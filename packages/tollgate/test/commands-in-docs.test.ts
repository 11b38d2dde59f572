import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { optionsOf, wordsOf } from '../src/command-forms.ts'
import { usageOf } from '../src/command.ts'
import { COMMANDS } from '../src/commands.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const OWN = ['start', 'config', 'help', 'version']
/** Texts that the program prints, and that are no calls of it. */
const PRINTED = /^(?:ready|audit log)\b/

const documents = [
  'README.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => `docs/${String(name)}`)
    .filter((name) => name.endsWith('.md')),
]

/** The commands that a document names: in `code`, and behind the prompt of a block. */
function mentions(text: string): string[] {
  return [...text.matchAll(/(?:`|^\$ )tollgate ((?:[a-z-]+)(?: [^`\n]*)?)(?:`|$)/gm)]
    .map(([, call = '']) => call.replace(/ [<>|] .*$/, ''))
    .filter((call) => !PRINTED.test(call))
}

/** The error in a mention; null for none. */
function fault(call: string): string | null {
  const [name = '', first = '', ...rest] = call.split(/\s+/)
  if (OWN.includes(name)) return null
  const command = COMMANDS.find((one) => one.name === name)
  if (command === undefined) return `there is no command ${name}`
  const options = command.forms.flatMap(optionsOf).map((option) => `--${option.name}`)
  const unknown = [first, ...rest]
    .map((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1])
    .find((option) => option !== undefined && option !== '--help' && !options.includes(option))
  if (unknown !== undefined) return `${name} has no option ${unknown}`
  const isWord = /^[a-z-]+$/.test(first) && !first.startsWith('-')
  const fits = command.forms.some((form) => wordsOf(form)[0]?.fits(first) ?? false)
  return isWord && !fits ? `${name} has no form that begins with ${first}` : null
}

suite('the commands', () => {
  test('every command that a document calls is in the table, with that word and those options', () => {
    const all = documents.flatMap((path) =>
      mentions(readFileSync(join(root, path), 'utf8')).map((call) => ({ path, call })),
    )
    assert.ok(all.length > 50, `only ${all.length} calls were found`)
    assert.deepEqual(
      all.flatMap(({ path, call }) => {
        const wrong = fault(call)
        return wrong === null ? [] : [`${path}: tollgate ${call}: ${wrong}`]
      }),
      [],
    )
  })

  test('the check bites: another command, another word and another option', () => {
    for (const call of ['user list', 'audit print', 'users list --jsn', 'links put a --force']) {
      assert.notEqual(fault(call), null, call)
    }
    assert.equal(fault('users list --json'), null)
    assert.deepEqual(mentions('run `tollgate keys rotate`'), ['keys rotate'])
  })

  test('each has forms with a line of help, and a usage without a repeated line', () => {
    for (const command of COMMANDS) {
      assert.ok(
        command.forms.every(({ help }) => help !== ''),
        command.name,
      )
      const usage = usageOf(command)
      assert.equal(new Set(usage).size, usage.length, command.name)
    }
  })
})
