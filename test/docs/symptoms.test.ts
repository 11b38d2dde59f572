import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { matchWords, wordsOf } from '../../packages/tollgate/src/command-forms.ts'
import { COMMANDS } from '../../packages/tollgate/src/commands.ts'
import { read } from '../house/source-text.ts'

/** Whether the command line knows a command, with an id for each of its placeholders. */
function isCommand(typed: string): boolean {
  const [program, name, ...words] = typed.replaceAll(/<[A-Z_]+>/g, '1001').split(' ')
  const forms = COMMANDS.find((command) => command.name === name)?.forms ?? []
  return program === 'tollgate' && forms.some((form) => matchWords(wordsOf(form), words) !== null)
}

const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, it]) => `${it}`)

suite('the page of symptoms', () => {
  const rows = read('docs/operators/symptoms.md')
    .split('\n')
    .filter((line) => /^\| [A-Z]/.test(line) && !line.startsWith('| Symptom |'))
    .map((line) => {
      const [symptom = '', metrics = '', command = '', page = ''] = line.split(' | ')
      return { symptom, metrics, command, page }
    })

  test('has twenty symptoms, each with metrics, a command and a page', () => {
    assert.equal(rows.length, 20)
    for (const { symptom, metrics, command, page } of rows) {
      assert.ok(namesIn(metrics).length > 0, symptom)
      assert.ok(
        namesIn(metrics).every((name) => name.startsWith('tollgate_')),
        symptom,
      )
      assert.equal(namesIn(command).length, 1, symptom)
      assert.match(page, /^\[.+\]\(.+\)/, symptom)
    }
  })

  test('names only commands that the command line knows', () => {
    const commands = rows.flatMap(({ command }) => namesIn(command))
    assert.deepEqual(
      commands.filter((command) => !isCommand(command)),
      [],
    )
    assert.ok(!isCommand('tollgate batches lists 1001'))
  })
})
