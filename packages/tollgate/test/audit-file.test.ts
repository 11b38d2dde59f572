import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { linesOf } from '../src/audit-file.ts'

test('a line of an exported log ends at a line feed, and at no line separator of Unicode', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-file-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'log.jsonl')
  const lines = ['a\u2028b', 'c\u2029d', 'é'.repeat(70_000), '']
  for (const end of ['', 'torn']) {
    writeFileSync(path, lines.join('\n') + end)
    assert.deepEqual(await Array.fromAsync(linesOf(path)), [
      ...lines.slice(0, -1),
      ...(end === '' ? [] : [end]),
    ])
  }
})
