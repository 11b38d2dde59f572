import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVIDENCE_PARTS } from '../../packages/tollgate/src/evidence/evidence-parts.ts'
import { read, root } from './source-text.ts'

const OWN_RECORDS = 'own records'
/** The requirements of the standard, by their first number. */
const REQUIREMENTS = Array.from({ length: 12 }, (_, at) => String(at + 1))

/** Rows of the table under a heading, cells without the blanks around them. */
function rowsUnder(text: string, heading: string): string[][] {
  const part = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const lines = part.split('\n').filter((line) => line.startsWith('| '))
  return lines.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** The faults of the table of requirements, a sentence each. */
function faultsIn(
  rows: readonly (readonly string[])[],
  isThere: (path: string) => boolean,
): string[] {
  return rows.flatMap(([requirement = '', , where = '', shownBy = '']) => {
    const places = pathsIn(where)
    const tests = pathsIn(shownBy)
    return [
      ...(places.length === 0 ? [`${requirement}: no place is named.`] : []),
      ...(tests.length === 0 ? [`${requirement}: nothing shows it.`] : []),
      ...[...places, ...tests]
        .filter((path) => !isThere(path))
        .map((path) => `${requirement}: ${path} is not there.`),
      ...tests
        .filter((path) => !path.endsWith('.test.ts'))
        .map((path) => `${requirement}: ${path} is no test.`),
    ]
  })
}

function pathsIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path]) => path ?? '')
}

/** The faults of the table of evidence, a sentence each. */
function evidenceFaults(rows: readonly (readonly string[])[], parts: readonly string[]): string[] {
  const covered = rows.map(([requirement = '']) => /^\d+/.exec(requirement)?.[0])
  const shown = rows.flatMap(([, , , evidence = '']) => pathsIn(evidence))
  const named = shown.flatMap((call) => /^tollgate evidence show (\w+)$/.exec(call)?.[1] ?? [])
  return [
    ...REQUIREMENTS.filter((number) => !covered.includes(number)).map(
      (number) => `requirement ${number} is not there`,
    ),
    ...rows
      .filter(([, , , evidence = '']) => !/`tollgate \w+/.test(evidence))
      .filter(([, , , evidence]) => evidence !== OWN_RECORDS)
      .map(([requirement]) => `${requirement}: no evidence is named`),
    ...shown.filter((call) => !call.startsWith('tollgate ')).map((call) => `${call}: no command`),
    ...named.filter((part) => !parts.includes(part)).map((part) => `${part} is no part`),
    ...parts.filter((part) => !named.includes(part)).map((part) => `${part} shows nothing`),
  ]
}

test('docs/pci-dss.md goes through all requirements, and names each part of the evidence', () => {
  const rows = rowsUnder(read('docs/pci-dss.md'), 'Evidence by requirement')
  assert.deepEqual(evidenceFaults(rows, Object.keys(EVIDENCE_PARTS)), [])
})

test('the guard of evidence bites: a requirement that is gone, no evidence, an unknown part', () => {
  const rows = REQUIREMENTS.slice(1).map((number) => [`${number}: x`, '', '', OWN_RECORDS])
  assert.deepEqual(
    evidenceFaults(
      [...rows, ['3', '', '', '`tollgate evidence show gone`'], ['4', '', '', '']],
      ['keys'],
    ),
    [
      'requirement 1 is not there',
      '4: no evidence is named',
      'gone is no part',
      'keys shows nothing',
    ],
  )
})

test('the page about evidence lists the parts with their titles', () => {
  const rows = rowsUnder(read('docs/operators/evidence.md'), 'Parts')
  assert.deepEqual(
    rows.map(([name = '']) => name),
    Object.keys(EVIDENCE_PARTS).map((name) => `\`${name}\``),
  )
  for (const [at, { title }] of Object.values(EVIDENCE_PARTS).entries()) {
    const shown = (rows[at]?.[1] ?? '').replace(/\[`([^`]+)`\]\([^)]+\)/g, '"$1"')
    assert.ok(shown.startsWith(title), `${shown} | ${title}`)
  }
})

test('docs/pci-dss.md names existing code and tests for every requirement', () => {
  const rows = rowsUnder(read('docs/pci-dss.md'), 'Requirements met by the program')
  assert.ok(rows.length >= 15, 'the table was not found')
  assert.deepEqual(
    faultsIn(rows, (path) => existsSync(join(root, path))),
    [],
  )
})

test('SECURITY.md names existing tests for every threat', () => {
  const rows = rowsUnder(read('SECURITY.md'), 'Threat model')
  assert.ok(rows.length >= 10, 'the table was not found')
  const asPlaced = rows.map(([who = '', tries = '', , shownBy = '']) => [
    `${who}: ${tries}`,
    '',
    shownBy,
    shownBy,
  ])
  assert.deepEqual(
    faultsIn(asPlaced, (path) => existsSync(join(root, path))),
    [],
  )
})

test('docs/pci-dss.md lists the responsibilities of the operator', () => {
  assert.ok(rowsUnder(read('docs/pci-dss.md'), 'Responsibilities of the operator').length >= 10)
})

test('the guard bites: a path that is gone, a row without a test, a test that is none', () => {
  const isThere = (path: string) => path !== 'gone.ts'
  assert.deepEqual(faultsIn([['1.1', 'x', '`gone.ts`', '`a.test.ts`']], isThere), [
    '1.1: gone.ts is not there.',
  ])
  assert.deepEqual(faultsIn([['1.1', 'x', '`a.ts`', '']], isThere), ['1.1: nothing shows it.'])
  assert.deepEqual(faultsIn([['1.1', 'x', '`a.ts`', '`b.ts`']], isThere), ['1.1: b.ts is no test.'])
  assert.deepEqual(rowsUnder('## H\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n## I\n| 3 |', 'H'), [
    ['1', '2'],
  ])
})
