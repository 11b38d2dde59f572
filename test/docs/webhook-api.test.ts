import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DELIVERY_PARAMETERS } from '../../packages/gateway/src/http/api/delivery-parameters.ts'
import {
  DELIVERY_FIELDS,
  ENDPOINT_FIELDS,
} from '../../packages/gateway/src/http/api/webhook-objects.ts'

const page = readFileSync(new URL('../../docs/integrators/webhook-api.md', import.meta.url), 'utf8')

/** The rows of the table in the section with this heading. */
function rowsOf(section: string): string[][] {
  const [, text = ''] = new RegExp(`^## ${section}\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(page) ?? []
  return [...text.matchAll(/^\| `([\w.]+)` \| (.+) \|$/gm)].map(([, name = '', meaning = '']) => [
    name,
    meaning,
  ])
}

test('the page of the endpoint API has every field and parameter with its meaning', () => {
  assert.deepEqual(rowsOf('Endpoint'), Object.entries(ENDPOINT_FIELDS))
  assert.deepEqual(rowsOf('Delivery'), Object.entries(DELIVERY_FIELDS))
  assert.deepEqual(rowsOf('List of deliveries'), Object.entries(DELIVERY_PARAMETERS))
})
