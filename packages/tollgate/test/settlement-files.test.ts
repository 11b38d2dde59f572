import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runCommand } from '../src/command.ts'
import { settlement } from '../src/settlement-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-settlement-'))
after(() => rmSync(folder, { recursive: true }))

function blockOf(page: string, language: string): string {
  const path = new URL(`../../../docs/operators/${page}`, import.meta.url)
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``)
  return block.exec(readFileSync(path, 'utf8'))?.[1] ?? ''
}

function write(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** Runs the command without a database; the answer is its exit code and what it prints. */
async function run(...args: string[]) {
  const printed: string[] = []
  const complaints: string[] = []
  const code = await runCommand(settlement, args, {
    env: {},
    print: (text: string) => void printed.push(text),
    complain: (text: string) => void complaints.push(text),
  })
  return { code, printed: printed.join('\n'), complaints: complaints.join('\n') }
}

const page = 'settlement-mappings.md'
const mapping = write('mapping.json', blockOf(page, 'json'))

test('settlement try prints what the page shows for its example, without a database', async () => {
  const { code, printed } = await run('try', mapping, write('file.csv', blockOf(page, 'csv')))
  assert.equal(code, 0)
  assert.ok(printed.startsWith(blockOf(page, 'text').trimEnd()), printed)
  assert.match(printed, /"id":"MOD0000000000002","kind":"sale"/)
  assert.match(printed, /The mapping reads this file/)
})

test('settlement try exits with 1, and prints unmapped values and the reasons', async () => {
  const csv = blockOf(page, 'csv').replace(',Settled,', ',Sold,')
  const { code, printed } = await run('try', mapping, write('bad.csv', csv))
  assert.equal(code, 1)
  assert.match(printed, /Values that the mapping does not have:\n {2}"Sold": 1 row/)
  assert.match(printed, /would refuse this file:\n {2}Line 2, column "Type": found "Sold"/)
})

test('settlement try refuses an invalid mapping with each fault', async () => {
  const path = write('invalid.json', blockOf(page, 'json').replace('"v": 1', '"v": "1"'))
  const { code, complaints } = await run('try', path, write('file.csv', blockOf(page, 'csv')))
  assert.equal(code, 1)
  assert.match(complaints, /v is "1"; it must be a whole number/)
})

test('settlement statement try prints what the page shows for its example', async () => {
  const statements = 'settlement-statements.md'
  const xml = blockOf(statements, 'xml')
  const { code, printed } = await run('statement', 'try', write('a.xml', xml))
  assert.equal(code, 0)
  assert.equal(printed, blockOf(statements, 'text').trimEnd())
})

test('settlement statement try exits with 1 for a statement that does not balance', async () => {
  const xml = blockOf('settlement-statements.md', 'xml').replace('>1161.11', '>1161.12')
  const { code, printed } = await run('statement', 'try', write('b.xml', xml))
  assert.equal(code, 1)
  assert.match(printed, /Refused: .*which make 1161.11; its closing balance is 1161.12/)
})
