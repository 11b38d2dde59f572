import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../packages/gateway/src/domain/events/event-types.ts'
import { PROBLEM_PAGE, PROBLEMS } from '../../packages/gateway/src/http/api/problems.ts'
import { CLIENT_EVENT_TYPES, clientEventTypes } from '../../tools/docs/client-event-types.ts'
import { EVENT_SCHEMAS, eventSchemaTexts } from '../../tools/docs/event-schemas.ts'

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}

test('the published schemas of events are those of the code', () => {
  const texts = eventSchemaTexts()
  const folder = new URL(`../../${EVENT_SCHEMAS}/`, import.meta.url)
  assert.deepEqual(readdirSync(folder).toSorted(), [...texts.keys()].toSorted())
  for (const [name, text] of texts) {
    assert.equal(
      read(`${EVENT_SCHEMAS}/${name}`),
      text,
      'Run `npm run docs` and commit the schemas.',
    )
  }
})

test('the types of events in the client are those of the schemas', () => {
  const text = clientEventTypes()
  assert.equal(read(CLIENT_EVENT_TYPES), text, 'Run `npm run docs` and commit the types.')
})

test('every problem has a section with its status at the address that its type names', () => {
  const page = read(`${PROBLEM_PAGE.slice(1)}.md`)
  const sections = [...page.matchAll(/^## ([a-z-]+)\n\n(\d{3})\. /gm)]
  assert.deepEqual(
    sections.map(([, name, status]) => [name, Number(status)]),
    Object.entries(PROBLEMS).map(([name, { status }]) => [name, status]),
  )
})

test('the page of events lists every type with its meaning', () => {
  const page = read('docs/integrators/events.md')
  const listed = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` \| (.+) \|$/gm)]
  assert.deepEqual(
    listed.map(([, type, when]) => [type, when]),
    Object.entries(EVENT_TYPES).map(([type, { when }]) => [type, when]),
  )
})
