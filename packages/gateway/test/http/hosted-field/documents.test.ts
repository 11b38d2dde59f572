import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { BROWSER_FILES_FOLDER } from '../../../src/http/hosted-field/browser-files.ts'
import {
  PAGES,
  PAGE_SCRIPTS,
  PAGE_STYLE,
  SHOP_SCRIPTS,
} from '../../../src/http/hosted-field/inventory.ts'

interface Form {
  readonly what: string
}

interface ShopMessages {
  readonly SHOP_MESSAGES: Readonly<
    Record<string, { readonly parts: Readonly<Record<string, Form>> }>
  >
  readonly DEFAULT_TEXTS: Readonly<Record<string, string>>
  readonly STYLES: Readonly<Record<string, Form>>
}

const page = readFileSync(
  new URL('../../../../../docs/integrators/hosted-fields.md', import.meta.url),
  'utf8',
)

function load(): ShopMessages {
  const context = createContext()
  runInContext(readFileSync(join(BROWSER_FILES_FOLDER, 'shop-messages.js'), 'utf8'), context)
  return runInContext('({ SHOP_MESSAGES, DEFAULT_TEXTS, STYLES })', context) as ShopMessages
}

/** The cells of the table whose first heading is this one, without the backticks. */
function rows(heading: string): string[][] {
  const [, table = ''] =
    new RegExp(`^\\| ${heading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? []
  return table
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
}

const { SHOP_MESSAGES, DEFAULT_TEXTS, STYLES } = load()

test('the document lists the messages that a shop may send, with their parts', () => {
  const expected = Object.entries(SHOP_MESSAGES).flatMap(([type, { parts }]) => {
    const all = Object.entries(parts).map(([name, { what }]) => {
      const inTable = {
        texts: 'an object of texts, see below',
        style: 'an object of style options, see below',
      }
      return [type, name, name === 'texts' || name === 'style' ? inTable[name] : what]
    })
    return all.length === 0 ? [[type, '', '']] : all
  })
  assert.deepEqual(rows('Message \\| Part'), expected)
})

test('the document lists the texts with their defaults', () => {
  assert.deepEqual(rows('Text'), Object.entries(DEFAULT_TEXTS))
})

test('the document lists the style options', () => {
  assert.deepEqual(
    rows('Style'),
    Object.entries(STYLES).map(([name, { what }]) => [name, what]),
  )
})

test('the document holds the inventory of scripts, and the hash that shops pin', () => {
  const shopScripts = [...SHOP_SCRIPTS.values()]
  const expected = [
    ...[...Object.values(PAGES), ...PAGE_SCRIPTS, PAGE_STYLE].map((entry) => ({
      ...entry,
      where: 'the card fields',
    })),
    ...shopScripts.map((entry) => ({ ...entry, where: 'the page of the shop' })),
  ].map(({ file, where, purpose, integrity }) => [file, where, purpose, integrity])
  assert.deepEqual(rows('File'), expected)
  assert.ok(page.includes(`integrity="${shopScripts.at(-1)?.integrity}"`))
})

test('the document names every message and every error code that a page can hear, and no other', () => {
  const script = (file: string): string => readFileSync(join(BROWSER_FILES_FOLDER, file), 'utf8')
  const text = script('field-page.js')
  const said = [...text.matchAll(/type: 'tollgate\.(\w+)'/g)].map((match) => `tollgate.${match[1]}`)
  const acted = ['focus', 'blur', 'submit'].map((what) => `tollgate.${what}`)
  const documented = rows('Message \\| Parts').map(([type]) => type)
  assert.deepEqual(new Set(documented), new Set([...said, ...acted]))
  const codes = [
    ...`${text}${script('fields.js')}${script('fields-2.js')}`.matchAll(
      /(?:code: |refuse\()'(\w+)'/g,
    ),
  ].map((match) => match[1])
  const ofFields = ['number', 'expiry', 'code'].flatMap((field) =>
    ['empty', 'incomplete', 'invalid'].map((problem) => `${field}_${problem}`),
  )
  const ofService = ['refused', 'unreachable']
  assert.deepEqual(
    new Set(rows('Error').flatMap(([names = '']) => names.split(', '))),
    new Set([...ofFields, ...ofService, ...codes]),
  )
})
