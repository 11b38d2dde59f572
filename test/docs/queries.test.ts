import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { LIST_FIELDS } from '../../packages/gateway/src/http/api/list-fields.ts'
import {
  COMMON_PARAMETERS,
  LIST_PARAMETERS,
} from '../../packages/gateway/src/http/api/list-parameter-table.ts'

const page = readFileSync(new URL('../../docs/integrators/queries.md', import.meta.url), 'utf8')

/** The rows of the table with this heading, in the section with this one. */
function rowsOf(section: string, heading: string): string[][] {
  const [, text = ''] = new RegExp(`^## ${section}\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(page) ?? []
  const [, table = ''] =
    new RegExp(`^\\| ${heading} \\| Meaning \\|\n\\|---\\|---\\|\n((?:\\|.*\n)+)`, 'm').exec(
      text,
    ) ?? []
  return [...table.matchAll(/^\| `([\w.]+)` \| (.+) \|$/gm)].map(([, name = '', meaning = '']) => [
    name,
    meaning,
  ])
}

const meanings = (of: Readonly<Record<string, { readonly meaning: string }>>): string[][] =>
  Object.entries(of).map(([name, { meaning }]) => [name, meaning])

test('the page of lists has the common parameters with their meanings', () => {
  assert.deepEqual(rowsOf('Common parameters', 'Parameter'), meanings(COMMON_PARAMETERS))
})

test('the page of lists has the parameters and fields of every list with their meanings', () => {
  for (const [list, parameters] of Object.entries(LIST_PARAMETERS)) {
    assert.deepEqual(rowsOf(list, 'Parameter'), meanings(parameters), list)
  }
  for (const [list, fields] of Object.entries(LIST_FIELDS)) {
    assert.deepEqual(rowsOf(list, 'Field'), Object.entries(fields), list)
  }
})
