import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KNOWN_CARDS, type SchemeBrand } from '../../packages/bank/src/three-ds/cards.ts'
import type { Habit } from '../../packages/bank/src/three-ds/habits.ts'
import { CHALLENGE_WINDOWS } from '../../packages/client/src/index.ts'
import { read } from './source-text.ts'

const GUIDE = 'docs/integrators/three-d-secure.md'
const PAGE_PART: string = '../../packages/client/browser/three-ds.js'
const SHOP = 'examples/three-ds-shop/README.md'

/** The outcome of each kind of test card, as the guide lists them. */
const HAPPENS: readonly (readonly [Habit, string])[] = [
  ['success', 'approved without a challenge (`Y`)'],
  ['attempt', 'approved; the network stands in for the issuer (`A`)'],
  ['failed', 'declined: not authenticated (`N`)'],
  ['rejected', 'declined: rejected (`R`)'],
  ['unavailable', 'approved or declined, by site setting: the issuer cannot authenticate (`U`)'],
  ['lookup_silent', 'the same after 10 seconds: no answer (`U`)'],
  ['challenge', 'challenge: the code decides'],
  ['challenge_fails', 'challenge: every code is wrong'],
  ['challenge_unavailable', 'challenge that the issuer cannot show: declined (`U`)'],
]
const BRANDS: readonly SchemeBrand[] = ['visa', 'mastercard', 'amex']

/** Code blocks that name where they are from, with that file. */
function quotes(text: string): { file: string; code: string }[] {
  return [...text.matchAll(/<!-- from: (\S+) -->\n```js\n([\s\S]*?)```/g)].map(
    ([, file = '', code = '']) => ({ file, code }),
  )
}

/** Whether these lines stand in a text one after the other, however deep they are indented. */
function holds(text: string, code: string): boolean {
  const flat = (lines: string) =>
    lines
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
  return flat(text).includes(flat(code).trim())
}

test('every piece of code in the 3-D Secure guide stands in the sample shop, line by line', () => {
  const text = read(GUIDE)
  const found = quotes(text)
  assert.equal(
    found.length,
    text.match(/^```js$/gm)?.length,
    'a code block does not name its source file',
  )
  assert.ok(found.length >= 6)
  const stale = found.filter(({ file, code }) => !holds(read(file), code))
  assert.deepEqual(stale, [])
})

test('the guard bites: code that is not in the file', () => {
  assert.ok(holds('  a\n    b\n', 'a\n  b\n'))
  assert.ok(!holds('a\nx\nb', 'a\nb\n'))
})

test('the test cards of the 3-D Secure guide are those of the simulated bank', () => {
  const rows = HAPPENS.map(([habit, words]) => {
    const pans = BRANDS.map(
      (brand) =>
        KNOWN_CARDS.find((card) => card.habit === habit && card.brand === brand)?.pan ?? '',
    )
    return `| ${words} | ${pans.join(' | ')} |`
  })
  const [, table = ''] =
    /<!-- table: cards -->\n(?:.*\n){2}([\s\S]*?)<!-- end -->/.exec(read(GUIDE)) ?? []
  assert.equal(table.trim(), rows.join('\n'))
})

test('every card in the README of the sample shop is one of the simulated bank', () => {
  const listed = read(SHOP).match(/\b\d{4} \d{4} \d{4} \d{4}\b/g) ?? []
  assert.ok(listed.length >= 4)
  const known = new Set(KNOWN_CARDS.map(({ pan }) => pan))
  assert.deepEqual(
    listed.filter((pan) => !known.has(pan.replaceAll(' ', ''))),
    [],
  )
})

test('the sizes of the challenge are the same in the guide, the client and the page', async () => {
  const { WINDOWS } = (await import(PAGE_PART)) as {
    WINDOWS: Readonly<Record<string, readonly number[] | null>>
  }
  for (const [number, { width, height }] of Object.entries(CHALLENGE_WINDOWS)) {
    const inPage = WINDOWS[number]
    assert.deepEqual(inPage, width === null ? null : [width, height])
    const frame = width === null ? 'the whole page (default)' : `${width} x ${height}`
    assert.ok(read(GUIDE).includes(`| ${number} | ${frame} |`), number)
  }
})

test('the site settings of the 3-D Secure guide are the options of tollgate three-ds', () => {
  const [, table = ''] = /## Site settings\n([\s\S]*?)\n## /.exec(read(GUIDE)) ?? []
  const guide = [...table.matchAll(/^\| ([a-z-]+) \| ([a-z]+) \|/gm)].map(([, name, value]) => [
    name,
    value,
  ])
  const operators = read('docs/operators/three-d-secure-switches.md')
  const real = [...operators.matchAll(/^\| `--([a-z-]+)` \| `([a-z]+)` \|/gm)].map(
    ([, name, value]) => [name, value],
  )
  assert.equal(real.length, 5)
  assert.deepEqual(guide, real)
})
