import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filesUnder, read } from './source-text.ts'

const FOLDER = 'docs/decisions'

/** The faults of a set of records, a sentence each. Paths are relative to their folder. */
function faultsOf(records: Readonly<Record<string, string>>, index: string): string[] {
  const names = Object.keys(records).sort()
  return names.flatMap((name, at) => {
    const number = name.slice(0, 4)
    const text = records[name] ?? ''
    const title = /^# (.+)$/m.exec(text)?.[1] ?? ''
    const date = /^Date: \d{4}-\d\d-\d\d\. Status: (proposed|accepted|replaced by \d{4})\.$/m
    const parts = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1])
    return [
      ...(number === String(at + 1).padStart(4, '0') ? [] : [`${name}: number ${at + 1} is next`]),
      ...(title.startsWith(`${number}. `) ? [] : [`${name}: its title has another number`]),
      ...(date.test(text) ? [] : [`${name}: no date and status`]),
      ...(parts.join() === 'Context,Choice,Cost' ? [] : [`${name}: not context, choice and cost`]),
      ...(index.includes(`- [${title}](${name})\n`)
        ? []
        : [`${name}: not in the index by its title`]),
    ]
  })
}

test('decision records are numbered without a gap, complete, and in the index', () => {
  const paths = filesUnder(FOLDER, '.md').filter((path) => /\/\d{4}-[a-z0-9-]+\.md$/.test(path))
  assert.ok(paths.length > 20, 'the walk found no records')
  const records = Object.fromEntries(
    paths.map((path) => [path.slice(FOLDER.length + 1), read(path)]),
  )
  const index = read(`${FOLDER}/README.md`)
  assert.deepEqual(faultsOf(records, index), [])
  assert.equal(index.match(/^- \[/gm)?.length, paths.length, 'the index has a line too many')
})

test('the guard bites: a number twice, a part that is missing, a record that is not listed', () => {
  const good =
    '# 0001. A\n\nDate: 2026-11-22. Status: accepted.\n\n## Context\n## Choice\n## Cost\n'
  const index = '- [0001. A](0001-a.md)\n'
  assert.deepEqual(faultsOf({ '0001-a.md': good }, index), [])
  assert.deepEqual(faultsOf({ '0001-a.md': good, '0001-b.md': good }, index), [
    '0001-b.md: number 2 is next',
    '0001-b.md: not in the index by its title',
  ])
  assert.deepEqual(faultsOf({ '0001-a.md': '# 0002. A\n## Context\n' }, index), [
    '0001-a.md: its title has another number',
    '0001-a.md: no date and status',
    '0001-a.md: not context, choice and cost',
    '0001-a.md: not in the index by its title',
  ])
})
